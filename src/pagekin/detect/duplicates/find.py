"""Duplicate classes: pages that are exact or near copies of each other (Fetterly et al. 2005)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.rows import looked_up
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, BatchFunction, Engine, Resources
from pagekin.params import Params, ShingleParams
from pagekin.run import Run
from pagekin.tables import DUPLICATES, Table

LINKS = pa.schema([("page", pa.int64()), ("other", pa.int64()), ("kind", pa.int8())])
SAME = 0
"""The kind of a link between pages of the same text."""

SKETCHED = pa.schema(
    [("page", pa.int64()), ("shingles", pa.binary()), ("md5", pa.string()), ("known", pa.int64())]
)
RESKETCHED = SKETCHED.remove(3)
MEMBERS = pa.schema([("page", pa.int64()), ("url", pa.string()), ("text", pa.string())])

MISSED = 0.005
"""What share of the pairs at the wanted similarity may fail to become candidates."""
MOST_FUNCTIONS = 1024
SHORTEST = 3
"""Runs shorter than this make candidates of pages that have little in common."""


@dataclass(frozen=True)
class Plan:
    """How many runs of how many shingles; `recall` is the chance that a pair at `similarity` is found."""

    runs: int
    length: int
    similarity: float = 0.0
    recall: float = 1.0

    @property
    def functions(self) -> int:
        """How many shingles a page needs."""
        return self.runs * self.length


def plan(similarity: float, m: int) -> Plan:
    """The longest runs by which all but `MISSED` of the pairs at a similarity become candidates.

    A run of r agrees with chance J^r, so one of b runs does with 1 - (1 - J^r)^b. With the m functions that
    every page has if their runs get long enough, else with more.

    Examples:
        >>> made = plan(0.7, 84)
        >>> made.runs, made.length, round(made.recall, 4)
        (21, 4, 0.9969)
    """
    if similarity >= 1:
        return Plan(1, m, 1.0, 1.0)

    def needed(length: int) -> int:
        missing = 1 - similarity**length
        return math.ceil(math.log(MISSED) / math.log(missing)) if missing < 1 else MOST_FUNCTIONS + 1

    longest = next((length for length in range(m, 0, -1) if needed(length) * length <= m), 0)
    if longest >= SHORTEST:
        runs, length = m // longest, longest  # the functions are there: use them all
    else:
        enough = (n for n in range(SHORTEST, 1, -1) if needed(n) * n <= MOST_FUNCTIONS)
        length = next(enough, 1)
        runs = max(needed(length), m // length)
    return Plan(runs, length, similarity, 1 - (1 - similarity**length) ** runs)


@dataclass(frozen=True)
class Known:
    """Says of each page which class of an earlier run it is in; null for new pages."""

    classes: pa.Table | None
    schema: pa.Schema = SKETCHED

    def open(self, threads: int) -> BatchFunction:
        """Adds the column."""

        def marked(batch: Batch) -> Batch:
            page = batch.column("page")
            if self.classes is None:
                known = pa.nulls(batch.num_rows, pa.int64())
            else:
                known = pc.coalesce(looked_up(page, self.classes, "page", "class"), page)
            columns = [*(batch.column(name) for name in ("page", "shingles", "md5")), known]
            return pa.RecordBatch.from_arrays(columns, schema=SKETCHED)

        return marked


@dataclass(frozen=True)
class Shingle:
    """Shingles of another number of functions than the sketches have, from the texts."""

    params: ShingleParams
    schema: pa.Schema = RESKETCHED

    def open(self, threads: int) -> BatchFunction:
        """Texts in, shingles and digests out."""
        kernel = shingler(self.params)

        return lambda texts: kernel.shingles_of(texts, threads, digests=True).select(RESKETCHED.names)


@dataclass(frozen=True)
class FindLinks:
    """Sketches that have runs of shingles in common become links (crates/core/src/kin.rs)."""

    plan: Plan
    by: str = "run"
    schema: pa.Schema = LINKS

    def open(self, resources: Resources) -> _core.Kin:
        """Collects sketches."""
        plan, spill = self.plan, str(resources.spill)
        return _core.Kin(plan.runs, plan.length, plan.similarity, resources.threads, resources.memory, spill)


@dataclass(frozen=True)
class Members:
    """The pages that links name; without texts where those are the same as another page's, or not wanted."""

    links: pa.Table
    texts: bool
    schema: pa.Schema = MEMBERS

    def open(self, threads: int) -> BatchFunction:
        """The filter."""
        page, other, kind = (self.links[name].combine_chunks() for name in LINKS.names)
        involved = _core.Places(pa.concat_arrays([page, other]))
        copies = _core.Places(page.filter(pc.equal(kind, SAME)))

        def members(batch: Batch) -> Batch:
            rows = batch.filter(involved.hold(batch.column("page")))
            same = copies.hold(rows.column("page"))
            text = (
                pc.if_else(same, None, rows.column("text"))
                if self.texts
                else pa.nulls(len(rows), pa.string())
            )
            return pa.RecordBatch.from_arrays([rows.column("page"), rows.column("url"), text], schema=MEMBERS)

        return members


@dataclass(frozen=True)
class MakeClasses:
    """Links become classes, after what has to be verified is (crates/core/src/classes.rs)."""

    links: pa.Table
    similarity: float
    first_new: int
    shingles: ShingleParams
    by: str = "class"
    table: Table = DUPLICATES

    @property
    def schema(self) -> pa.Schema:
        """`tables.DUPLICATES`."""
        return self.table.schema

    def open(self, resources: Resources) -> _core.Verifier:
        """Collects texts."""
        links = self.links.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=LINKS)]
        return _core.Verifier(
            links[0],
            self.similarity,
            self.first_new,
            shingler(self.shingles),
            resources.threads,
            resources.memory,
            str(resources.spill),
        )


def find_duplicates(run: Run, engine: Engine, params: Params) -> None:
    """Sketches → links → (texts of linked pages) → duplicates."""
    wanted = params.duplicates
    rule = (
        plan(wanted.similarity, params.shingles.m) if wanted.similarity else Plan(wanted.runs, wanted.length)
    )
    if wanted.similarity:
        engine.facts.update(runs=rule.runs, length=rule.length, recall=round(rule.recall, 6))
    runs = run.lineage
    sketched = engine.concat(*(_sketches(old, engine, params.shingles, rule, old is run) for old in runs))
    links = engine.collect(engine.exchange(sketched, FindLinks(rule)))
    checked = Members(links, texts=bool(wanted.similarity) or not wanted.unchecked)
    texts = engine.concat(*(engine.load(old, "texts", MEMBERS.names) for old in runs))
    first = run.first_page
    classes = MakeClasses(links, wanted.similarity, first, params.shingles)
    engine.publish(run, "duplicates", {DUPLICATES: engine.exchange(engine.map(texts, checked), classes)})


def _sketches(run: Run, engine: Engine, shingles: ShingleParams, rule: Plan, new: bool) -> Any:
    classes = None
    if not new:
        there = "duplicates" in run.tables
        classes = run.table("duplicates", ["page", "class"]) if there else empty_classes()
    if rule.functions <= shingles.m:
        data = engine.load(run, "sketches", ["page", "shingles", "md5"])
    else:
        more = Shingle(replace(shingles, m=rule.functions))
        data = engine.map(engine.load(run, "texts", ["page", "text"]), more)
    return engine.map(data, Known(classes))


def empty_classes() -> pa.Table:
    """The classes of a run that has none."""
    return pa.table({"page": pa.array([], pa.int64()), "class": pa.array([], pa.int64())})
