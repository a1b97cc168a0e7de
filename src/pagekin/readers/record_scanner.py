"""Cutting a stream into WARC records, whatever is wrong with it.

Reads through FastWARC's decoders, but finds the records itself: FastWARC's own iterator stops at the first
bytes that are no record, does not tell a cut record from a whole one, and gives wrong offsets for zstd and
lz4. Here one bad record costs that record only, and all that is lost has a row that says so.

Rows depend on nothing but the bytes from their offset on, so that reading may start again at any of them.
(Not in a stream that cannot seek: it cannot be started again.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator

from pagekin.readers.base import message
from pagekin.readers.blocks import END, LARGE, START, BlockStream
from pagekin.readers.frames import Broken, BrokenFrame, Codec
from pagekin.readers.lookahead import REST
from pagekin.readers.raw_record import RawRecord, damage, field
from pagekin.readers.source import ReplayBuffer, StoredFile
from pagekin.readers.stream import AHEAD, OVERLAP

_MAX_HEAD = 64 << 10
_SEVERAL = 8
_LINE = re.compile(rb"\r?\n")
_BLANK = re.compile(rb"\r?\n\r?\n")
_REASONS = {Broken.NO_FRAME: "garbage", Broken.CORRUPT: "corrupt", Broken.TRUNCATED: "truncated"}


class RecordScanner(BlockStream):
    """The records of one WARC stream, from the stored offset `start` on."""

    def __init__(
        self,
        source: StoredFile,
        codec: Codec | None,
        hold: int,
        wanted: Callable[[RawRecord], bool],
        start: int = 0,
    ) -> None:
        super().__init__(source, codec, hold, wanted, start)
        self._offset = self._last = start  # of the row being made, and of the one before
        self._begin = self._position  # of the row being made
        self._known: RawRecord | None = None  # the record being read, as far as it is known
        self._searched = self._was_searched = False  # the next record, this one: not where it should be
        self._crowded = -1  # a frame that holds more than one record
        self._row_frame, self._frame_rows = -1, 0  # the last row's frame, and how many rows it has given

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
                if self._read_up_to(broken.start):
                    continue
                ended = False
            frame = yield from self._past(broken, ended)
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
        self._row_frame = -1

    def _records(self) -> Generator[RawRecord, None, bool]:
        """Rows up to the end, or up to where the stream was put elsewhere: then True."""
        codec = self._codec
        frame_of = None if codec is None else self._reader.frame_start_position
        while True:
            self._known = None
            begin = self._begin = self._position
            buffer, read = self._buffer, self._read
            if len(buffer) < AHEAD:
                buffer += read(AHEAD - len(buffer))
                self._buffer = buffer
                if not buffer:
                    return False
            ahead = self._ahead()
            frame = begin if frame_of is None else frame_of()
            if frame != self._row_frame:
                self._row_frame, self._frame_rows = frame, 0
            self._frame_rows += 1
            if not buffer.startswith(b"WARC/"):
                yield from self._gap()
                continue

            end = buffer.find(END, 0, _MAX_HEAD) + 4 if buffer[8:10] == b"\r\n" else 0
            while end == 3 and len(buffer) < _MAX_HEAD and buffer.find(b"WARC/", 5) < 0:
                more = read(AHEAD)
                if not more:
                    break
                buffer += more
                end = buffer.find(END, len(buffer) - len(more) - 3, _MAX_HEAD) + 4
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

            if (
                length < 0
                or length > LARGE
                or self._suspects(length)
                or (self._end is not None and position + length > self._end)
            ):
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
                    if over < REST:
                        rest += read(REST - over)
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
        found = self._find(START)
        size = self._position - position
        yield damage(self._offset, "garbage", f"{size} bytes" + ("" if found else " to the end"))

    def _odd_head(self) -> tuple[bytes, int]:
        """Headers with bare line feeds, with another record's in them, or without an end.

        If they are headers, they are given with CR LF, and with where they end in the buffer.
        """
        searched = 5
        while True:
            blank = _BLANK.search(self._buffer, max(0, searched - 5), _MAX_HEAD)
            other = START.search(self._buffer, searched, _MAX_HEAD if blank is None else blank.end())
            if other is not None:
                return b"", 0
            if blank is not None:
                return _LINE.sub(b"\r\n", self._buffer[: blank.end()]), blank.end()
            searched = max(5, len(self._buffer) - OVERLAP)
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
        found = self._find(START)
        if found or too_long:
            return damage(self._offset, "garbage", "record headers without an end")
        return damage(self._offset, "truncated", "the file ends inside the record's headers")

    def _to_next_frame(self, raw: bytes) -> bool:
        """After a bad record: if its frame holds no other, go to the next frame, whatever its length said."""
        frame = self._offset
        if frame == self._crowded:
            return False
        found = self._next_frame(frame, raw, START)
        if found is None:
            self._crowded = frame
            return False
        self._restart(found[0], self._begin + found[1])
        return True

    def _first_broken(self) -> BrokenFrame:
        """The frame that cannot be decoded."""
        assert self._codec is not None
        start = self._offset
        if isinstance(self._source, ReplayBuffer):
            start = max(start, self._source.oldest)
        return self._codec.first_broken(self._source, start) or BrokenFrame(start, Broken.CORRUPT, start)

    def _read_up_to(self, broken: int) -> bool:
        """Make the same row again without the broken frame: reading ahead, the decoder gave up on both."""
        if broken <= self._offset:
            return False
        self._searched = self._searched or self._was_searched
        self._put(self._base, self._base_position, broken)
        return self._go_back(self._begin)

    def _past(self, broken: BrokenFrame, ended: bool) -> Generator[RawRecord, None, int | None]:
        """Rows for what cannot be decoded; then the next frame that can be, if there is one.

        If the decoder has just `ended`, what it gave of the frame has its rows already.
        """
        assert self._codec is not None
        at, why, _ = broken
        several = self._row_frame == at and self._frame_rows > _SEVERAL
        frame = self._codec.next_record_frame(self._source, broken, several)
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
                end = head.find(END) + 4
                if end > 3:
                    return head[:end] if head.startswith(b"WARC/") else b""
        except OSError:
            if self._source.failed:
                raise
        return b""
