"""Indexes of WARC and ARC files (CDX, CDXJ, Parquet lists): only the records that they name are read.

The bytes of a record are read by offset and length, those of remote files many at a time. Records come in the
order of the index. Their offset is the line's in the index, or the row's number.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO

from pagekin.errors import InputError
from pagekin.params import ReadParams
from pagekin.readers.arc import ArcReader
from pagekin.readers.archive_files import ArchiveFiles, CountedSource, OutsideError, open_counted
from pagekin.readers.base import (
    RECORD_BITS,
    Input,
    Position,
    Record,
    is_html_type,
    message,
    parse_status,
    skipped,
)
from pagekin.readers.formats import format_by_name
from pagekin.readers.lines import numbered_lines
from pagekin.readers.parquet import RowValues, StoredRows, flat_names, index_columns, numbered_rows, read_rows
from pagekin.readers.rows import MAX_NAME, as_text
from pagekin.readers.source import StoredFile, open_source
from pagekin.readers.warc import WarcReader

_MAX_LINE = 1 << 20
_SPARE = 1 << 20  # what a record may have besides its page
_GROUP = 256
_GROUP_BYTES = 32 << 20
_CDXJ = re.compile(r"(?:\S+ +\d{4,17} +)?(\{.*\})\s*", re.DOTALL)
_LETTERS = {"a": "url", "m": "mime", "s": "status", "S": "length", "V": "offset", "g": "file"}
_FIELDS = {9: "N b a m s k r V g", 10: "N b a m s k r M V g", 11: "N b a m s k r M S V g"}
_TOO_OFTEN = "the index names more of it than there is"
_UNKNOWN_TYPES = ("", "-", "unk", "no-type")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A record that an index names. `place` is the line's offset in the index, or the row's number."""

    count: int
    place: int
    file: str
    offset: int
    length: int | None
    url: str | None


def read_cdx(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records that the lines of a CDX or CDXJ file name."""
    lines = _CdxLines(source, params)
    with closing(open_source(source.path)) as stored:
        # From the beginning in any case: the first line may say what the others hold.
        entries: Iterator[IndexEntry | Record] = numbered_lines(source, stored, _MAX_LINE, lines.entry)
        yield from _read(source, params, entries, after)


def read_parquet_index(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records that the rows of a Parquet file name."""

    def rows(stored: StoredRows) -> Iterator[Record]:
        columns = index_columns(flat_names(stored.file.schema_arrow))

        def entry(count: int, row: int, values: RowValues) -> IndexEntry | Record:
            found = {part: values[name] for part, name in columns.items()}
            return _entry(source, params, count, row, found)

        entries = numbered_rows(source, stored, list(columns.values()), entry, None)
        return _read(source, params, entries, after)

    return read_rows(source, params, after, rows)


class _CdxLines:
    """Lines to entries. A CDX file's first line says which fields the others have."""

    def __init__(self, source: Input, params: ReadParams) -> None:
        self._source = source
        self._params = params
        self._letters: list[str] | None = None

    def entry(self, count: int, offset: int, line: bytes, _last: bool) -> IndexEntry | Record | None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        if text.startswith(" CDX "):
            self._letters = text.split()[1:]
            return None
        if text.startswith(("!", "#")):
            return None
        found = _json_fields(text) or self._cdx_fields(text)
        return _entry(self._source, self._params, count, offset, found)

    def _cdx_fields(self, text: str) -> dict[str, object]:
        values = text.split(" ")
        letters = self._letters or _FIELDS.get(len(values), "").split()
        if len(values) != len(letters):
            return {}
        return {
            _LETTERS[letter]: value
            for letter, value in zip(letters, values, strict=True)
            if letter in _LETTERS
        }


def _json_fields(text: str) -> dict[str, object]:
    match = _CDXJ.fullmatch(text)
    try:
        found = json.loads(match[1]) if match is not None else None
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {part: found[name] for part, name in index_columns(found).items()}


def _entry(
    source: Input, params: ReadParams, count: int, place: int, found: dict[str, object]
) -> IndexEntry | Record:
    """What an index says of a record: where it is, or why it can be no page."""
    if any(isinstance(value, str | bytes) and len(value) > MAX_NAME for value in found.values()):
        return skipped(source, count, place, "bad-index", f"a name has more than {MAX_NAME} characters")
    url = as_text(found.get("url"))
    file, offset, length = (
        as_text(found.get("file")),
        _number(found.get("offset")),
        _number(found.get("length")),
    )
    status, mime = parse_status(found.get("status")), (as_text(found.get("mime")) or "").lower()
    if file is None or offset is None:
        return skipped(source, count, place, "bad-index", "it needs a file and an offset", url)
    if mime == "warc/revisit":
        return skipped(source, count, place, "revisit", None, url)
    if status not in (None, 200) and not params.keep_errors:
        return skipped(source, count, place, "status", str(status), url)
    if mime not in _UNKNOWN_TYPES and not is_html_type(mime):
        return skipped(source, count, place, "not-html", mime, url)
    if length is not None and length > params.max_page_bytes + _SPARE:
        return skipped(source, count, place, "too-large", f"{length} bytes", url)
    return IndexEntry(count, place, file, offset, length, url)


def _read(
    source: Input, params: ReadParams, entries: Iterable[IndexEntry | Record], after: Position | None
) -> Iterator[Record]:
    """The records of the entries after a position, whose bytes are read a group at a time.

    Entries before it count too: an index may have only so much read of a file.
    """
    reader = _GroupReader(source, params, -1 if after is None else after.record)
    group: list[IndexEntry | Record] = []
    size = 0
    for entry in entries:
        group.append(entry)
        size += (entry.length or 0) if isinstance(entry, IndexEntry) else 0
        if len(group) >= _GROUP or size >= _GROUP_BYTES:
            yield from reader.records(group)
            group, size = [], 0
    yield from reader.records(group)


class _GroupReader:
    """The records of groups of entries, those after the entry `last`."""

    def __init__(self, source: Input, params: ReadParams, last: int) -> None:
        self._source = source
        self._params = params
        self._last = last
        self._files = ArchiveFiles(params.base or source.path.rpartition("/")[0], params.follow_links)

    def records(self, group: list[IndexEntry | Record]) -> Iterator[Record]:
        """Each entry's record, or why there is none."""
        refused: dict[int, str] = {}
        paths: dict[int, str] = {}
        wanted: dict[int, tuple[str, int, int]] = {}
        for number, entry in enumerate(group):
            if isinstance(entry, Record):
                continue
            try:
                path = paths[number] = self._files.path(entry.file)
            except OutsideError as error:
                refused[number] = str(error) or f"is not below {self._where()}; see --base"
                continue
            if _is_searched(entry, path):
                continue
            if not self._files.may_read(path, entry.offset, entry.length or 0):
                refused[number] = _TOO_OFTEN
            elif entry.count > self._last:
                wanted[number] = (path, entry.offset, entry.length or 0)
        parts = dict(zip(wanted, self._files.ranges(list(wanted.values())), strict=True))
        for number, entry in enumerate(group):
            if isinstance(entry, Record):
                record = entry
            elif number in refused:
                record = self._refused(entry, refused[number])
            elif number in parts:
                record = self._record(entry, paths[number], parts.pop(number))
            elif not _is_searched(entry, paths[number]):
                continue
            elif self._files.may_read(paths[number], entry.offset, 0):
                record = self._record(entry, paths[number], None)
            else:
                record = self._refused(entry, _TOO_OFTEN)
            if _count(entry) > self._last:
                yield record

    def _refused(self, entry: IndexEntry, why: str) -> Record:
        detail = f"{entry.file}: {why}"
        return skipped(self._source, entry.count, entry.place, "bad-index", detail, entry.url)

    def _where(self) -> str:
        return self._params.base or "the folder of the index"

    def _record(self, entry: IndexEntry, path: str, part: bytes | OSError | None) -> Record:
        """The one record of an entry, from its bytes or, if the length is not known, from its file."""
        source = self._source
        reader = (ArcReader if format_by_name(path) == "arc" else WarcReader)(source, self._params, path)
        try:
            if isinstance(part, OSError):
                raise part
            stored, start = (
                (open_counted(path), entry.offset) if part is None else (StoredFile(BytesIO(part)), 0)
            )
            with closing(stored):
                record = next(reader.records(stored, start, entry.count), None)
            if isinstance(stored, CountedSource):
                self._files.was_read(path, stored.count)
        except (OSError, EOFError, ValueError, zlib.error, InputError) as error:
            detail = f"{path}: {_problem(error)}"
            return skipped(source, entry.count, entry.place, "unreadable", detail, entry.url)
        if record is None:
            detail = f"{path}: nothing at offset {entry.offset}"
            return skipped(source, entry.count, entry.place, "truncated", detail, entry.url)
        record.offset = entry.place
        record.url = record.url or entry.url
        return record


def _is_searched(entry: IndexEntry, path: str) -> bool:
    """Whether the file itself is read: the length is not known, or its beginning holds a dictionary."""
    return entry.length is None or path.lower().endswith((".zst", ".zstd"))


def _count(entry: IndexEntry | Record) -> int:
    return entry.count if isinstance(entry, IndexEntry) else entry.page & ((1 << RECORD_BITS) - 1)


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value < 1 << 62 else None
    return (
        int(value)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19
        else None
    )


def _problem(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or message(error)
