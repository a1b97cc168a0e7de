"""Exact and fuzzy duplicates: MD5 and ssdeep of the plain text (Figuerola et al. 2011)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from pagekin import _core
from pagekin.detect.fuzzy.verify import verified
from pagekin.engines.base import Batch, Engine, Resources
from pagekin.params import FuzzyParams, Params
from pagekin.run import Run
from pagekin.tables import FUZZY

MEMBERS = pa.schema(
    [("class", pa.int64()), ("page", pa.int64()), ("exact", pa.bool_()), ("score", pa.int32())]
)
"""What comes of the digests: the members of classes."""

POSTINGS_SHARE = 4
"""The part of the memory that pieces may take at a time; digests need room too."""


class FuzzyReducer:
    """Digests in, members of classes out (crates/core/src/ssdeep/classes.rs)."""

    def __init__(self, run: Run, params: FuzzyParams, resources: Resources) -> None:
        self.classes = _core.FuzzyClassBuilder(
            resources.threads, resources.memory // POSTINGS_SHARE, params.threshold, params.min_length
        )
        for known in run.lineage:
            wordless = known.dataset("pages").to_batches(columns=["page"], filter=ds.field("words") == 0)
            for batch in wordless:
                self.classes.exclude(batch.column("page").to_pylist())
        self.push = self.classes.push

    def finish(self) -> Iterator[Batch]:
        yield self.classes.finish()


@dataclass(frozen=True)
class Classes:
    """The exchange behind fuzzy duplicates. Every piece may join any two pages, so all rows meet."""

    run: Run
    params: FuzzyParams
    by: str = ""
    schema: pa.Schema = MEMBERS

    def open(self, resources: Resources) -> FuzzyReducer:
        return FuzzyReducer(self.run, self.params, resources)


def find_fuzzy(run: Run, engine: Engine, params: Params) -> None:
    """Sketches → pieces → classes → (texts of their pages) → fuzzy.

    With `scan --against` the digests of the known runs take part, and the rows are those of the new pages and
    of their representatives.
    """
    names = ["page", "md5", "ssdeep"]
    sketches = engine.concat(*(engine.load(known, "sketches", names) for known in run.lineage))
    members = engine.collect(engine.exchange(sketches, Classes(run, params.fuzzy)))
    if params.fuzzy.similarity:
        members = verified(run, engine, params, members)
    else:
        members = members.append_column("similarity", pa.nulls(members.num_rows, pa.float64()))
    rows = fuzzy_rows(run, new_members(run, members), params.fuzzy.threshold)
    engine.publish(run, "fuzzy", {FUZZY: rows})


def new_members(run: Run, members: pa.Table) -> pa.Table:
    """The members that are new, and the representatives of their classes."""
    new = pc.greater_equal(members["page"], run.first_page)
    classes = members["class"].filter(new).combine_chunks()
    return members.filter(pc.or_(new, pc.is_in(members["page"], classes)))


def fuzzy_rows(run: Run, members: pa.Table, threshold: int) -> pa.Table:
    """The members with what other tables know of them."""
    pages = members["page"]
    digests = run.page_columns("sketches", ["md5", "ssdeep"], pages)
    rows = {
        **{name: members[name] for name in ("class", "page", "score", "similarity")},
        "chain": pc.less(members["score"], threshold),
        "url": run.page_columns("pages", ["url"], pages)["url"],
        **{name: digests[name] for name in digests.column_names},
        "kind": pc.if_else(members["exact"], "exact", "near"),
        "representative": members["class"],
        "representative_url": run.page_columns("pages", ["url"], members["class"])["url"],
    }
    return pa.table([rows[name] for name in FUZZY.names], schema=FUZZY.schema)
