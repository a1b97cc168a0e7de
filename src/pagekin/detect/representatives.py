"""Later steps work on one page of each duplicate class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run


@dataclass(frozen=True)
class AntiJoin:
    """Leaves out the rows of some pages."""

    pages: pa.Array
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        """The filter."""
        places = _core.KeyLookup(self.pages)

        def kept(batch: Batch) -> Batch:
            copies = places.contains(batch.column("page"))
            return batch.filter(pc.invert(copies)) if pc.any(copies).as_py() else batch

        return kept


def representatives(run: Run, engine: Engine, table: str, columns: Sequence[str] | None = None) -> Any:
    """The rows of a table, as a dataset, for pages that are no copies of another page."""
    data = engine.load(run, table, columns)
    copies = run.copies()
    if not len(copies):
        return data
    schema = run.dataset(table).schema
    names = schema.names if columns is None else columns
    return engine.map(data, AntiJoin(copies, pa.schema([schema.field(name) for name in names])))
