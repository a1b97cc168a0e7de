"""Cutting a stream into WARC records, whatever is wrong with it.

Reads through FastWARC's decoders, but finds the records itself: FastWARC's own iterator stops at the first
bytes that are no record, does not tell a cut record from a whole one, and gives wrong offsets for zstd and
lz4. Here one bad record costs that record only, and all that is lost has a row that says so.

Rows depend on nothing but the bytes from their offset on, so that reading may start again at any of them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

from pagekin.read.base import message
from pagekin.read.frames import Broken, Codec
from pagekin.read.source import Source, Tape

# Bytes read past a record to see that another one begins. A frame's start is known only for the last byte
# read, so no more than this may be read ahead: no sensible record is shorter.
_AHEAD = 256
_MAX_HEAD = 64 << 10
_FIRST = 64 << 10  # of a large block, enough to tell whether it is wanted
_LARGE = 512 << 10
_PIECE = 1 << 20
_OVERLAP = 24
_END = b"\r\n\r\n"
_START = re.compile(rb"(WARC/[01]\.\d\d?\r?\n[A-Za-z])")
_INNER = re.compile(rb"\n(WARC/[01]\.\d\d?\r?\n[A-Za-z])")  # inside a block: only at the beginning of a line
_LINE = re.compile(rb"\r?\n")
_BLANK = re.compile(rb"\r?\n\r?\n")
_REASONS = {Broken.NO_FRAME: "garbage", Broken.CORRUPT: "corrupt", Broken.TRUNCATED: "truncated"}


@dataclass(slots=True)
class Framed:
    """One record as it was found: its headers (`low` is the same in lower case) and its block.

    The block is the first `length` bytes of `front + data`. They are apart because joining them would copy
    every page once more. Of a block that was too large to hold, there is less than that.
    """

    offset: int
    head: bytes
    low: bytes
    front: bytes
    data: bytes
    length: int
    reason: str | None = None
    detail: str | None = None

    def spoiled(self, reason: str, detail: str) -> Framed:
        """The same record, not to be used."""
        return Framed(self.offset, self.head, self.low, b"", b"", 0, reason, detail)

    def too_long(self, size: int) -> Framed:
        """The record's length reaches into the next record, which begins after `size` bytes."""
        return self.spoiled("bad-length", f"{self.length} bytes, but a record begins after {size}")

    def too_short(self) -> Framed:
        """The record goes on after its length."""
        return self.spoiled("bad-length", f"{self.length} bytes, but the record does not end there")

    def cut(self, size: int) -> Framed:
        """The file ends after `size` bytes of the record."""
        return self.spoiled("truncated", f"{size} of {self.length} bytes")


def damage(offset: int, reason: str, detail: str) -> Framed:
    """A row for what is no record."""
    return Framed(offset, b"", b"", b"", b"", 0, reason, detail)


def field(head: bytes, low: bytes, name: bytes) -> bytes:
    """A header's value, or nothing. `name` is CR LF, the name in lower case, and a colon."""
    start = low.find(name)
    if start < 0:
        return b""
    start += len(name)
    return head[start : low.find(b"\r\n", start)].strip()


class Framing:
    """The records of one WARC stream, from the stored offset `start` on.

    `wanted` is asked, with its beginning, before a large block is held in memory; one over `hold` bytes never
    is.
    """

    def __init__(
        self, source: Source, codec: Codec | None, hold: int, wanted: Callable[[Framed], bool], start: int = 0
    ) -> None:
        self._source = source
        self._codec = codec
        self._hold = hold
        self._wanted = wanted
        self._reader: Any = None
        self._put(start)

    def _put(self, start: int) -> None:
        """Read on from a stored offset."""
        self._offset = start  # of the record being read, else of the one before
        self._buffer = b""  # read, but not used yet
        self._position = 0  # of the buffer's beginning in the uncompressed stream; for codecs, from `start`
        self._end: int | None = None  # the stream's last position, once known
        self._known: Framed | None = None  # the record being read, as far as it is known
        self._whole = False  # all of that record was read
        self._any = False  # a record was found since
        if self._codec is not None:
            self._reader = self._codec.reader(self._source, start)
        else:
            self._source.seek(start)
            self._reader = io.BufferedReader(self._source, 1 << 17)
            self._position, self._end = start, self._source.size()
        self._read: Callable[[int], bytes] = self._reader.read

    def __iter__(self) -> Iterator[Framed]:
        on = True
        while on:
            try:
                yield from self._records()
                yield from self._cut_frame()
                return
            except Exception as error:
                if not self._source.failed and (self._codec is None or not isinstance(error, OSError)):
                    raise
                problem = message(error)
            if not self._source.failed:
                on = yield from self._past_damage()
                continue
            if self._known is not None and self._whole:
                yield self._known
            at = self._offset if self._codec or self._known else self._position
            yield damage(at, "unreadable", problem)
            return

    def _records(self) -> Iterator[Framed]:
        codec, read = self._codec, self._read
        frame_of = None if codec is None else self._reader.frame_start_position
        while True:
            self._known = None
            buffer = self._buffer
            if len(buffer) < _AHEAD:
                buffer += read(_AHEAD - len(buffer))
                self._buffer = buffer
                if not buffer:
                    return
            ahead = len(buffer)
            frame = self._position if frame_of is None else frame_of()
            if not buffer.startswith(b"WARC/"):
                yield from self._gap()
                continue

            end = buffer.find(_END, 0, _MAX_HEAD) + 4 if buffer[8:10] == b"\r\n" else 0
            while end == 3 and len(buffer) < _MAX_HEAD:
                more = read(_AHEAD)
                if not more:
                    break
                buffer += more
                end = buffer.find(_END, len(buffer) - len(more) - 3, _MAX_HEAD) + 4
            head = buffer[:end]
            if end < 4 or head.find(b"WARC/", 5) > 0:
                self._buffer = buffer
                head, end = self._odd_head()
                if not head:
                    yield self._no_head()
                    continue
                buffer = self._buffer
            low = head.lower()
            value = field(head, low, b"\r\ncontent-length:")
            length = int(value) if value.isdigit() and len(value) < 19 else -1
            # If more was read ahead than this record has, the frame is a later one's: say the last known.
            last = self._offset
            offset = self._offset = frame if codec is None or end + length + 4 >= ahead else last
            position = self._position = self._position + end
            front = self._buffer = buffer[end:]
            known = self._known = Framed(offset, head, low, front, b"", length)
            self._whole, self._any = False, True

            if length < 0 or length > _LARGE or (self._end is not None and position + length > self._end):
                row = self._odd_length(known, value)
            else:
                row = None
                if len(front) < length:
                    known.data = read(length - len(front))
            if row is None:
                over = len(front) + len(known.data) - length
                if over < 0:
                    self._buffer += known.data
                    row = self._ended(known)
                else:
                    self._whole = True
                    rest = front[length:] if over else b""
                    if over < 4 + _AHEAD:
                        rest += read(4 + _AHEAD - over)
                    if rest.startswith(b"\r\n\r\nWARC/"):
                        self._position = position + length + 4
                        self._buffer = rest[4:]
                        yield known
                        continue
                    row = self._odd_end(known, rest)
            if row.reason is not None and codec is not None and end < ahead:
                # Its length was not to be trusted, and so neither was the frame.
                row.offset = self._offset = last
            yield row

    def _gap(self) -> Iterator[Framed]:
        """Between records: blank lines are nothing, all else is garbage."""
        blank = len(self._buffer) - len(self._buffer.lstrip(b"\r\n"))
        if blank:
            self._use(blank)
            return
        if self._codec is None:
            self._offset = self._position
        position = self._position
        found = self._find(_START)
        size = self._position - position
        yield damage(self._offset, "garbage", f"{size} bytes" + ("" if found else " to the end"))

    def _odd_head(self) -> tuple[bytes, int]:
        """Headers that have bare line feeds, or another record's in them, or no end: (b"", 0) if they are none.

        If they are, they are given with CR LF, and with where they end in the buffer.
        """
        while True:
            blank = _BLANK.search(self._buffer, 0, _MAX_HEAD)
            other = _START.search(self._buffer, 5, _MAX_HEAD if blank is None else blank.end())
            if other is not None:
                return b"", 0
            if blank is not None:
                return _LINE.sub(b"\r\n", self._buffer[: blank.end()]), blank.end()
            more = self._read(_AHEAD) if len(self._buffer) < _MAX_HEAD else b""
            if not more:
                return b"", 0
            self._buffer += more

    def _no_head(self) -> Framed:
        """A record without an end of its headers: cut off, or something else that began like a record."""
        if self._codec is None:
            self._offset = self._position
        too_long = len(self._buffer) >= _MAX_HEAD
        self._use(5)
        found = self._find(_START)
        if found or too_long:
            return damage(self._offset, "garbage", "record headers without an end")
        return damage(self._offset, "truncated", "the file ends inside the record's headers")

    def _odd_end(self, known: Framed, rest: bytes) -> Framed:
        """A record that was read, but is not followed by a blank line and another one."""
        self._buffer = (known.front + known.data)[: known.length] + rest
        stripped = rest.lstrip(b"\r\n")
        if stripped and not stripped.startswith(b"WARC/"):
            inner = _INNER.search(self._buffer, 0, known.length)
            if inner is not None:
                self._use(inner.start(1))
                return known.too_long(inner.start(1))
            if not rest.startswith(_END):
                self._use(known.length)
                self._find(_START)
                return known.too_short()
        self._use(known.length)
        return known

    def _ended(self, known: Framed) -> Framed:
        """The stream ended before the record did: the file was cut, or the record's length is wrong."""
        size = len(self._buffer)
        self._end = self._position + size
        inner = _INNER.search(self._buffer)
        if inner is not None:
            self._use(inner.start(1))
            return known.too_long(inner.start(1))
        self._use(size)
        return known.cut(size)

    def _odd_length(self, known: Framed, value: bytes) -> Framed | None:
        """A block of unknown, impossible or large length: None if it could be held, else what came of it."""
        length, begin = known.length, self._position
        if length < 0:
            self._find(_START)
            return known.spoiled("bad-length", f"Content-Length: {value.decode('latin-1')}")
        if self._end is not None and begin + length > self._end:
            found = self._find(_INNER)
            size = self._position - begin
            return known.too_long(size) if found else known.cut(size)
        missing = length - len(known.front)
        if missing > 0:
            known.data = self._read(min(_FIRST, missing))
            missing -= len(known.data)
        if length <= self._hold and self._wanted(known):
            known.data += self._read(max(0, missing))
            return None
        self._buffer += known.data
        return self._leave_out(known, begin)

    def _leave_out(self, known: Framed, begin: int) -> Framed:
        """Pass over a block without holding it; go back if its length was wrong and a record lies inside."""
        inner, ended = -1, False
        while left := begin + known.length - self._position:
            if inner < 0 and (match := _INNER.search(self._buffer, 0, left)):
                inner = self._position + match.start(1)
            if left <= len(self._buffer):
                self._use(left)
                break
            self._use(max(0, len(self._buffer) - _OVERLAP))
            more = self._read(min(_PIECE, begin + known.length - self._position - len(self._buffer)))
            if not more:
                self._use(len(self._buffer))
                self._end, ended = self._position, True
                break
            self._buffer += more
        if len(self._buffer) < 4 + _AHEAD:
            self._buffer += self._read(4 + _AHEAD - len(self._buffer))
        stripped = self._buffer.lstrip(b"\r\n")
        if not ended and (not stripped or stripped.startswith(b"WARC/")):
            return known
        if inner >= 0 and self._back_to(known, begin, inner):
            return known.too_long(inner - begin)
        if ended:
            return known.cut(self._position - begin)
        if self._buffer.startswith(_END):
            return known
        self._find(_START)
        return known.too_short()

    def _back_to(self, known: Framed, begin: int, position: int) -> bool:
        """Go back to a position in the block that began at `begin`."""
        if not self._source.seekable():
            return False
        self._buffer = b""
        if self._codec is None:
            self._reader.seek(position)
        else:
            self._reader.inner_seek(known.offset)
            head = re.compile(rb"\r?\n".join(map(re.escape, known.head.split(b"\r\n"))))
            while (found := head.search(self._buffer)) is None:
                more = self._read(_AHEAD)
                if not more:
                    return False
                self._buffer = self._buffer[-len(known.head) :] + more
            self._buffer = self._buffer[found.end() :]
            left = position - begin
            while left > len(self._buffer):
                left -= len(self._buffer)
                self._buffer = self._read(min(_PIECE, left))
            self._buffer = self._buffer[left:]
        self._position = position
        return True

    def _find(self, start: re.Pattern[bytes]) -> bool:
        """Go to the next bytes that look like a record's beginning; to the end if there are none."""
        step = _AHEAD if self._codec else _PIECE
        while True:
            match = start.search(self._buffer)
            if match is not None:
                self._use(match.start(1))
                return True
            self._use(max(0, len(self._buffer) - _OVERLAP))
            more = self._read(step)
            if not more:
                self._use(len(self._buffer))
                return False
            self._buffer += more

    def _use(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self._position += count

    def _cut_frame(self) -> Iterator[Framed]:
        """A frame that was cut so early that it gave no byte goes unseen by the decoder."""
        if self._codec is None or isinstance(self._source, Tape):
            return
        frame = self._reader.frame_start_position() or 0
        if frame < self._offset or (frame == self._offset and self._any):
            return
        if self._codec.frame_end(self._source, frame) is Broken.TRUNCATED:
            yield damage(frame, "truncated", Broken.TRUNCATED.value)

    def _past_damage(self) -> Generator[Framed, None, bool]:
        """Rows for what cannot be decoded; then go on at the next frame that can be. False if none can."""
        codec, source, known = self._codec, self._source, self._known
        assert codec is not None
        start = self._offset
        if isinstance(source, Tape):
            start = max(start, source.oldest)
        at, why = codec.first_broken(source, start) or (start, Broken.CORRUPT)
        frame = codec.next_record_frame(source, at + 1)
        detail = why.value
        if why is Broken.NO_FRAME:
            detail = f"{(source.tell() if frame is None else frame) - at} bytes"
        if known is None:
            yield damage(at, _REASONS[why], detail)
        elif self._whole and at != known.offset:
            yield known
            yield damage(at, _REASONS[why], detail)
        elif self._whole and why is Broken.TRUNCATED:
            yield known  # what is cut off is the frame's checksum
        else:
            yield known.spoiled("truncated" if why is Broken.TRUNCATED else "corrupt", why.value)
        if frame is None:
            return False
        self._put(frame)
        return True
