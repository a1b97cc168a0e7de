"""What runs on Spark's workers: plain functions from batches to batches, sent there with their parameters.

A source says where the rows of a dataset come from. `Rows` and `Blocks` make them of what Spark hands over.
The others need nothing of Spark but a task to run in: files (`pieces.py`), and what is small enough to be
grouped or queried in one place.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from pagekin.engines.base import Batch, Flow, Kernel, Resources
from pagekin.engines.groups import applied, divide, growth, in_order
from pagekin.engines.relational import answer, database

BLOCK_BYTES = 1 << 20
"""A block is sent once it has about this size."""

HELD_BYTES = 64 << 20
"""Rows that wait for their blocks to be full, at most."""

OUTPUT_ROWS = 65_536

BLOCKS = pa.schema([("target", pa.int32()), ("block", pa.binary())])


class RowSource(Protocol):
    """Makes the rows of a dataset of what Spark hands to a worker."""

    @property
    def schema(self) -> pa.Schema: ...

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        """The rows, of what Spark hands over; or of all tasks, without Spark, if the source needs none."""


@dataclass(frozen=True)
class Rows:
    """Rows as Spark has them: in its own flavour of the schema (nullability, time zones)."""

    schema: pa.Schema

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        return (batch.cast(self.schema) for batch in source or ())


@dataclass(frozen=True)
class Blocks:
    """The rows in the blocks of a target."""

    schema: pa.Schema

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        for batch in source or ():
            for block in batch.column(1):
                with pa.ipc.open_stream(block.as_buffer()) as reader:
                    yield from reader


@dataclass(frozen=True)
class Groups:
    """Sorts rows and gives their groups to a kernel."""

    rows: RowSource
    by: str
    order: tuple[str, ...]
    kernel: Kernel

    @property
    def schema(self) -> pa.Schema:
        return self.kernel.schema

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        rows = list(self.rows(source))
        if rows:
            whole = in_order(rows, self.rows.schema, self.by, self.order)
            rows.clear()
            yield self.kernel.open(1)(whole)


@dataclass(frozen=True)
class Chain:
    """A source and kernels, one after the other, in one worker call."""

    source: RowSource
    kernels: tuple[Kernel, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        return self.kernels[-1].schema if self.kernels else self.source.schema

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        batches = self.source(source)
        for kernel in self.kernels:
            batches = _mapped(kernel, batches)
        for batch in batches:
            for start in range(0, batch.num_rows, OUTPUT_ROWS):
                yield batch.slice(start, OUTPUT_ROWS)


def _mapped(kernel: Kernel, batches: Iterator[Batch]) -> Iterator[Batch]:
    function = kernel.open(1)
    for batch in batches:
        yield from applied(function, growth(kernel), batch)


@dataclass(frozen=True)
class Together:
    """The rows of several chains, one after the other, in one place."""

    chains: tuple[Chain, ...]

    @property
    def schema(self) -> pa.Schema:
        return self.chains[0].schema

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        return (batch for chain in self.chains for batch in chain(None))


@dataclass(frozen=True)
class SqlQuery:
    """The answer to a query over chains, in one place."""

    query: str
    schema: pa.Schema
    chains: tuple[tuple[str, Chain], ...]
    memory: int
    batch_bytes: int

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        tables = {name: pa.Table.from_batches(list(chain(None)), chain.schema) for name, chain in self.chains}
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(database(threads=1, memory=self.memory, spill=Path(folder))) as opened,
        ):
            yield from answer(opened, self.query, self.schema, tables, batch_bytes=self.batch_bytes)


@dataclass(frozen=True)
class Whole:
    """A flow in the memory of one task, and what does not fit in a folder of its own."""

    flow: Flow
    chains: tuple[tuple[str, Chain], ...]
    memory: int
    note: Callable[[str, Any], None]

    @property
    def schema(self) -> pa.Schema:
        return self.flow.schema

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        with tempfile.TemporaryDirectory() as folder:
            reducer = self.flow.whole(Resources(1, self.memory, Path(folder), note=self.note))
            for name, chain in self.chains:
                for batch in chain(None):
                    reducer.push(name, batch)
            yield from reducer.finish()


@dataclass(frozen=True)
class Cut:
    """Cuts rows by key into blocks, one for each target at a time."""

    chain: Chain
    by: str
    order: tuple[str, ...]
    targets: int
    combine: Kernel | None
    held_bytes: int

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        held: dict[int, list[Batch]] = {}
        sizes: dict[int, int] = {}
        total = 0
        for batch in self.chain(source):
            for target, rows in divide(batch, self.by, self.targets):
                held.setdefault(target, []).append(rows)
                sizes[target] = sizes.get(target, 0) + batch.nbytes * rows.num_rows // max(batch.num_rows, 1)
            total += batch.nbytes
            if total < self.held_bytes:
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
