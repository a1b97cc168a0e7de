"""Kernels of the steps: native ones, the first rows of groups, and large groups in chunks."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.engines.base import Batch, BatchFunction
from pagekin.params import StyleParams

CHUNK = 4096
"""Members of a large group that are in one chunk."""

SPEAKS, MEMBER = 0, 1
"""Roles in a chunk: what represents the whole group, and its members."""

MILLION = 1_000_000
"""Similarities are summed in millionths, so that means are the same on any machine."""


def ints(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, pa.int64()) for name in names]


LAYERS = [("style", pa.binary()), ("structure", pa.binary())]
HASHED = pa.schema([*ints("page", "hash"), *LAYERS, *ints("known")])


@dataclass(frozen=True)
class StyleStep:
    """A step of `_core.StyleSteps` by its name."""

    params: StyleParams
    name: str
    schema: pa.Schema

    @property
    def growth(self) -> int:
        """A fingerprint has a row for each probe, with itself in it."""
        return self.params.probes if self.name == "buckets" else 1

    def open(self, threads: int) -> BatchFunction:
        p = self.params
        steps = _core.StyleSteps(threads, p.m, p.k, p.probes, p.t, p.structure_t, p.budget, p.seed, p.over_m)
        function: BatchFunction = getattr(steps, self.name)
        return lambda batch: function(batch).select(self.schema.names).cast(self.schema)


@dataclass(frozen=True)
class Hashed:
    """The pages that have a fingerprint, with the hashes that samples are chosen by."""

    structure: bool
    schema: pa.Schema = HASHED

    def open(self, threads: int) -> BatchFunction:
        def hashed(batch: Batch) -> Batch:
            page, style = batch.column("page"), batch.column("style")
            structure = batch.column("structure") if self.structure else pa.nulls(len(page), pa.binary())
            known = (
                batch.column("known") if "known" in batch.schema.names else pa.nulls(len(page), pa.int64())
            )
            columns = [page, _core.page_hashes(page), style, structure, known]
            rows = pa.RecordBatch.from_arrays(columns, schema=HASHED)
            return rows.filter(pc.or_(pc.is_valid(style), pc.is_valid(structure)))

        return hashed


@dataclass(frozen=True)
class First:
    """The first rows of each group. Also combines: the first of all are among the first of a part."""

    by: str
    count: int
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: batch.take(_core.first_rows(batch.column(self.by), self.count))


@dataclass(frozen=True)
class InChunks:
    """Divides the members of each group over chunks; or copies what represents the group to all its chunks.

    Rows name their group in the column `by`, its size in `size`. Columns that they do not have become null.
    """

    by: str
    role: int
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        def divided(batch: Batch) -> Batch:
            if self.role == SPEAKS:
                rows, chunk = _core.chunk_copies(batch, self.by, CHUNK)
                batch = batch.take(rows)
            else:
                chunk = _core.chunk_keys(batch, self.by, CHUNK)
            made = {
                "chunk": chunk,
                "role": pa.array([self.role], pa.int64()).take(pa.array([0] * len(chunk))),
            }
            columns = [
                made.get(field.name, batch.column(field.name) if field.name in batch.schema.names else None)
                for field in self.schema
            ]
            filled = [
                pa.nulls(len(chunk), field.type) if column is None else column
                for column, field in zip(columns, self.schema, strict=True)
            ]
            return pa.RecordBatch.from_arrays(filled, schema=self.schema)

        return divided
