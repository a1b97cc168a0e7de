"""Parquet: rows with the columns url, html or text, and what else is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.errors import InputError
from pagekin.params import ReadParams
from pagekin.readers.base import Input, Position, Record, message, skipped
from pagekin.readers.rows import COLUMNS, row_record
from pagekin.readers.source import SNIFF, is_remote, open_source

_BATCH_BYTES = 8 << 20
_BATCH_ROWS = 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_parquet(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of a Parquet file. Offsets are row numbers."""
    with ExitStack() as stack:
        try:
            file = _open(source.path, stack)
        except pa.ArrowException as error:
            yield skipped(source, 0, 0, "unreadable", message(error))
            return
        columns = check_columns(file.schema_arrow, source.path)
        # The row that the position names is read again and dropped: it may stand for an unreadable group.
        records = _records(source, params, file, columns, after or Position(0, 0))
        if after is not None:
            next(records, None)
        yield from records


def _open(path: str, stack: ExitStack) -> pq.ParquetFile:
    stored: Any = stack.enter_context(closing(open_source(path))) if is_remote(path) else path
    file = stack.enter_context(pq.ParquetFile(stored))
    repeated = _repeated(file)
    if not repeated:
        return file
    return stack.enter_context(pq.ParquetFile(stored, read_dictionary=repeated))


def _repeated(file: pq.ParquetFile) -> list[str]:
    """Columns stored as a list of values and numbers into it.

    They are read like that: written out, a few stored bytes can stand for a thousand copies of a large page.
    """
    found = set()
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group)
        for index in range(rows.num_columns):
            chunk = rows.column(index)
            if chunk.path_in_schema in ("url", "html", "text") and chunk.has_dictionary_page:
                numbers = chunk.total_compressed_size - (
                    chunk.data_page_offset - chunk.dictionary_page_offset
                )
                if numbers <= 8 * rows.num_rows + SNIFF:
                    found.add(chunk.path_in_schema)
    return sorted(found)


def check_file(path: str) -> None:
    """An error if the needed columns are not there. A file that cannot be opened at all is no matter here."""
    with ExitStack() as stack:
        try:
            schema = _open(path, stack).schema_arrow
        except (OSError, pa.ArrowException):
            return
        check_columns(schema, path)


def check_columns(schema: pa.Schema, path: str) -> list[str]:
    """The columns to read; an error if the needed ones are not there."""
    names = schema.names
    twice = next((name for name in COLUMNS if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{path}: the column {twice} is there more than once; leave one of them")
    if "url" not in names or not {"html", "text"} & set(names):
        found = ", ".join(names[:20]) or "none"
        raise InputError(f"{path}: needs the columns url and html (or text); rename them, it has: {found}")
    for name in ("url", "html", "text"):
        if name in names and not _is_bytes(schema.field(name).type):
            raise InputError(f"{path}: the column {name} must hold strings, not {schema.field(name).type}")
    return [name for name in COLUMNS if name in names]


def _records(
    source: Input, params: ReadParams, file: pq.ParquetFile, columns: list[str], begin: Position
) -> Iterator[Record]:
    count, row = begin.record, 0
    decoded = "html" in columns and _is_text(_plain(file.schema_arrow.field("html").type))
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if row + rows <= begin.offset:
            row += rows
            continue
        group_end = row + rows
        size = max(1, file.metadata.row_group(group).total_byte_size // max(1, rows))
        batches = file.iter_batches(
            batch_size=max(1, min(_BATCH_ROWS, _BATCH_BYTES // size)), row_groups=[group], columns=columns
        )
        try:
            for batch in batches:
                skip = max(0, min(begin.offset - row, batch.num_rows))
                row += skip
                for values in _rows(batch.slice(skip)):
                    yield row_record(source, count, row, values, params, decoded)
                    count += 1
                    row += 1
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
    return list(column.to_pylist())


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
