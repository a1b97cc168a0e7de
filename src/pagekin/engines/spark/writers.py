"""Workers that write files, each under a name of its own.

A task that is tried again writes the same rows anew, under another name. Only files that Spark has heard of
count.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pagekin.engines.base import Batch
from pagekin.engines.groups import one_batch
from pagekin.engines.parts import PIECE_ROWS, kept_writer, table_writer
from pagekin.engines.spark.workers import Chain
from pagekin.tables import Table

WRITTEN = pa.schema(
    [("part", pa.int64()), ("name", pa.string()), ("file", pa.string()), ("rows", pa.int64())]
)
"""What comes back from a worker that wrote a file: of which partition and table, and how many rows."""

GROUP_BYTES = 16 << 20
"""Rows of a kept file are in groups of about this size, so that several tasks can read it."""


@dataclass(frozen=True)
class Keep:
    """Writes the rows of a partition as a file for later verbs of the same step."""

    chain: Chain
    folder: str

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        files = TaskFiles(Path(self.folder), {"": self.chain.schema}, kept_writer)
        held: list[Batch] = []
        size = 0
        for batch in self.chain(source):
            held.append(batch)
            size += batch.nbytes
            if size >= GROUP_BYTES:
                files.write("", one_batch(held, self.chain.schema))
                held, size = [], 0
        if held:
            files.write("", one_batch(held, self.chain.schema))
        yield from files.close()


@dataclass(frozen=True)
class Write:
    """Writes the rows of a partition as a part of a table. With `keys` it sorts them first."""

    chain: Chain
    table: Table
    folder: str
    sort: bool

    def __call__(self, source: Iterable[Batch]) -> Iterator[Batch]:
        files = TaskFiles(Path(self.folder), {self.table.name: self.table.schema}, table_writer)
        rows: Iterable[Batch] = (batch.cast(self.table.schema) for batch in self.chain(source))
        if self.sort:
            whole = one_batch(rows, self.table.schema)
            order = pc.sort_indices(whole, sort_keys=list(self.table.keys), null_placement="at_end")
            rows = [whole.take(order)]
        for batch in rows:
            files.write(self.table.name, batch)
        yield from files.close()


class TaskFiles:
    """Parquet files of one task."""

    def __init__(
        self,
        folder: Path,
        schemas: dict[str, pa.Schema],
        writer: Callable[[Path, pa.Schema], pq.ParquetWriter],
    ) -> None:
        own = uuid.uuid4().hex
        self._paths = {name: folder / (f"{name}.parquet" if name else "") / own for name in schemas}
        self._writers = {name: writer(self._paths[name], schema) for name, schema in schemas.items()}
        self._rows = dict.fromkeys(schemas, 0)

    def write(self, name: str, rows: Batch) -> None:
        for start in range(0, rows.num_rows, PIECE_ROWS):
            self._writers[name].write_batch(rows.slice(start, PIECE_ROWS))
        self._rows[name] += rows.num_rows

    def close(self) -> Iterator[Batch]:
        """Says what was written, once it is complete."""
        for writer in self._writers.values():
            writer.close()
        part = _partition()
        rows = [(part, name, str(self._paths[name]), count) for name, count in self._rows.items()]
        yield pa.RecordBatch.from_pylist(
            [dict(zip(WRITTEN.names, row, strict=True)) for row in rows], schema=WRITTEN
        )


def _partition() -> int:
    from pagekin.engines.spark.session import partition_number

    return partition_number()
