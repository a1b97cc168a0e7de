"""The donors of covers with their URLs.

covers → (page, place, donor) → + URL of the donor → by page: the list again
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.lists import GroupLists
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.tables.phrases import DONOR

CHOSEN = pa.list_(pa.struct([field for field in DONOR if field.name != "url"]))
"""Donors as the cover kernel gives them."""

_ROW = [("page", pa.int64()), ("place", pa.int64()), ("donor", pa.int64())]
_FIGURES = [("shingles", pa.int64()), ("is_foreign", pa.bool_())]
UNFOLDED = pa.schema([*_ROW, *_FIGURES])
NAMED = pa.schema([*_ROW, ("url", pa.string()), *_FIGURES])
FOLDED = pa.schema([("page", pa.int64()), ("donors", pa.list_(DONOR))])

NAMED_QUERY = """
    SELECT d.page, d.place, d.donor, p.url, d.shingles, d.is_foreign
    FROM unfolded d LEFT JOIN pages p ON p.page = d.donor
"""


@dataclass(frozen=True)
class Unfold:
    """A row for each donor, with its place in the order of choice."""

    schema: pa.Schema = UNFOLDED

    def open(self, threads: int) -> BatchFunction:
        def unfolded(batch: Batch) -> Batch:
            lists = batch.column("donors")
            rows = pc.list_parent_indices(lists)
            donor, shingles, foreign = pc.list_flatten(lists).flatten()
            place = pa.array(range(len(rows)), pa.int64())
            columns = [batch.column("page").take(rows), place, donor, shingles, foreign]
            return pa.RecordBatch.from_arrays(columns, schema=UNFOLDED)

        return unfolded


def named_donors(engine: Engine, covered: Any, pages: Any) -> Any:
    """`page` and `donors`, with URLs, of all pages that have a cover."""
    unfolded = engine.map(covered, Unfold())
    named = engine.sql(NAMED_QUERY, NAMED, unfolded=unfolded, pages=pages)
    lists = GroupLists(FOLDED, ("donor", "url", "shingles", "is_foreign"))
    return engine.exchange(named, "page", lists, order=("place",))
