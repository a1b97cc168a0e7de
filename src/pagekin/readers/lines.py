"""Text files, compressed or not, line by line."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from pagekin.readers.base import Input, Position, Record, skipped
from pagekin.readers.frames import Broken, Codec
from pagekin.readers.inflate import Inflater
from pagekin.readers.source import BOM, SNIFF, StoredFile, codec_of

T = TypeVar("T")

_PIECE = 1 << 20
_SMALL_PIECE = 4 << 10


class DamagedError(Exception):
    """The compressed data stops making sense."""


class CutError(Exception):
    """The compressed data ends too early."""


def numbered_lines(
    source: Input,
    stored: StoredFile,
    limit: int,
    make: Callable[[int, int, bytes, bool], T | None],
    after: Position | None = None,
) -> Iterator[T | Record]:
    """What `make` makes of each line, or the row of what could not be read.

    `make` gets the line's number, its offset in the uncompressed file, its bytes, and whether it is the last
    and has no line end. A line of which it makes None is not counted, and neither is a blank one. A line over
    `limit` bytes is not held.
    """
    codec = codec_of(stored.read(SNIFF), source.path)
    start, count, last = 0, 0, -1 if after is None else after.record
    if after is not None and codec is None:
        start, count = after.offset, after.record
    stored.seek(start)
    lines = LineReader(pieces(stored, codec), start, limit)
    try:
        for offset, line in lines:
            if offset == 0 and line is not None:
                line = line.removeprefix(BOM)
            made: T | Record | None
            if line is None:
                made = skipped(source, count, offset, "too-large", f"a line of more than {limit} bytes")
            elif not line.strip() or (made := make(count, offset, line, lines.ended)) is None:
                continue
            if count > last:
                yield made
            count += 1
    except (CutError, DamagedError) as error:
        if count > last:
            reason = "truncated" if isinstance(error, CutError) else "corrupt"
            yield skipped(source, count, lines.start, reason, str(error))


class LineReader:
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


def pieces(stored: StoredFile, codec: str | None) -> Iterator[bytes]:
    """The uncompressed bytes, as far as they can be had."""
    if codec is None:
        while piece := stored.read(_PIECE):
            yield piece
    elif codec == "gzip":
        yield from _gzip_pieces(stored)
    else:
        yield from _frame_pieces(stored, Codec(codec, stored))


def _gzip_pieces(stored: StoredFile) -> Iterator[bytes]:
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
            raise CutError(Broken.TRUNCATED.value) from None
        except zlib.error as error:
            raise DamagedError(str(error)) from None


def _frame_pieces(stored: StoredFile, codec: Codec) -> Iterator[bytes]:
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
            raise CutError(broken.why.value) from None
        raise DamagedError(str(error)) from None
