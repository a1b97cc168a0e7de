"""JSONL: one object a line, compressed or not."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from contextlib import closing

from pagekin.params import ReadParams
from pagekin.readers.base import Input, Position, Record, page_id, skipped
from pagekin.readers.frames import Broken, Codec
from pagekin.readers.inflate import Inflater
from pagekin.readers.rows import row_record
from pagekin.readers.source import BOM, SNIFF, Source, codec_of, open_source

_PIECE = 1 << 20
_SMALL_PIECE = 4 << 10
_SPARE = 64 << 10  # room beside html and text in a line
MAX_VALUES = 1_000_000
"""Values in a line. Python needs up to 24 times a line's size for lists of nothing."""
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


class _DamagedError(Exception):
    """The compressed data stops making sense."""


class _CutError(Exception):
    """The compressed data ends too early."""


def read_jsonl(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of a JSONL file. Offsets are those of the lines in the uncompressed file."""
    with closing(open_source(source.path)) as stored:
        yield from read_jsonl_stored(source, stored, params, after)


def read_jsonl_stored(
    source: Input, stored: Source, params: ReadParams, after: Position | None = None
) -> Iterator[Record]:
    """The records of an opened JSONL file."""
    codec = codec_of(stored.read(SNIFF), source.path)
    start = after.offset if after is not None and codec is None else 0
    stored.seek(start)
    first = after.record if after is not None and codec is None else 0
    last = page_id(source, after.record) if after is not None else -1
    for record in _records(source, params, _pieces(stored, codec), start, first):
        if record.page > last:
            yield record


def _records(
    source: Input, params: ReadParams, pieces: Iterator[bytes], start: int, count: int
) -> Iterator[Record]:
    lines = _Lines(pieces, start, params.max_page_bytes * 2 + _SPARE)
    try:
        for offset, line in lines:
            if offset == 0 and line is not None:
                line = line.removeprefix(BOM)
            if line is None:
                yield skipped(source, count, offset, "too-large", f"a line of more than {lines.limit} bytes")
            elif not line.strip():
                continue
            else:
                yield _line_record(source, params, count, offset, line, lines.ended)
            count += 1
    except _CutError as error:
        yield skipped(source, count, lines.start, "truncated", str(error))
    except _DamagedError as error:
        yield skipped(source, count, lines.start, "corrupt", str(error))


def _line_record(
    source: Input, params: ReadParams, count: int, offset: int, line: bytes, last: bool
) -> Record:
    if _values(line) > MAX_VALUES:
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


def _values(line: bytes) -> int:
    """How many values a line holds, or more: strings are told from the rest only where that matters."""
    found = _marks(line)
    return found if found <= MAX_VALUES else _marks(_STRING.sub(b"", line))


def _marks(text: bytes) -> int:
    return sum(map(text.count, (b",", b"[", b"{")))


class _Lines:
    """Lines with their offsets; None for one that is over the limit, of which no more is held."""

    def __init__(self, pieces: Iterator[bytes], start: int, limit: int) -> None:
        self._pieces = pieces
        self.start = start  # of the line being read
        self.limit = limit
        self.ended = False  # this is the last line, and has no line end

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        held: list[bytes] = []
        size = 0
        for piece in self._pieces:
            position = 0
            while (end := piece.find(b"\n", position)) >= 0:
                held.append(piece[position:end])
                size += end - position
                yield self.start, b"".join(held) if size <= self.limit else None
                self.start += size + 1
                held.clear()
                size, position = 0, end + 1
            size += len(piece) - position
            if size <= self.limit:
                held.append(piece[position:])
            else:
                held.clear()
        self.ended = True
        if size:
            yield self.start, b"".join(held) if size <= self.limit else None


def _pieces(stored: Source, codec: str | None) -> Iterator[bytes]:
    """The uncompressed bytes, as far as they can be had."""
    if codec is None:
        while piece := stored.read(_PIECE):
            yield piece
    elif codec == "gzip":
        yield from _gzip_pieces(stored)
    else:
        yield from _frame_pieces(stored, Codec(codec, stored))


def _gzip_pieces(stored: Source) -> Iterator[bytes]:
    # Not through FastWARC, to which the end of a cut file is an end like any other.
    inflater = Inflater(stored.read)
    while first := inflater.peek(1):
        if first == b"\0" and not inflater.peek(SNIFF).strip(b"\0"):
            inflater.skip(len(inflater.peek(SNIFF)))  # padding, as tapes and some writers leave it
            continue
        try:
            for piece in inflater.stream():
                if piece:
                    yield piece
        except EOFError:
            raise _CutError(Broken.TRUNCATED.value) from None
        except zlib.error as error:
            raise _DamagedError(str(error)) from None


def _frame_pieces(stored: Source, codec: Codec) -> Iterator[bytes]:
    reader = codec.reader(stored)
    try:
        # In small pieces: what was being read when it met the damage is lost.
        while piece := reader.read(_SMALL_PIECE):
            yield piece
    except OSError as error:
        if stored.failed:
            raise
        frame = reader.frame_start_position() or 0
        broken = codec.first_broken(stored, frame) if stored.reaches(frame) else None
        if broken is not None and broken.why is Broken.TRUNCATED:
            raise _CutError(broken.why.value) from None
        raise _DamagedError(str(error)) from None
