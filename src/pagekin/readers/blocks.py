"""The block of one record: read it, pass over it, or find out that its length is wrong.

Work is linear in the input. A wrong length is found out by reading up to where it points, and the block is
searched again from its beginning. After the first such record, lengths are checked before they are followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pagekin.readers.frames import Codec
from pagekin.readers.lookahead import REST, ends_record
from pagekin.readers.raw_record import RawRecord
from pagekin.readers.source import StoredFile
from pagekin.readers.stream import OVERLAP, PIECE, Stream

LARGE = 512 << 10
SHORT = 4 << 10
"""Bytes that may be read without finding a record, for each record of a plain file. In others less is."""
END = b"\r\n\r\n"
START = re.compile(rb"WARC/[01]\.\d\d?\r?\n[A-Za-z-]{1,40}:")
_FIRST = 64 << 10  # of a large block, enough to tell whether it is wanted
_PATIENCE = 16  # wrong lengths that a stream may have before no length is followed past another record


class BlockStream(Stream):
    """A stream whose records' blocks are read with care.

    `wanted` is asked, with its beginning, before a large block is held in memory; one over `hold` bytes never
    is.
    """

    def __init__(
        self,
        source: StoredFile,
        codec: Codec | None,
        hold: int,
        wanted: Callable[[RawRecord], bool],
        start: int,
    ) -> None:
        super().__init__(source, codec, start)
        self._hold = hold
        self._wanted = wanted
        self._whole = False  # all of the record being read was read
        self._wrong_lengths = 0

    def _odd_end(self, known: RawRecord, rest: bytes) -> RawRecord:
        """A record that was read, but is not followed by a blank line and another one."""
        self._buffer = (known.front + known.data)[: known.length] + rest
        if not ends_record(rest):
            inner = START.search(self._buffer, 0, known.length + OVERLAP)
            if inner is not None and inner.start() < known.length:
                return self._too_long(known, self._position, self._position + inner.start())
            if not rest.startswith(END):
                self._use(known.length)
                self._find(START)
                return known.too_short()
        self._use(known.length)
        return known

    def _ended(self, known: RawRecord) -> RawRecord:
        """The stream ended before the record did: the file was cut, or the record's length is wrong."""
        begin, size = self._position, len(self._buffer)
        self._end = begin + size
        inner = START.search(self._buffer)
        if inner is None:
            block = self._buffer
            self._use(size)
            return self._cut(known, size, block)
        return self._too_long(known, begin, begin + inner.start())

    def _too_long(self, known: RawRecord, begin: int, inner: int) -> RawRecord:
        """A record begins at `inner`, inside of the block that begins at `begin`: go there.

        By searching it again where that is possible: so it is found when the length is checked beforehand,
        and the rows must be the same.
        """
        self._wrong_lengths += 1
        if self._go_back(begin):
            self._find(START)
        else:
            self._use(inner - self._position)
            self._trim()
        return known.too_long(inner - begin)

    def _cut(self, known: RawRecord, size: int, block: bytes | None = None) -> RawRecord:
        """The file ends after `size` bytes of the block; which are `block`, if they could be held."""
        if self._limit is None and block is not None and self._file_ends():
            return known.cut(block)
        if self._limit is None:
            return known.spoiled("truncated", f"{size} of {known.length} bytes")
        return known.spoiled("corrupt", f"{size} of {known.length} bytes, then damaged data")

    def _odd_length(self, known: RawRecord, value: bytes) -> RawRecord | None:
        """A block of unknown, impossible or large length: None if it could be held, else what came of it."""
        length, begin = known.length, self._position
        if length < 0:
            self._find(START)
            return known.spoiled("bad-length", f"Content-Length: {value.decode('latin-1')}")
        if self._end is not None and begin + length > self._end:
            found = self._find(START)
            size = self._position - begin
            if found:
                return known.too_long(size)
            block = None
            if length <= self._hold and self._go_back(begin):
                block = self._read(size)
                self._position += size
            return self._cut(known, size, block)
        if self._suspects(length) and not self._may_end(begin, begin + length):
            return self._search_block(known, begin)
        missing = length - len(known.front)
        if missing > 0:
            known.data = self._read(min(_FIRST, missing))
            missing -= len(known.data)
        if length <= LARGE or (length <= self._hold and self._wanted(known)):
            known.data += self._read(max(0, missing))
            return None
        self._buffer += known.data
        return self._leave_out(known, begin)

    def _suspects(self, length: int) -> bool:
        """Whether to check a length before it is followed."""
        return self._wrong_lengths > 0 and (length > SHORT or self._codec is not None)

    def _may_end(self, begin: int, end: int) -> bool:
        """Whether to follow a length. If it cannot be checked, yes, until too many were wrong."""
        ends = self._ends_at(begin, end)
        return ends or (ends is None and (self._source.seekable() or self._wrong_lengths < _PATIENCE))

    def _search_block(self, known: RawRecord, begin: int) -> RawRecord:
        """Read a block of which another record is likely to begin inside: up to there, or all of it."""
        end, held = begin + known.length, known.length <= self._hold
        keep = known.length if held else len(known.front) + _FIRST
        pieces: list[bytes] = []
        ended, steps = False, self._steps()
        while True:
            match = START.search(self._buffer)
            if match is not None and self._position + match.start() < end:
                self._use(match.start())
                self._trim()
                return known.too_long(self._position - begin)
            missing = end + REST - self._position - len(self._buffer)
            if missing <= 0 or ended:
                break
            passed = min(max(0, len(self._buffer) - OVERLAP), end - self._position)
            if self._position - begin < keep:
                pieces.append(self._buffer[:passed])
            self._use(passed)
            more = self._read(min(next(steps), missing))
            self._buffer += more
            ended = not more
        block = self._buffer[: end - self._position]
        self._use(len(block))
        if self._position < end:
            self._end = self._position
            return self._cut(known, self._position - begin, b"".join([*pieces, block]) if held else None)
        known.front, known.data = b"", b"".join([*pieces, block] if held else pieces)
        self._whole = held
        if ends_record(self._buffer) or self._buffer.startswith(END):
            return known
        self._find(START)
        return known.too_short()

    def _leave_out(self, known: RawRecord, begin: int) -> RawRecord:
        """Pass over a block without holding it; if a record seems to begin inside, hold it from there on."""
        end, inner = begin + known.length, -1
        while True:
            missing = end - self._position + REST - len(self._buffer)
            more = self._read(min(PIECE, missing)) if missing > 0 else b""
            self._buffer += more
            match = START.search(self._buffer) if inner < 0 else None
            if match is not None and self._position + match.start() < end:
                inner = self._position + match.start()
                self._use(match.start())
            if not more or missing <= len(more):
                break
            if inner < 0 or len(self._buffer) > self._hold:
                self._use(min(end - self._position, len(self._buffer) - OVERLAP))
        ended = self._position + len(self._buffer) < end
        if ended:
            end = self._end = self._position + len(self._buffer)
        block = end - self._position
        if not ended and ends_record(self._buffer[block : block + REST]):
            self._use(block)
            return known
        if inner >= 0 and (self._position == inner or self._source.seekable()):
            return self._too_long(known, begin, inner)
        self._use(block)
        if ended:
            return self._cut(known, end - begin)
        if not self._buffer.startswith(END):
            self._find(START)
            return known.too_short()
        return known
