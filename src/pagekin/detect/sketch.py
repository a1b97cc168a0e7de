"""The first step of every run: from the crawl to pages, texts, links and sketches."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.engines.base import Batch, BatchFunction, Engine, Output
from pagekin.params import Params, ShingleParams, StyleParams
from pagekin.run import Run
from pagekin.tables import LINKS, PAGES, SKETCHED, SKETCHES, SKIPPED, TEXTS, Table


def shingler(params: ShingleParams) -> _core.Shingler:
    """The kernel that makes shingles by these parameters."""
    return _core.Shingler(params.k, params.m, params.family, params.seed)


@dataclass(frozen=True)
class SketchPages:
    """The one native pass over each page (crates/core/src/page/batch.rs)."""

    style: StyleParams
    shingles: ShingleParams

    @property
    def schema(self) -> pa.Schema:
        return SKETCHED.schema

    def native(self, threads: int) -> _core.Sketcher:
        """The kernel, on a pool of so many threads."""
        return _core.Sketcher(
            threads,
            self.style.n,
            self.style.m,
            self.style.seed,
            self.style.content,
            self.style.structure_t > 0,
            shingler(self.shingles),
        )

    def open(self, threads: int) -> BatchFunction:
        sketcher = self.native(threads)
        names = SKETCHED.names
        return lambda records: sketcher.sketch(records).select(names)


@dataclass(frozen=True)
class SelectRows:
    """The rows of one table among sketched records: the pages, or the records that are none."""

    table: Table
    skipped: bool = False

    def __call__(self, batch: Batch) -> Batch:
        reason = batch.column("reason")
        rows = batch.select(self.table.names)
        if reason.null_count not in (0, batch.num_rows) or (reason.null_count == 0) != self.skipped:
            rows = rows.filter(pc.is_valid(reason) if self.skipped else pc.is_null(reason))
        return rows


def link_rows(batch: Batch) -> Batch:
    """One row for each link target."""
    targets = batch.column("targets")
    parents = pc.list_parent_indices(targets)
    flat = pc.list_flatten(targets)
    columns = [batch.column("page").take(parents), *flat.flatten()]
    return pa.RecordBatch.from_arrays(columns, schema=LINKS.schema)


OUTPUTS = (
    Output(PAGES, SelectRows(PAGES)),
    Output(TEXTS, SelectRows(TEXTS)),
    Output(LINKS, link_rows),
    Output(SKETCHES, SelectRows(SKETCHES)),
    Output(SKIPPED, SelectRows(SKIPPED, skipped=True)),
)


def sketch_crawl(run: Run, engine: Engine, params: Params) -> None:
    """Inputs → records → sketched → pages, texts, links, sketches, skipped."""
    records = engine.read(run.inputs, params.read)
    sketched = engine.map(records, SketchPages(params.style, params.shingles))
    engine.save(sketched, run, "sketch", OUTPUTS)
