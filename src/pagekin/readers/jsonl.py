"""JSONL: one object a line, compressed or not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing

from pagekin.params import ReadParams
from pagekin.readers.base import Input, Position, Record, skipped
from pagekin.readers.lines import numbered_lines
from pagekin.readers.rows import row_record
from pagekin.readers.source import StoredFile, open_source

_SPARE = 64 << 10  # room beside html and text in a line
MAX_VALUES = 1_000_000
"""Values in a line. Python needs up to 24 times a line's size for lists of nothing."""
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def read_jsonl(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of a JSONL file. Offsets are those of the lines in the uncompressed file."""
    with closing(open_source(source.path)) as stored:
        yield from read_jsonl_stored(source, stored, params, after)


def read_jsonl_stored(
    source: Input, stored: StoredFile, params: ReadParams, after: Position | None = None
) -> Iterator[Record]:
    """The records of an opened JSONL file."""

    def record(count: int, offset: int, line: bytes, last: bool) -> Record:
        return _line_record(source, params, count, offset, line, last)

    yield from numbered_lines(source, stored, params.max_page_bytes * 2 + _SPARE, record, after)


def _line_record(
    source: Input, params: ReadParams, count: int, offset: int, line: bytes, last: bool
) -> Record:
    if values_in(line) > MAX_VALUES:
        return skipped(source, count, offset, "bad-json", f"more than {MAX_VALUES:,} values")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        # A last line without a line end is one that was being written.
        problem = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        return skipped(source, count, offset, "truncated" if last else "bad-json", problem)
    if not isinstance(row, dict):
        return skipped(source, count, offset, "bad-json", f"{type(row).__name__}, not an object")
    return row_record(source, count, offset, row, params)


def values_in(line: bytes) -> int:
    """How many values a line holds, or more: strings are told from the rest only where that matters."""
    found = _marks(line)
    return found if found <= MAX_VALUES else _marks(_STRING.sub(b"", line))


def _marks(text: bytes) -> int:
    return sum(map(text.count, (b",", b"[", b"{")))
