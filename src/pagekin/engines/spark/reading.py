"""Reading a crawl on workers: who reads what, and the pass over it.

Inputs that follow each other share a task until it has enough to read. A large WARC file is divided among
several tasks if cores would be idle otherwise: a first pass finds where records begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import pyarrow as pa

from pagekin.engines.base import Batch, Kernel, Output
from pagekin.engines.parts import table_writer
from pagekin.engines.spark.pieces import TASK_BYTES, packed
from pagekin.engines.spark.writers import TaskFiles
from pagekin.params import ReadParams
from pagekin.readers import Input, Position, Record, batches, read_input, split_warc, stored_size

SPLIT_BYTES = 2 * TASK_BYTES
"""A smaller file is not divided: the first pass costs a quarter of what reading it does."""

POINTS = pa.schema([("number", pa.int64()), ("record", pa.int64()), ("offset", pa.int64())])


@dataclass(frozen=True)
class Share:
    """An input, or the records of it that one task reads: behind a position, up to a record."""

    input: Input
    name: str
    """what the user calls it: workers run in another folder"""
    size: int
    after: Position | None = None
    last: int | None = None

    @property
    def splits(self) -> bool:
        return self.input.format in ("warc", "wet") and self.size >= SPLIT_BYTES

    def records(self, params: ReadParams) -> Iterator[Record]:
        records = read_input(self.input, params, self.after)
        last = self.last
        return records if last is None else takewhile(lambda record: record.position.record <= last, records)

    def divided(self, points: Sequence[Position]) -> list[Share]:
        """The same records in several shares."""
        begins = [None, *points]
        ends = [*(point.record for point in points), None]
        size = self.size // len(begins)
        pairs = zip(begins, ends, strict=True)
        return [replace(self, after=after, last=last, size=size) for after, last in pairs]


def shares_of(inputs: Sequence[Input]) -> list[Share]:
    """Each input as a share."""
    return [Share(replace(one, path=absolute(one.path)), one.path, _size(one.path)) for one in inputs]


def tasks_of(shares: Sequence[Share]) -> tuple[tuple[Share, ...], ...]:
    """Shares in order; small ones that follow each other are one task."""
    return packed(shares, TASK_BYTES)


@dataclass(frozen=True)
class Split:
    """Finds where large files can be divided, a file a task."""

    shares: tuple[Share, ...]
    params: ReadParams

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        for number in (number for batch in source for number in batch.column(0).to_pylist()):
            points = split_warc(self.shares[number].input, self.params, TASK_BYTES)
            rows = [{"number": number, "record": p.record, "offset": p.offset} for p in points]
            yield pa.RecordBatch.from_pylist(rows, schema=POINTS)


@dataclass(frozen=True)
class Read:
    """Reads inputs, sketches their pages and writes the tables: nothing of it passes through the JVM."""

    tasks: tuple[tuple[Share, ...], ...]
    params: ReadParams
    kernels: tuple[Kernel, ...]
    outputs: tuple[Output, ...]
    folder: str
    batch_bytes: int

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        functions = [kernel.open(1) for kernel in self.kernels]
        schemas = {output.table.name: output.table.schema for output in self.outputs}
        files = TaskFiles(Path(self.folder), schemas, table_writer)
        numbers = (number for batch in source for number in batch.column(0).to_pylist())
        for share in (share for number in numbers for share in self.tasks[number]):
            for batch in batches(share.records(self.params), self.batch_bytes):
                batch = _named(batch, share.name)
                for function in functions:
                    batch = function(batch)
                for output in self.outputs:
                    files.write(output.table.name, output.project(batch))
        yield from files.close()


def _named(batch: Batch, name: str) -> Batch:
    """The batch with its input named as the user named it."""
    place = batch.schema.get_field_index("input")
    return batch.set_column(place, batch.schema.field(place), pa.array([name] * batch.num_rows, pa.string()))


def absolute(path: str) -> str:
    """The same path for workers that run in another folder."""
    return path if "://" in path else str(Path(path).absolute())


def _size(path: str) -> int:
    size = stored_size(path)
    return TASK_BYTES if size is None else size
