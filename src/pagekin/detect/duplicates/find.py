"""Duplicate classes: pages that are exact or near copies of each other (Fetterly et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.duplicates.banding import Banding, choose_banding
from pagekin.detect.joins import known_groups
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, BatchFunction, Engine, Resources
from pagekin.params import Params, ShingleParams
from pagekin.run import Run
from pagekin.tables import DUPLICATES, Table

EDGES = pa.schema([("page", pa.int64()), ("other", pa.int64()), ("kind", pa.int8())])
SAME = 0
"""The kind of an edge between pages of the same text."""

SKETCHED = pa.schema(
    [("page", pa.int64()), ("shingles", pa.binary()), ("md5", pa.string()), ("known", pa.int64())]
)
RESKETCHED = SKETCHED.remove(3)
MEMBERS = pa.schema([("page", pa.int64()), ("url", pa.string()), ("text", pa.string())])


@dataclass(frozen=True)
class Shingle:
    """Shingles of another number of functions than the sketches have, from the texts."""

    params: ShingleParams
    schema: pa.Schema = RESKETCHED

    def open(self, threads: int) -> BatchFunction:
        kernel = shingler(self.params)

        return lambda texts: kernel.shingles_of(texts, threads, digests=True).select(RESKETCHED.names)


@dataclass(frozen=True)
class FindEdges:
    """Sketches with bands of shingles in common become edges (crates/core/src/duplicates/candidates.rs)."""

    banding: Banding
    by: str = "run"
    schema: pa.Schema = EDGES

    def open(self, resources: Resources) -> _core.DuplicateCandidates:
        chosen, threads, memory = self.banding, resources.threads, resources.memory
        return _core.DuplicateCandidates(
            chosen.bands, chosen.rows, chosen.similarity, threads, memory, str(resources.spill)
        )


@dataclass(frozen=True)
class Members:
    """The pages that edges name; without texts where those are the same as another page's, or not wanted."""

    edges: pa.Table
    texts: bool
    schema: pa.Schema = MEMBERS

    def open(self, threads: int) -> BatchFunction:
        page, other, kind = (self.edges[name].combine_chunks() for name in EDGES.names)
        involved = _core.KeyLookup(pa.concat_arrays([page, other]))
        copies = _core.KeyLookup(page.filter(pc.equal(kind, SAME)))

        def members(batch: Batch) -> Batch:
            rows = batch.filter(involved.contains(batch.column("page")))
            same = copies.contains(rows.column("page"))
            text = (
                pc.if_else(same, None, rows.column("text"))
                if self.texts
                else pa.nulls(len(rows), pa.string())
            )
            return pa.RecordBatch.from_arrays([rows.column("page"), rows.column("url"), text], schema=MEMBERS)

        return members


@dataclass(frozen=True)
class MakeClasses:
    """Edges become classes, once verified where that is asked for (crates/core/src/duplicates/classes.rs)."""

    edges: pa.Table
    similarity: float
    first_new: int
    shingles: ShingleParams
    wrap: bool
    by: str = "class"
    table: Table = DUPLICATES

    @property
    def schema(self) -> pa.Schema:
        return self.table.schema

    def open(self, resources: Resources) -> _core.DuplicateClasses:
        edges = self.edges.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=EDGES)]
        return _core.DuplicateClasses(
            edges[0],
            self.similarity,
            self.first_new,
            shingler(self.shingles),
            self.wrap,
            resources.threads,
            resources.memory,
            str(resources.spill),
        )


def find_duplicates(run: Run, engine: Engine, params: Params) -> None:
    """Sketches → edges → (texts of the pages on them) → duplicates."""
    wanted = params.duplicates
    banding = Banding(wanted.runs, wanted.length)
    if wanted.similarity:
        banding = choose_banding(wanted.similarity, params.shingles.m)
        engine.metrics.update(runs=banding.bands, length=banding.rows, recall=round(banding.recall, 6))
    runs = run.lineage
    sketched = engine.concat(*(_sketches(old, engine, params.shingles, banding, run) for old in runs))
    edges = engine.collect(engine.exchange(sketched, FindEdges(banding)))
    members = Members(edges, texts=bool(wanted.similarity) or not wanted.unchecked)
    texts = engine.concat(*(engine.load(old, "texts", MEMBERS.names) for old in runs))
    classes = MakeClasses(edges, wanted.similarity, run.first_page, params.shingles, wanted.wrap)
    engine.publish(run, "duplicates", {DUPLICATES: engine.exchange(engine.map(texts, members), classes)})


def _sketches(run: Run, engine: Engine, shingles: ShingleParams, banding: Banding, current: Run) -> Any:
    if banding.functions <= shingles.m:
        data = engine.load(run, "sketches", ["page", "shingles", "md5"])
    else:
        more = Shingle(replace(shingles, m=banding.functions))
        data = engine.map(engine.load(run, "texts", ["page", "text"]), more)
    return engine.map(data, known_groups(run, current, "duplicates", "class", SKETCHED))
