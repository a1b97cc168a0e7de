"""Rows that are divided by key, and groups that are put together again."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from pagekin import _core
from pagekin.engines.base import Batch, BatchFunction, Kernel

PORTION_BYTES = 16 << 20
"""About what a kernel may make of one portion of a batch."""
SMALL_PORTION_BYTES = 1 << 20
"""The same with very little memory."""


def applied(
    function: BatchFunction, growth: float, batch: Batch, max_bytes: int = PORTION_BYTES
) -> Iterator[Batch]:
    """What a kernel makes of a batch; one whose rows grow gets it in portions."""
    rows = batch.num_rows
    if growth > 1:
        rows = max(1, int(max_bytes * batch.num_rows / max(batch.nbytes * growth, 1)))
    if rows >= batch.num_rows:
        yield function(batch)
    else:
        for start in range(0, batch.num_rows, rows):
            yield function(batch.slice(start, rows))


def growth(kernel: Kernel) -> float:
    """How many bytes come out of a kernel for each that comes in, roughly: 1 unless it says so."""
    return float(getattr(kernel, "growth", 1))


def divide(batch: Batch, by: str, parts: int) -> Iterator[tuple[int, Batch]]:
    """The rows of each part, by the hash of a column: equal keys are in the same part of whatever batch."""
    rows, ends = _core.divide_rows(batch.column(by), parts)
    divided = batch.take(rows)
    begin = 0
    for part, end in enumerate(ends):
        if end > begin:
            yield part, divided.slice(begin, end - begin)
        begin = end


def one_batch(batches: Iterable[Batch], schema: pa.Schema) -> Batch:
    table = pa.Table.from_batches(batches, schema).combine_chunks()
    return pa.RecordBatch.from_arrays(
        [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns],
        schema=schema,
    )


def in_order(batches: Iterable[Batch], schema: pa.Schema, by: str, order: Sequence[str]) -> Batch:
    """All rows in one batch, sorted by key and then by the columns `order`."""
    whole = one_batch(batches, schema)
    columns = [whole.column(name) for name in (by, *order)]
    return whole.take(_core.sort_rows(columns))


PARTITIONS = 64
MAX_PARTITIONS = 1024
SMALL_PARTITION = 1 << 20
"""Less than this is not worth another partition."""


class Partitions:
    """Rows divided by key: in memory up to a budget, then in files, read back partition by partition."""

    def __init__(self, schema: pa.Schema, by: str, memory: int, folder: Path, size: int = 0) -> None:
        """`size` is about how many bytes will come: a partition must fit in memory while it is sorted."""
        self._schema = schema
        self._by = by
        self._memory = memory
        self._folder = folder
        fitting = size // max(memory // 2, SMALL_PARTITION)
        self._held: list[list[Batch]] = [[] for _ in range(min(max(PARTITIONS, fitting), MAX_PARTITIONS))]
        self._size = 0
        self._spilled: list[tuple[str, array[int]]] = []
        """Files, each with the places where the rows of the partitions begin and end."""

    def push(self, batch: Batch) -> None:
        for part, rows in divide(batch, self._by, len(self._held)):
            self._held[part].append(rows)
        self._size += batch.nbytes
        if self._size > self._memory:
            self._spill()

    def sorted(self, order: Sequence[str]) -> Iterator[Batch]:
        """The rows of each partition that has any, sorted by key and then by these columns."""
        for part, held in enumerate(self._held):
            rows = [*self._read(part), *held]
            held.clear()
            if rows:
                yield in_order(rows, self._schema, self._by, order)

    def _spill(self) -> None:
        path = str(self._folder / str(len(self._spilled)))
        places = array("q", [0])
        with pa.OSFile(path, "wb") as file:
            for rows in self._held:
                if rows:
                    with pa.ipc.new_stream(file, self._schema) as writer:
                        writer.write_table(pa.Table.from_batches(rows, self._schema).combine_chunks())
                    rows.clear()
                places.append(file.tell())
        self._spilled.append((path, places))
        self._size = 0

    def _read(self, part: int) -> Iterator[Batch]:
        for path, places in self._spilled:
            begin, end = places[part], places[part + 1]
            if end > begin:
                with pa.OSFile(path, "rb") as file:
                    file.seek(begin)
                    with pa.ipc.open_stream(file.read_buffer(end - begin)) as reader:
                        yield from reader
