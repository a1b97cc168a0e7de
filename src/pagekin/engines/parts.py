"""Parts: how the local engine writes a step so that a kill costs one part at most.

A part is a Parquet file for each table of the step. Its mark, a small JSON file that appears in one piece
after the files are complete, says which record was the last in it. Files without a mark are overwritten.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.engines.base import Batch, Output
from pagekin.fs import write_atomically
from pagekin.readers.base import RECORD_BITS
from pagekin.tables import Table

# Where a part ends may depend on nothing but the input; see docs/decisions.
PART_RECORDS = 20_000
PART_BYTES = 256 << 20

TABLE_ROWS = 1_000_000
PIECE_ROWS = 100_000


@dataclass(frozen=True)
class PartMark:
    """A finished part: its number, its last record, and how many pages it holds."""

    part: int
    page: int
    offset: int
    pages: int
    last: bool
    """The input ends with this part."""


def finished_parts(work: Path) -> list[PartMark]:
    """The marks of an earlier attempt, in order."""
    return [PartMark(**json.loads(path.read_text())) for path in sorted(work.glob("*.done"))]


class PartWriter:
    """Cuts a stream of batches into parts."""

    def __init__(self, work: Path, outputs: Sequence[Output], done: Sequence[PartMark]) -> None:
        self.work = work
        self.outputs = outputs
        self.part = len(done)
        self.writers: list[pq.ParquetWriter] = []
        self.rows = 0
        self.bytes = 0
        self.pages = 0
        self.last: tuple[int, int] | None = None
        for output in outputs:
            (work / f"{output.table.name}.parquet").mkdir(parents=True, exist_ok=True)

    def write(self, batch: Batch) -> tuple[int, int]:
        """Adds a batch, which never spans two inputs; returns its last record: page and offset."""
        page = batch.column("page")
        if self.last is not None and page[0].as_py() >> RECORD_BITS != self.last[0] >> RECORD_BITS:
            self._end_part(last=True)
        if not self.writers:
            self._begin_part()
        for output, writer in zip(self.outputs, self.writers, strict=True):
            rows = output.project(batch)
            if rows.num_rows:
                writer.write_batch(rows)
        end = batch.num_rows - 1
        self.last = (page[end].as_py(), batch.column("offset")[end].as_py())
        self.rows += batch.num_rows
        self.pages += batch.column("reason").null_count
        self.bytes += batch.nbytes
        last = self.last
        if self.rows >= PART_RECORDS or self.bytes >= PART_BYTES:
            self._end_part(last=False)
        return last

    def finish(self) -> None:
        """Marks the last part. A stream without a record leaves one part without a row."""
        if self.part == 0 and not self.writers:
            self._begin_part()
            self.close()
        self._end_part(last=True)

    def close(self) -> None:
        for writer in self.writers:
            writer.close()
        self.writers = []

    def _begin_part(self) -> None:
        for output in self.outputs:
            path = self.work / f"{output.table.name}.parquet" / f"part-{self.part:06d}.parquet"
            self.writers.append(table_writer(path, output.table.schema))

    def _end_part(self, *, last: bool) -> None:
        if not self.writers or self.last is None:
            return
        self.close()
        mark = PartMark(self.part, self.last[0], self.last[1], self.pages, last)
        write_atomically(self.work / f"part-{self.part:06d}.done", json.dumps(asdict(mark)).encode())
        self.part += 1
        self.rows = self.bytes = self.pages = 0


def write_table(work: Path, table: Table, batches: Iterable[Batch]) -> None:
    """Writes a table that no mark needs to divide, in parts of a size that suits its readers."""
    folder = work / f"{table.name}.parquet"
    folder.mkdir(parents=True)
    source = (piece for batch in batches for piece in _pieces(batch))
    for number in itertools.count():
        rows = 0
        with table_writer(folder / f"part-{number:06d}.parquet", table.schema) as writer:
            for batch in source:
                writer.write_batch(batch.cast(table.schema))
                rows += batch.num_rows
                if rows >= TABLE_ROWS:
                    break
            else:
                return


def _pieces(batch: Batch) -> Iterator[Batch]:
    for start in range(0, batch.num_rows, PIECE_ROWS):
        yield batch.slice(start, PIECE_ROWS)


def column_bytes(group: pq.RowGroupMetaData, names: Collection[str]) -> int:
    """What these columns of a row group take in memory, roughly."""
    columns = (group.column(place) for place in range(group.num_columns))
    return sum(
        column.total_uncompressed_size for column in columns if column.path_in_schema.split(".")[0] in names
    )


class _Writer(pq.ParquetWriter):  # type: ignore[misc]
    """Says nothing when it is thrown away: what a full disk did not take has been told."""

    def __del__(self) -> None:
        with suppress(OSError):
            super().__del__()


def table_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """A Parquet writer with the settings all our tables share."""
    repeated = [f.name for f in schema if f.name in REPEATED]
    level: int | dict[str, int] = 1
    if "style" in schema.names:
        # Pages of one template share most of their minima: worth looking for, and far back.
        level = {f.name: 3 if f.name in ("style", "skeleton") else 1 for f in schema}
    return _Writer(
        path,
        schema,
        compression="zstd",
        compression_level=level,
        use_dictionary=repeated,
        data_page_size=4 << 20,
    )


def kept_writer(path: Path, schema: pa.Schema, compression: str = "snappy") -> pq.ParquetWriter:
    """A writer of files that are read once or twice and then removed: quick to write, quick to read."""
    return _Writer(
        path,
        schema,
        compression=compression,
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
    )


# Columns whose values repeat enough for a dictionary to pay.
REPEATED = {"host", "domain", "ip", "status", "charset", "input", "reason", "target_domain", "kind"}
