"""JSONL: one object a line, compressed or not."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import zstandard

from pagekin.read.base import Input, Position, Record, page_id, skipped
from pagekin.read.frames import READERS
from pagekin.read.options import ReadParams
from pagekin.read.rows import row_record
from pagekin.read.source import BOM, SNIFF, Source, codec_of, open_source

_PIECE = 1 << 20
_SPARE = 64 << 10  # room beside html and text in a line


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
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        # A last line without a line end is one that was being written.
        problem = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        return skipped(source, count, offset, "truncated" if last else "bad-json", problem)
    if not isinstance(row, dict):
        return skipped(source, count, offset, "bad-json", f"{type(row).__name__}, not an object")
    return row_record(source, count, offset, row, params)


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
    elif codec == "lz4":
        yield from _lz4_pieces(stored)
    else:
        yield from _frame_pieces(stored, codec)


def _frame_pieces(stored: Source, codec: str) -> Iterator[bytes]:
    # Not through FastWARC: what can still be decoded before the damage is wanted too.
    data = stored.read(SNIFF)
    while data:
        decoder: Any = (
            zlib.decompressobj(31) if codec == "gzip" else zstandard.ZstdDecompressor().decompressobj()
        )
        while not decoder.eof:
            if not data:
                data = stored.read(SNIFF)
                if not data:
                    raise _CutError("the file ends inside the compressed data")
            try:
                piece = decoder.decompress(data, _PIECE) if codec == "gzip" else decoder.decompress(data)
            except (zlib.error, zstandard.ZstdError) as error:
                raise _DamagedError(str(error)) from None
            data = decoder.unconsumed_tail if codec == "gzip" else b""
            if piece:
                yield piece
        data = decoder.unused_data or stored.read(SNIFF)
        if codec == "gzip":
            while data and not data.strip(b"\0"):
                data = stored.read(SNIFF)  # padding, as tapes and some writers leave it


def _lz4_pieces(stored: Source) -> Iterator[bytes]:
    reader = READERS["lz4"](stored)
    try:
        while piece := reader.read(4096):
            yield piece
    except OSError as error:
        if stored.failed:
            raise
        raise _DamagedError(str(error)) from None
