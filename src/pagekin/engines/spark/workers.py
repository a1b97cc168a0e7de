"""What runs on Spark's workers: plain functions from batches to batches, sent there with their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from pagekin.engines.base import Batch, Kernel
from pagekin.engines.groups import divide, in_order

BLOCK_BYTES = 1 << 20
"""A block is sent once it has about this size."""

HELD_BYTES = 64 << 20
"""Rows that wait for their blocks to be full."""

OUTPUT_ROWS = 65_536

BLOCKS = pa.schema([("target", pa.int32()), ("block", pa.binary())])


class Source(Protocol):
    """Makes the rows of a dataset of what Spark hands to a worker."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of the rows."""

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        """The rows."""


@dataclass(frozen=True)
class Rows:
    """Rows as Spark has them: in its own flavour of the schema (nullability, time zones)."""

    schema: pa.Schema

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        return (batch.cast(self.schema) for batch in source)


@dataclass(frozen=True)
class Groups:
    """Puts the blocks of a target together again and gives its groups to a kernel."""

    packed: pa.Schema
    by: str
    order: tuple[str, ...]
    kernel: Kernel

    @property
    def schema(self) -> pa.Schema:
        return self.kernel.schema

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        rows: list[Batch] = []
        for batch in source:
            for block in batch.column(1):
                with pa.ipc.open_stream(block.as_buffer()) as reader:
                    rows += list(reader)
        if rows:
            whole = in_order(rows, self.packed, self.by, self.order)
            rows.clear()
            yield self.kernel.open(1)(whole)


@dataclass(frozen=True)
class Chain:
    """A source and kernels, one after the other, in one worker call."""

    source: Source
    kernels: tuple[Kernel, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        return self.kernels[-1].schema if self.kernels else self.source.schema

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        functions = [kernel.open(1) for kernel in self.kernels]
        for batch in self.source(source):
            for function in functions:
                batch = function(batch)
            for start in range(0, batch.num_rows, OUTPUT_ROWS):
                yield batch.slice(start, OUTPUT_ROWS)


@dataclass(frozen=True)
class Cut:
    """Cuts rows by key into blocks, one for each target at a time."""

    chain: Chain
    by: str
    order: tuple[str, ...]
    targets: int
    combine: Kernel | None

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        held: dict[int, list[Batch]] = {}
        sizes: dict[int, int] = {}
        total = 0
        for batch in self.chain(source):
            for target, rows in divide(batch, self.by, self.targets):
                held.setdefault(target, []).append(rows)
                sizes[target] = sizes.get(target, 0) + batch.nbytes * rows.num_rows // max(batch.num_rows, 1)
            total += batch.nbytes
            if total < HELD_BYTES:
                continue
            for target in [target for target, size in sizes.items() if size >= BLOCK_BYTES] or list(sizes):
                total -= sizes.pop(target)
                yield self._block(target, held.pop(target))
        for target, rows_of in held.items():
            yield self._block(target, rows_of)

    def _block(self, target: int, rows: list[Batch]) -> Batch:
        table = pa.Table.from_batches(rows, self.chain.schema)
        if self.combine is not None:
            whole = in_order(rows, self.chain.schema, self.by, self.order)
            table = pa.Table.from_batches([self.combine.open(1)(whole)], self.chain.schema)
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table.combine_chunks())
        block = pa.array([sink.getvalue().to_pybytes()], pa.binary())
        return pa.RecordBatch.from_arrays([pa.array([target], pa.int32()), block], schema=BLOCKS)
