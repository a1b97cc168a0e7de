"""A place in a stored stream, plain or compressed, that can be moved on and, if need be, back."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from pagekin.readers.frames import Broken, BrokenFrame, Codec
from pagekin.readers.lookahead import REST, Lookahead, ends_record
from pagekin.readers.source import SNIFF, FileSlice, StoredFile

# Bytes read past a record to see that another one begins. A frame's start is known only for the last byte
# read, so no more than this may be read ahead: no sensible record is shorter.
AHEAD = 256
PIECE = 1 << 20
OVERLAP = 64  # what a record's beginning needs to be recognised
_SEARCH = 64 << 10  # no more than the reader of a plain file holds, so that going back in it costs nothing
_MANY_BYTES = 4 * AHEAD


class _Unread:
    """Bytes that were read and are to be read again, and then the stream they came from."""

    def __init__(self, data: bytes, read: Callable[[int], bytes]) -> None:
        self._data = data
        self._index = 0
        self._read = read
        self._passed = False  # something after the data was read

    @property
    def left(self) -> int:
        return len(self._data) - self._index

    def rest(self) -> bytes:
        return self._data[self._index :]

    def read(self, size: int) -> bytes:
        piece = self._data[self._index : self._index + size]
        self._index += len(piece)
        if len(piece) < size:
            more = self._read(size - len(piece))
            self._passed = self._passed or bool(more)
            piece = piece + more if piece else more
        return piece

    def step_back(self, count: int) -> bool:
        """Read the last bytes again, if they are of these: without a copy."""
        if self._passed or count > self._index:
            return False
        self._index -= count
        return True


class Stream:
    """The uncompressed bytes of a stored file from `start` on; what was read and not used yet is a buffer.

    A position counts uncompressed bytes. In a plain file it is the stored offset; in a compressed one it
    counts from wherever counting began.
    """

    def __init__(self, source: StoredFile, codec: Codec | None, start: int) -> None:
        self._source = source
        self._codec = codec
        self._end: int | None = None  # the last position, once known
        self._lookahead: Lookahead | None = None
        self._frame_begin = -1, b""  # what the frame at an offset begins with
        self._put(start)

    def _put(self, start: int, position: int | None = None, limit: int | None = None) -> None:
        """Go to a stored offset, and its position if known. Leave out what is stored from `limit` on."""
        self._buffer = b""
        self._unread: _Unread | None = None
        self._limit = limit
        self._base = start
        self._reader: Any
        if self._codec is not None:
            file = self._source if limit is None else FileSlice(self._source, 0, limit)
            self._reader = self._codec.reader(file, start)
            if position is None or limit is not None:
                self._end = self._lookahead = None
            self._position = self._base_position = position or 0
        else:
            self._source.seek(start)
            self._reader = io.BufferedReader(self._source, 2 * _SEARCH)
            self._position, self._end = start, self._source.size()
        self._read: Callable[[int], bytes] = self._reader.read

    def _cut_frame(self) -> BrokenFrame | None:
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

    def _file_ends(self) -> bool:
        """Whether the bytes ended because the file does, and not because a frame is damaged."""
        if self._codec is None:
            return True
        if not self._source.reaches(self._reader.frame_start_position() or self._base):
            return False
        here = self._source.tell()
        broken = self._cut_frame()
        # A record that was cut in the middle of a file takes in the frames behind it.
        ends = broken is None or (
            broken.why is Broken.TRUNCATED
            and self._codec.next_record_frame(self._source, broken, several=False) is None
        )
        self._source.seek(here)
        return ends

    def _use(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self._position += count

    def _trim(self) -> None:
        """Keep the buffer short: each record takes its bytes off it, which copies the rest."""
        spare = len(self._buffer) - AHEAD
        if len(self._buffer) <= _MANY_BYTES:
            return
        if self._codec is None and self._source.seekable():
            self._reader.seek(-spare, io.SEEK_CUR)
        elif self._unread is None or not self._unread.step_back(spare):
            rest = b"" if self._unread is None else self._unread.rest()
            self._unread = _Unread(self._buffer[AHEAD:] + rest, self._reader.read)
            self._read = self._unread.read
        self._buffer = self._buffer[:AHEAD]

    def _ahead(self) -> int:
        """How many bytes were read past the position."""
        if self._unread is None:
            return len(self._buffer)
        if not self._unread.left:
            self._unread, self._read = None, self._reader.read
            return len(self._buffer)
        return len(self._buffer) + self._unread.left

    def _steps(self) -> Iterator[int]:
        """How many bytes to read at a time in a search: few at first, since all of it is copied."""
        step = 2 * AHEAD
        while self._codec is None and step < _SEARCH:
            yield step
            step *= 2
        yield from repeat(_SEARCH if self._codec is None else AHEAD)

    def _find(self, start: re.Pattern[bytes]) -> bool:
        """Go to where a pattern occurs; to the end if it does not."""
        steps = self._steps()
        while True:
            match = start.search(self._buffer)
            if match is not None:
                self._use(match.start())
                self._trim()
                return True
            self._use(max(0, len(self._buffer) - OVERLAP))
            more = self._read(next(steps))
            if not more:
                self._use(len(self._buffer))
                return False
            self._buffer += more

    def _go_back(self, position: int) -> bool:
        """Go back to a position, reading again from where the stream was last put; False if it cannot be."""
        if self._codec is None:
            if not self._source.seekable():
                return False
            self._reader.seek(position)
            self._buffer, self._position = b"", position
            return True
        if not self._source.reaches(self._base):
            return False
        self._reader.inner_seek(self._base)
        self._unread, self._read = None, self._reader.read
        self._buffer, self._position = b"", self._base_position
        while self._position < position and (more := self._read(min(PIECE, position - self._position))):
            self._position += len(more)
        return True

    def _ends_at(self, begin: int, end: int) -> bool | None:
        """Whether a block that begins here may end there; None if that cannot be seen from here."""
        if not self._source.seekable():
            return None
        here = self._source.tell()
        try:
            if self._codec is None:
                self._source.seek(end)
                return ends_record(self._source.read(REST))
            if self._lookahead is None:
                stop = self._source.size() if self._limit is None else self._limit
                file = FileSlice(self._source, 0, stop or 0)
                self._lookahead = Lookahead(self._codec.reader(file, self._base), self._base_position)
            found = self._lookahead.ends_at(begin, end)
            if self._lookahead.end is not None:
                self._end = self._lookahead.end
            return found
        finally:
            self._source.seek(here)

    def _begins(self, frame: int, head: bytes) -> bool:
        """Whether a frame begins with these bytes."""
        if self._codec is None or not self._source.reaches(frame):
            return False
        known, begin = self._frame_begin
        # Asked for each of many bad records of one frame, which is decoded once.
        if known != frame or len(begin) < len(head):
            here = self._source.tell()
            try:
                begin = self._codec.reader(self._source, frame).read(len(head))
            finally:
                self._source.seek(here)
            self._frame_begin = frame, begin
        return begin.startswith(head)

    def _next_frame(self, frame: int, head: bytes, start: re.Pattern[bytes]) -> tuple[int, int] | None:
        """The frame after one that begins with `head` and has no `start` after it; and the latter's size."""
        if self._codec is None or not self._source.reaches(frame):
            return None
        here = self._source.tell()
        try:
            end = self._codec.frame_end(self._source, frame)
            if not isinstance(end, int):
                return None
            reader = self._codec.reader(FileSlice(self._source, frame, end))
            if reader.read(len(head)) != head:
                return None
            size, kept = len(head), b""
            while more := reader.read(SNIFF):
                size += len(more)
                kept = kept[-OVERLAP:] + more
                if start.search(kept):
                    return None
            return end, size
        finally:
            self._source.seek(here)
