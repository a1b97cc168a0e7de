"""Records to Arrow batches, which is what goes to the sketch pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

import pyarrow as pa

from pagekin.readers.base import Record, valid_text
from pagekin.tables import RECORDS

_SCHEMA = RECORDS.schema
_USUAL_NAMES = 4 << 10
_VALUES = attrgetter(*RECORDS.names)


def batches(
    records: Iterable[Record], max_bytes: int = 16 << 20, max_records: int = 512
) -> Iterator[pa.RecordBatch]:
    """Records in batches of the `records` schema.

    A batch is closed as soon as it holds `max_bytes` of content and long names or `max_records` records, so
    the same records always make the same batches.
    """
    held: list[Record] = []
    size = 0
    for record in records:
        held.append(record)
        size += _content_size(record) + _names_size(record)
        if size >= max_bytes or len(held) >= max_records:
            yield _batch(held)
            held, size = [], 0
    if held:
        yield _batch(held)


def _content_size(record: Record) -> int:
    if record.html is not None:
        return len(record.html)
    return 0 if record.text is None else len(record.text.encode())


def _names_size(record: Record) -> int:
    """URLs and other names are short, or made to fill the memory."""
    names = (record.url, record.content_type, record.ip, record.detail, record.id)
    size = sum(map(len, filter(None, names)))
    return size if size > _USUAL_NAMES else 0


def _batch(records: list[Record]) -> pa.RecordBatch:
    columns = zip(*map(_VALUES, records), strict=True)
    return pa.RecordBatch.from_arrays(
        [_array(list(column), field.type) for column, field in zip(columns, _SCHEMA, strict=True)],
        schema=_SCHEMA,
    )


def _array(values: list[object], kind: pa.DataType) -> pa.Array[Any]:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        # File names need not be UTF-8.
        return pa.array([valid_text(value) if isinstance(value, str) else value for value in values], kind)
