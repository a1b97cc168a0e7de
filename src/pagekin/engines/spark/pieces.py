"""Rows in Parquet files that workers read by themselves: they do not pass through the JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.engines.base import Batch
from pagekin.engines.parts import column_bytes

BATCH_BYTES = 8 << 20
BATCH_ROWS = 65_536
"""A batch that is read has at most so many rows, and roughly so many bytes."""

Item = TypeVar("Item", bound="Sized")

TASK_BYTES = 32 << 20
"""A task reads about this much."""

SMALL_TASK_BYTES = 1 << 20
"""Less than this is not worth another task, even if a core is idle."""


@dataclass(frozen=True)
class Piece:
    """Some row groups of a file."""

    path: str
    first: int
    last: int
    """the first that is not in it"""
    rows: int
    size: int
    """bytes in memory, roughly"""

    def read(self, schema: pa.Schema) -> Iterator[Batch]:
        wide = max(self.size // max(self.rows, 1), 1)
        with pq.ParquetFile(self.path) as file:
            yield from (
                batch.cast(schema)
                for batch in file.iter_batches(
                    min(max(BATCH_BYTES // wide, 1), BATCH_ROWS),
                    list(range(self.first, self.last)),
                    schema.names,
                    use_threads=False,
                )
            )


def pieces_of(path: str, names: Iterable[str]) -> Iterator[Piece]:
    """A file in pieces of no more than a task reads, as far as its row groups allow."""
    wanted = set(names)
    metadata = pq.read_metadata(path)
    first = rows = size = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        bytes_ = column_bytes(group, wanted)
        if size and size + bytes_ > TASK_BYTES:
            yield Piece(path, first, number, rows, size)
            first, rows, size = number, 0, 0
        rows += group.num_rows
        size += bytes_
    if rows:
        yield Piece(path, first, metadata.num_row_groups, rows, size)


class Sized(Protocol):
    """What a task reads."""

    @property
    def size(self) -> int:
        """Bytes, roughly."""


def packed(items: Sequence[Item], enough: int) -> tuple[tuple[Item, ...], ...]:
    """Things that follow each other, put together until a task has enough to read."""
    tasks: list[list[Item]] = []
    held = 0
    for item in items:
        if not tasks or held + item.size > enough:
            tasks.append([])
            held = 0
        tasks[-1].append(item)
        held += item.size
    return tuple(tuple(task) for task in tasks)


def piece_tasks(pieces: Sequence[Piece], cores: int) -> tuple[tuple[Piece, ...], ...]:
    """The pieces that each task reads; all cores get some if that is worth it."""
    total = sum(piece.size for piece in pieces)
    return packed(pieces, min(TASK_BYTES, max(SMALL_TASK_BYTES, -(-total // cores))))


@dataclass(frozen=True)
class Pieces:
    """Where a dataset begins: a task's number comes in, the rows of its pieces come out."""

    schema: pa.Schema
    tasks: tuple[tuple[Piece, ...], ...]

    @property
    def paths(self) -> list[str]:
        return list(dict.fromkeys(piece.path for task in self.tasks for piece in task))

    @property
    def size(self) -> int:
        return sum(piece.size for task in self.tasks for piece in task)

    @property
    def rows(self) -> int:
        return sum(piece.rows for task in self.tasks for piece in task)

    def __call__(self, source: Iterable[Batch] | None) -> Iterator[Batch]:
        if source is None:
            numbers: Iterable[int] = range(len(self.tasks))
        else:
            numbers = (number for batch in source for number in batch.column(0).to_pylist())
        for number in numbers:
            for piece in self.tasks[number]:
                yield from piece.read(self.schema)
