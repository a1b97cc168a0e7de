"""What runs on Spark's workers: plain functions from batches to batches, sent there with their parameters."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pagekin.engines.base import Batch, Kernel, Output
from pagekin.engines.groups import divide, in_order
from pagekin.engines.parts import PIECE_ROWS, table_writer
from pagekin.fs import peak_memory
from pagekin.params import ReadParams
from pagekin.readers import Input, batches, read_input
from pagekin.tables import Table

BLOCK_BYTES = 1 << 20
"""A block is sent once it has about this size."""

HELD_BYTES = 64 << 20
"""Rows that wait for their blocks to be full."""

OUTPUT_ROWS = 65_536

BLOCKS = pa.schema([("target", pa.int32()), ("block", pa.binary())])
WRITTEN = pa.schema([("part", pa.int64()), ("name", pa.string()), ("rows", pa.int64()), ("peak", pa.int64())])
"""What comes back from a worker that wrote a file."""


@dataclass(frozen=True)
class Chain:
    """Kernels one after the other, in one worker call."""

    schema: pa.Schema
    """of the rows that come in; Spark sends its own flavour (nullability, time zones)"""
    kernels: tuple[Kernel, ...] = ()

    @property
    def result(self) -> pa.Schema:
        return self.kernels[-1].schema if self.kernels else self.schema

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        functions = [kernel.open(1) for kernel in self.kernels]
        for batch in source:
            batch = batch.cast(self.schema)
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
        table = pa.Table.from_batches(rows, self.chain.result)
        if self.combine is not None:
            whole = in_order(rows, self.chain.result, self.by, self.order)
            table = pa.Table.from_batches([self.combine.open(1)(whole)], self.chain.result)
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table.combine_chunks())
        block = pa.array([sink.getvalue().to_pybytes()], pa.binary())
        return pa.RecordBatch.from_arrays([pa.array([target], pa.int32()), block], schema=BLOCKS)


@dataclass(frozen=True)
class Group:
    """Puts the blocks of a target together again and gives its groups to a kernel."""

    schema: pa.Schema
    by: str
    order: tuple[str, ...]
    kernel: Kernel

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        rows: list[Batch] = []
        for batch in source:
            for block in batch.column(1):
                with pa.ipc.open_stream(block.as_buffer()) as reader:
                    rows += list(reader)
        if rows:
            whole = in_order(rows, self.schema, self.by, self.order)
            rows.clear()
            found = self.kernel.open(1)(whole)
            for start in range(0, found.num_rows, OUTPUT_ROWS):
                yield found.slice(start, OUTPUT_ROWS)


@dataclass(frozen=True)
class Write:
    """Writes the rows of a partition as a Parquet file. A task that is tried again writes the same anew."""

    chain: Chain
    table: Table
    folder: str

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        files = Files(Path(self.folder), (self.table,))
        for batch in self.chain(source):
            files.write(self.table, batch.cast(self.table.schema))
        yield from files.close(_partition())


@dataclass(frozen=True)
class Read:
    """Reads inputs, sketches their pages and writes the tables: nothing of it passes through the JVM."""

    params: ReadParams
    kernels: tuple[Kernel, ...]
    outputs: tuple[Output, ...]
    folder: str

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        functions = [kernel.open(1) for kernel in self.kernels]
        files = Files(Path(self.folder), [output.table for output in self.outputs])
        for row in (row for batch in source for row in batch.to_pylist()):
            name = row.pop("name")
            row.pop("task")
            for batch in batches(read_input(Input(**row), self.params)):
                batch = _named(batch, name)
                for function in functions:
                    batch = function(batch)
                for output in self.outputs:
                    files.write(output.table, output.project(batch))
        yield from files.close(_partition())


class Files:
    """Parquet files of one task, under names of their own until they are complete."""

    def __init__(self, folder: Path, tables: Sequence[Table]) -> None:
        self._own = uuid.uuid4().hex
        self._folder = folder
        self._tables = {table.name: table for table in tables}
        self._writers = {
            name: table_writer(self._path(name, f".{self._own}"), table.schema)
            for name, table in self._tables.items()
        }
        self._rows = dict.fromkeys(self._tables, 0)

    def _path(self, name: str, file: str) -> Path:
        return self._folder / f"{name}.parquet" / file

    def write(self, table: Table, rows: Batch) -> None:
        for start in range(0, rows.num_rows, PIECE_ROWS):
            self._writers[table.name].write_batch(rows.slice(start, PIECE_ROWS))
        self._rows[table.name] += rows.num_rows

    def close(self, part: int) -> Iterator[Batch]:
        """Gives the files their names; of two attempts the last one counts, and both wrote the same."""
        for name, writer in self._writers.items():
            writer.close()
            self._path(name, f".{self._own}").replace(self._path(name, f"task-{part:06d}"))
        names = list(self._writers)
        columns = [
            [part] * len(names),
            names,
            [self._rows[name] for name in names],
            [peak_memory()] * len(names),
        ]
        arrays = [pa.array(values, field.type) for values, field in zip(columns, WRITTEN, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=WRITTEN)


def _partition() -> int:
    from pagekin.engines.spark.session import partition_number

    return partition_number()


def _named(batch: Batch, name: str) -> Batch:
    """The batch with its input named as the user named it."""
    place = batch.schema.get_field_index("input")
    return batch.set_column(place, batch.schema.field(place), pa.array([name] * batch.num_rows, pa.string()))
