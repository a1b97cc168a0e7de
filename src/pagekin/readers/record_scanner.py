"""Cutting a stream into WARC records, whatever is wrong with it.

Reads through FastWARC's decoders, but finds the records itself: FastWARC's own iterator stops at the first
bytes that are no record, does not tell a cut record from a whole one, and gives wrong offsets for zstd and
lz4. Here one bad record costs that record only, and all that is lost has a row that says so.

Rows depend on nothing but the bytes from their offset on, so that reading may start again at any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator

from pagekin.readers.base import message
from pagekin.readers.frames import Broken, Codec
from pagekin.readers.raw_record import RawRecord, damage, field
from pagekin.readers.source import ReplayBuffer, Source
from pagekin.readers.stream import AHEAD, OVERLAP, PIECE, Stream

_MAX_HEAD = 64 << 10
_FIRST = 64 << 10  # of a large block, enough to tell whether it is wanted
_LARGE = 512 << 10
_END = b"\r\n\r\n"
_START = re.compile(rb"WARC/[01]\.\d\d?\r?\n[A-Za-z-]{1,40}:")
_LINE = re.compile(rb"\r?\n")
_BLANK = re.compile(rb"\r?\n\r?\n")
_REASONS = {Broken.NO_FRAME: "garbage", Broken.CORRUPT: "corrupt", Broken.TRUNCATED: "truncated"}


class RecordScanner(Stream):
    """The records of one WARC stream, from the stored offset `start` on.

    `wanted` is asked, with its beginning, before a large block is held in memory; one over `hold` bytes never
    is.
    """

    def __init__(
        self,
        source: Source,
        codec: Codec | None,
        hold: int,
        wanted: Callable[[RawRecord], bool],
        start: int = 0,
    ) -> None:
        super().__init__(source, codec, start)
        self._hold = hold
        self._wanted = wanted
        self._offset = self._last = start  # of the row being made, and of the one before
        self._begin = self._position  # of the row being made
        self._known: RawRecord | None = None  # the record being read, as far as it is known
        self._whole = False  # all of that record was read
        self._searched = self._was_searched = False  # the next record, this one: not where it should be
        self._crowded = -1  # a frame that holds more than one record

    def __iter__(self) -> Iterator[RawRecord]:
        while True:
            try:
                moved = yield from self._records()
                if moved:
                    continue
                self._known = None
                if self._limit is not None:
                    self._restart(self._limit)
                    continue
                broken = self._cut_frame()
                if broken is None:
                    return
                ended = True
            except Exception as error:
                if self._source.failed:
                    if self._known is not None and self._whole:
                        yield self._known
                    at = self._offset if self._codec or self._known else self._position
                    yield damage(at, "unreadable", message(error))
                    return
                if self._codec is None or not isinstance(error, OSError):
                    raise
                broken = self._first_broken()
                if self._read_up_to(broken[0]):
                    continue
                ended = False
            frame = yield from self._past(*broken, ended)
            if frame is None:
                return
            self._restart(frame)

    def _restart(self, frame: int, position: int | None = None) -> None:
        """Go on at a frame, with nothing remembered."""
        self._put(frame, position)
        self._offset = self._last = frame
        self._begin = self._position
        self._known = None
        self._searched = self._was_searched = False

    def _records(self) -> Generator[RawRecord, None, bool]:
        """Rows up to the end, or up to where the stream was put elsewhere: then True."""
        codec, read = self._codec, self._read
        frame_of = None if codec is None else self._reader.frame_start_position
        while True:
            self._known = None
            begin = self._begin = self._position
            buffer = self._buffer
            if len(buffer) < AHEAD:
                buffer += read(AHEAD - len(buffer))
                self._buffer = buffer
                if not buffer:
                    return False
            ahead = len(buffer)
            frame = begin if frame_of is None else frame_of()
            if not buffer.startswith(b"WARC/"):
                yield from self._gap()
                continue

            end = buffer.find(_END, 0, _MAX_HEAD) + 4 if buffer[8:10] == b"\r\n" else 0
            while end == 3 and len(buffer) < _MAX_HEAD:
                more = read(AHEAD)
                if not more:
                    break
                buffer += more
                end = buffer.find(_END, len(buffer) - len(more) - 3, _MAX_HEAD) + 4
            head = raw = buffer[:end]
            if end < 4 or head.find(b"WARC/", 5) > 0:
                self._buffer = buffer
                head, end = self._odd_head()
                if not head:
                    yield self._no_head()
                    continue
                buffer = self._buffer
                raw = buffer[:end]
            low = head.lower()
            value = field(head, low, b"\r\ncontent-length:")
            length = int(value) if value.isdigit() and len(value) < 19 else -1
            last = self._offset
            # If more was read ahead than this record has, the frame may be a later one's: say the last known.
            # So too if it was searched for and does not begin the frame: who starts there finds another.
            searched = self._was_searched = self._searched
            if codec is None or (
                AHEAD <= ahead <= end + length and (not searched or self._begins(frame, raw))
            ):
                self._offset = frame
            self._searched = False
            self._last = last
            position = self._position = begin + end
            front = self._buffer = buffer[end:]
            known = self._known = RawRecord(self._offset, head, low, front, b"", length)
            self._whole = False

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
                    if over < 4 + AHEAD:
                        rest += read(4 + AHEAD - over)
                    if rest.startswith(b"\r\n\r\nWARC/"):
                        self._position = position + length + 4
                        self._buffer = rest[4:]
                        yield known
                        continue
                    row = self._odd_end(known, rest)
            if row.reason is None or codec is None:
                yield row
            elif end < ahead:
                # Its length was not to be trusted, and so neither was the frame.
                row.offset = self._offset = last
                self._searched = True
                yield row
            else:
                yield row
                self._searched = True
                if self._to_next_frame(raw):
                    return True

    def _gap(self) -> Iterator[RawRecord]:
        """Between records: blank lines are nothing, all else is garbage."""
        blank = len(self._buffer) - len(self._buffer.lstrip(b"\r\n"))
        if blank:
            self._use(blank)
            return
        if self._codec is None:
            self._offset = self._position
        position = self._position
        self._searched = True
        if len(self._buffer) < 5 and b"WARC/".startswith(self._buffer):
            yield self._no_head()
            return
        found = self._find(_START)
        size = self._position - position
        yield damage(self._offset, "garbage", f"{size} bytes" + ("" if found else " to the end"))

    def _odd_head(self) -> tuple[bytes, int]:
        """Headers with bare line feeds, with another record's in them, or without an end.

        If they are headers, they are given with CR LF, and with where they end in the buffer.
        """
        while True:
            blank = _BLANK.search(self._buffer, 0, _MAX_HEAD)
            other = _START.search(self._buffer, 5, _MAX_HEAD if blank is None else blank.end())
            if other is not None:
                return b"", 0
            if blank is not None:
                return _LINE.sub(b"\r\n", self._buffer[: blank.end()]), blank.end()
            more = self._read(AHEAD) if len(self._buffer) < _MAX_HEAD else b""
            if not more:
                return b"", 0
            self._buffer += more

    def _no_head(self) -> RawRecord:
        """A record without an end of its headers: cut off, or something else that began like a record."""
        if self._codec is None:
            self._offset = self._position
        too_long = len(self._buffer) >= _MAX_HEAD
        self._searched = True
        self._use(5)
        found = self._find(_START)
        if found or too_long:
            return damage(self._offset, "garbage", "record headers without an end")
        return damage(self._offset, "truncated", "the file ends inside the record's headers")

    def _odd_end(self, known: RawRecord, rest: bytes) -> RawRecord:
        """A record that was read, but is not followed by a blank line and another one."""
        self._buffer = (known.front + known.data)[: known.length] + rest
        stripped = rest[: 4 + AHEAD].lstrip(b"\r\n")
        if stripped and not stripped.startswith(b"WARC/"):
            inner = _START.search(self._buffer, 0, known.length + OVERLAP)
            if inner is not None and inner.start() < known.length:
                self._use(inner.start())
                return known.too_long(inner.start())
            if not rest.startswith(_END):
                self._use(known.length)
                self._find(_START)
                return known.too_short()
        self._use(known.length)
        return known

    def _to_next_frame(self, raw: bytes) -> bool:
        """After a bad record: if its frame holds no other, go to the next frame, whatever its length said."""
        frame = self._offset
        if frame == self._crowded:
            return False
        found = self._next_frame(frame, raw, _START)
        if found is None:
            self._crowded = frame
            return False
        self._restart(found[0], self._begin + found[1])
        return True

    def _ended(self, known: RawRecord) -> RawRecord:
        """The stream ended before the record did: the file was cut, or the record's length is wrong."""
        begin, size = self._position, len(self._buffer)
        self._end = begin + size
        inner = _START.search(self._buffer)
        if inner is None:
            block = self._buffer
            self._use(size)
            return self._cut(known, size, block)
        # The same as when the end is known beforehand, so that the rows are.
        if not self._go_back(begin + inner.start()):
            self._use(inner.start())
        return known.too_long(inner.start())

    def _cut(self, known: RawRecord, size: int, block: bytes | None = None) -> RawRecord:
        """The file ends after `size` bytes of the block; which are `block`, if they could be held."""
        if self._limit is None and block is not None:
            return known.cut(block)
        if self._limit is None:
            return known.spoiled("truncated", f"{size} of {known.length} bytes")
        return known.spoiled("corrupt", f"{size} of {known.length} bytes, then damaged data")

    def _odd_length(self, known: RawRecord, value: bytes) -> RawRecord | None:
        """A block of unknown, impossible or large length: None if it could be held, else what came of it."""
        length, begin = known.length, self._position
        if length < 0:
            self._find(_START)
            return known.spoiled("bad-length", f"Content-Length: {value.decode('latin-1')}")
        if self._end is not None and begin + length > self._end:
            found = self._find(_START)
            size = self._position - begin
            if found:
                return known.too_long(size)
            block = None
            if length <= self._hold and self._go_back(begin):
                block = self._read(size)
                self._position += size
            return self._cut(known, size, block)
        missing = length - len(known.front)
        if missing > 0:
            known.data = self._read(min(_FIRST, missing))
            missing -= len(known.data)
        if length <= self._hold and self._wanted(known):
            known.data += self._read(max(0, missing))
            return None
        self._buffer += known.data
        return self._leave_out(known, begin)

    def _leave_out(self, known: RawRecord, begin: int) -> RawRecord:
        """Pass over a block without holding it; if a record seems to begin inside, hold it from there on."""
        end, inner = begin + known.length, -1
        while True:
            missing = end - self._position + 4 + AHEAD - len(self._buffer)
            more = self._read(min(PIECE, missing)) if missing > 0 else b""
            self._buffer += more
            match = _START.search(self._buffer) if inner < 0 else None
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
        stripped = self._buffer[block : block + 4 + AHEAD].lstrip(b"\r\n")
        if not ended and (not stripped or stripped.startswith(b"WARC/")):
            self._use(block)
            return known
        # At the end go back in any case: the rows must be the same as when the end is known beforehand.
        if inner >= 0 and ((self._position == inner and not ended) or self._go_back(inner)):
            return known.too_long(inner - begin)
        self._use(block)
        if ended:
            return self._cut(known, end - begin)
        if not self._buffer.startswith(_END):
            self._find(_START)
            return known.too_short()
        return known

    def _cut_frame(self) -> tuple[int, Broken] | None:
        """The last frame, if it was cut: to some decoders, that is an end like any other."""
        if self._codec is None:
            return None
        frame = self._reader.frame_start_position()
        if frame is None:
            frame = self._base
        if not self._source.reaches(frame):
            return None
        if frame == self._base and self._reader.tell() & 0xFFFFFFFF == self._codec.last_size(self._source):
            return None  # one frame for all, and long: do not decode it twice
        return self._codec.first_broken(self._source, frame, decode=False)

    def _first_broken(self) -> tuple[int, Broken]:
        """The frame that cannot be decoded."""
        assert self._codec is not None
        start = self._offset
        if isinstance(self._source, ReplayBuffer):
            start = max(start, self._source.oldest)
        return self._codec.first_broken(self._source, start) or (start, Broken.CORRUPT)

    def _read_up_to(self, broken: int) -> bool:
        """Make the same row again without the broken frame: reading ahead, the decoder gave up on both."""
        if broken <= self._offset:
            return False
        self._searched = self._searched or self._was_searched
        self._put(self._base, self._base_position, broken)
        return self._go_back(self._begin)

    def _past(self, at: int, why: Broken, ended: bool) -> Generator[RawRecord, None, int | None]:
        """Rows for what cannot be decoded; then the next frame that can be, if there is one.

        If the decoder has just `ended`, what it gave of the frame has its rows already.
        """
        assert self._codec is not None
        frame = self._codec.next_record_frame(self._source, at + 1)
        detail = why.value
        if why is Broken.NO_FRAME:
            detail = f"{(self._source.tell() if frame is None else frame) - at} bytes"
        known, head = self._known, self._head_at(at)
        if known is not None and self._whole and (at > known.offset or why is Broken.TRUNCATED):
            yield known  # the damage is behind it, or only its frame's checksum is cut off
            known = None if at > known.offset else known
        elif known is not None and known.head != head:
            known.offset = self._offset if len(known.head) >= AHEAD else self._last
            yield known.spoiled("truncated" if why is Broken.TRUNCATED else "corrupt", why.value)
        else:
            known = None
        if known is None and not (ended and self._codec.reader(self._source, at).read(1)):
            yield RawRecord(at, head, head.lower(), b"", b"", 0, _REASONS[why], detail)
        return frame

    def _head_at(self, frame: int) -> bytes:
        """The headers with which a broken frame begins, if so much of it can be decoded."""
        assert self._codec is not None
        head = b""
        try:
            reader = self._codec.reader(self._source, frame)
            while len(head) < _MAX_HEAD and (more := reader.read(64)):
                head += more
                end = head.find(_END) + 4
                if end > 3:
                    return head[:end] if head.startswith(b"WARC/") else b""
        except OSError:
            if self._source.failed:
                raise
        return b""
