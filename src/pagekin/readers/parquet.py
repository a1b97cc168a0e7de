"""Parquet: rows with the columns url, html or text, and what else is known."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.errors import InputError
from pagekin.params import ReadParams
from pagekin.readers.base import Input, Position, Record, message, skipped
from pagekin.readers.parquet_pages import Chunk, stored_pages
from pagekin.readers.rows import COLUMNS, MAX_NAME, row_record
from pagekin.readers.source import SNIFF, StoredFile, is_remote, open_source

T = TypeVar("T")
RowValues: TypeAlias = dict[str, object]

INDEX_COLUMNS = {
    "file": ("filename", "warc_filename", "file"),
    "offset": ("offset", "warc_record_offset"),
    "length": ("length", "warc_record_length"),
    "url": ("url",),
    "status": ("status", "fetch_status"),
    "mime": ("mime", "content_mime_type"),
}
"""What each part of an index entry may be called: in a Parquet list, and in CDXJ."""

_KNOWN = sorted({*COLUMNS, *(name for names in INDEX_COLUMNS.values() for name in names)})

_CHUNKS = """
select row_group_id, path_in_schema, row_group_num_rows, data_page_offset, total_compressed_size,
  coalesce(dictionary_page_offset, data_page_offset)
from parquet_metadata(?) where list_contains(?, path_in_schema)
"""

_ONE_THREAD: dict[str, Any] = {"threads": 1}
_BATCH_BYTES = 8 << 20
_ANY_PIECE = 48 << 20
_PIECES = 6
"""A stored piece may be so many times as large as a page. If it holds one value, that is there five times."""
_BUFFER_BYTES = 1 << 20
_BATCH_ROWS = 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_parquet(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of a Parquet file. Offsets are row numbers."""

    def rows(stored: StoredRows) -> Iterator[Record]:
        schema = stored.file.schema_arrow
        columns = check_columns(schema, source.path)
        decoded = "html" in columns and _is_text(_plain(schema.field("html").type))

        def record(count: int, row: int, values: RowValues) -> Record:
            return row_record(source, count, row, values, params, decoded)

        return numbered_rows(source, stored, columns, record, after)

    return read_rows(source, params, after, rows)


def read_rows(
    source: Input,
    params: ReadParams,
    after: Position | None,
    rows: Callable[[StoredRows], Iterator[Record]],
) -> Iterator[Record]:
    """What the rows of a Parquet file give; one record with a reason if it cannot be opened."""
    with ExitStack() as stack:
        try:
            stored = open_parquet(source.path, stack, params)
        except pa.ArrowException as error:
            if after is None:
                yield skipped(source, 0, 0, "unreadable", message(error))
            return
        yield from rows(stored)


@dataclass(frozen=True)
class StoredRows:
    """A Parquet file to read rows of, and where it stores the columns that count."""

    file: pq.ParquetFile
    bytes: StoredFile | None
    """To look at before it is read; not there if that would fetch it twice."""
    chunks: dict[int, list[Chunk]]
    """By row group."""
    max_piece: int
    width: int
    """Bytes of each value, if a column has values of one size."""

    def batch_rows(self, group: int) -> int:
        """How many rows of a group to read at a time.

        Raises:
            ArrowInvalid: they would take too much memory, or are stored in another group's bytes.
        """
        group_data = self.file.metadata.row_group(group)
        if self.width > MAX_NAME:
            raise pa.ArrowInvalid(f"a column has values of {self.width} bytes each, more than {MAX_NAME}")
        largest: int = group_data.total_byte_size // max(1, group_data.num_rows)
        for chunk in self.chunks.get(group, []):
            if chunk.shared:
                raise pa.ArrowInvalid("they share their bytes with other rows")
            for piece in stored_pages(self.bytes, chunk) if self.bytes else ():
                if piece.size > self.max_piece:
                    raise pa.ArrowInvalid(
                        f"a column is stored in pieces of {piece.size} bytes, more than {self.max_piece}; "
                        "give more --memory"
                    )
                largest = max(largest, piece.size // max(1, piece.values))
        return max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, largest)))


def open_parquet(path: str, stack: ExitStack, params: ReadParams) -> StoredRows:
    """A Parquet file to read rows of, local or remote."""
    file = _open(path, stack)
    repeated, chunks = _layout(file)
    stored = None if is_remote(path) else stack.enter_context(closing(open_source(path)))
    file = _open(path, stack, repeated) if repeated else file
    fixed = filter(pa.types.is_fixed_size_binary, file.schema_arrow.types)
    width = max((kind.byte_width for kind in fixed), default=0)
    return StoredRows(file, stored, chunks, _ANY_PIECE + _PIECES * params.max_page_bytes, width)


def _open(path: str, stack: ExitStack, repeated: Sequence[str] = ()) -> pq.ParquetFile:
    stored: Any = stack.enter_context(closing(open_source(path))) if is_remote(path) else path
    try:
        # A column of a row group can be gigabytes: it is read as it is needed.
        return stack.enter_context(
            pq.ParquetFile(stored, pre_buffer=False, buffer_size=_BUFFER_BYTES, read_dictionary=repeated)
        )
    except (UnicodeDecodeError, KeyError) as error:
        # pyarrow looks at names only here: those of a damaged file may be no text, or differ from each other.
        raise pa.ArrowInvalid("the names of the columns are damaged") from error


def _layout(file: pq.ParquetFile) -> tuple[list[str], dict[int, list[Chunk]]]:
    """Where the columns that count are stored, and those stored as a list of values and numbers into it.

    The latter are read like that: written out, a few stored bytes can stand for a thousand copies of a large
    page. What a file says of its columns is read by DuckDB: where that is damaged, pyarrow ends the process.
    """
    with (
        tempfile.TemporaryDirectory(prefix="pagekin-") as folder,
        duckdb.connect(config=_ONE_THREAD) as database,
    ):
        footer = str(Path(folder, "footer.parquet"))
        file.metadata.write_metadata_file(footer)
        try:
            found = database.execute(_CHUNKS, [footer, _KNOWN]).fetchall()
        except duckdb.Error as error:
            raise pa.ArrowInvalid(f"what the file says of its columns is damaged: {error}") from error
    kinds = {field.name: field.type for field in file.schema_arrow}
    if any(name not in kinds for _, name, *_ in found):
        raise pa.ArrowInvalid("the names of the columns are damaged")
    repeated: set[str] = set()
    end = 0
    chunks: dict[int, list[Chunk]] = defaultdict(list)
    # By their places: one that begins before the end of another shares its bytes.
    for group, name, rows, data, size, start in sorted(found, key=lambda row: (row[5], -row[4])):
        chunks[group].append(Chunk(start, size, shared=start < end and size > 0))
        end = max(end, start + size)
        if start < data and size - (data - start) <= 8 * rows + SNIFF and _is_bytes(kinds[name]):
            repeated.add(name)
    return sorted(repeated), chunks


def parquet_format(path: str) -> str:
    """What a Parquet file holds: pages, or an index of them. A file that cannot be opened counts as pages.

    Raises:
        InputError: it has the columns of neither.
    """
    with ExitStack() as stack:
        try:
            schema = _open(path, stack).schema_arrow
        except (OSError, pa.ArrowException):
            return "parquet"
        columns = index_columns(schema.names)
        if columns and not {"html", "text"} & set(schema.names):
            _check_once(schema, columns.values(), path)
            return "parquet-index"
        check_columns(schema, path)
        return "parquet"


def index_columns(names: Iterable[str]) -> dict[str, str]:
    """The columns of an index by what they hold; none if there are no files or offsets among them."""
    there = set(names)
    found = {part: name for part, known in INDEX_COLUMNS.items() for name in known[::-1] if name in there}
    return found if {"file", "offset"} <= found.keys() else {}


def check_columns(schema: pa.Schema, path: str) -> list[str]:
    """The columns to read; an error if the needed ones are not there."""
    names = schema.names
    _check_once(schema, COLUMNS, path)
    if "url" not in names or not {"html", "text"} & set(names):
        found = ", ".join(names[:20]) or "none"
        raise InputError(
            f"{path}: needs the columns url and html (or text), or filename and offset for an index; "
            f"rename them, it has: {found}"
        )
    for name in ("url", "html", "text"):
        if name in names and not _is_bytes(schema.field(name).type):
            raise InputError(f"{path}: the column {name} must hold strings, not {schema.field(name).type}")
    return [name for name in COLUMNS if name in flat_names(schema)]


def flat_names(schema: pa.Schema) -> list[str]:
    """Columns of plain values. Lists tell nothing, and a few bytes can be one of a million numbers."""
    return [field.name for field in schema if not pa.types.is_nested(_plain(field.type))]


def _check_once(schema: pa.Schema, columns: Iterable[str], path: str) -> None:
    twice = next((name for name in columns if schema.names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{path}: the column {twice} is there more than once; leave one of them")


def numbered_rows(
    source: Input,
    stored: StoredRows,
    columns: list[str],
    make: Callable[[int, int, RowValues], T],
    after: Position | None,
) -> Iterator[T | Record]:
    """What `make` makes of each row, given its count and its number, or the row of what could not be read."""
    made = _rows_from(source, stored, columns, make, after or Position(0, 0))
    if after is not None:
        # The row that the position names is read again and dropped: it may stand for an unreadable group.
        next(made, None)
    yield from made


def _rows_from(
    source: Input,
    stored: StoredRows,
    columns: list[str],
    make: Callable[[int, int, RowValues], T],
    begin: Position,
) -> Iterator[T | Record]:
    count, row = begin.record, 0
    file = stored.file
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if row + rows <= begin.offset:
            row += rows
            continue
        group_end = row + rows
        try:
            size = stored.batch_rows(group)
            for batch in file.iter_batches(batch_size=size, row_groups=[group], columns=columns):
                skip = max(0, min(begin.offset - row, batch.num_rows))
                row += skip
                for values in _rows(batch.slice(skip)):
                    yield make(count, row, values)
                    count += 1
                    row += 1
            if row < group_end:  # Arrow takes the end of a file for that of its rows
                raise pa.ArrowInvalid("the file ends before them")
        except (OSError, pa.ArrowException) as error:
            detail = f"rows {row} to {group_end - 1}: {message(error)}"
            yield skipped(source, count, row, "unreadable", detail)
            count += 1
            row = group_end


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
    names = batch.schema.names
    values = [_values(name, batch.column(name)) for name in names]
    for row in zip(*values, strict=True):
        yield dict(zip(names, row, strict=True))


def _values(name: str, column: Any) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        used = column.indices.unique().drop_null()
        values = _values(name, column.dictionary.take(used))
        value_of = dict(zip(used.to_pylist(), values, strict=True))
        return [value_of.get(index) for index in column.indices.to_pylist()]
    if _is_bytes(column.type):
        # By way of bytes, because strings in a damaged file need not be UTF-8.
        found = column.cast(pa.large_binary()).to_pylist()
        return found if name == "html" else [_text(value) for value in found]
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        if pa.types.is_date(column.type):
            column = column.cast(pa.timestamp("s"))
        micros = column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())
        return [_date(value) for value in micros.to_pylist()]
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return [_value(value) for value in column]


def _value(scalar: Any) -> object:
    """A value that Python may have no room for, such as a million years, or a list of bytes as strings."""
    try:
        value: object = scalar.as_py()
    except (OverflowError, ValueError):
        return None
    return value


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "replace")


def _date(micros: int | None) -> datetime | None:
    try:
        return None if micros is None else _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


def _is_text(kind: pa.DataType) -> bool:
    checks = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(check(kind) for check in checks)


def _plain(kind: Any) -> pa.DataType:
    plain: pa.DataType = kind.value_type if pa.types.is_dictionary(kind) else kind
    return plain


def _is_bytes(kind: pa.DataType) -> bool:
    kind = _plain(kind)
    checks = (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_fixed_size_binary,
        pa.types.is_binary_view,
    )
    return _is_text(kind) or any(check(kind) for check in checks)
