"""A place in a stored stream, plain or compressed, that can be moved on and, if need be, back."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from pagekin.readers.frames import Codec
from pagekin.readers.source import SNIFF, FileSlice, Source

# Bytes read past a record to see that another one begins. A frame's start is known only for the last byte
# read, so no more than this may be read ahead: no sensible record is shorter.
AHEAD = 256
PIECE = 1 << 20
OVERLAP = 64  # what a record's beginning needs to be recognised


class Stream:
    """The uncompressed bytes of a stored file from `start` on; what was read and not used yet is a buffer.

    A position counts uncompressed bytes. In a plain file it is the stored offset; in a compressed one it
    counts from wherever counting began.
    """

    def __init__(self, source: Source, codec: Codec | None, start: int) -> None:
        self._source = source
        self._codec = codec
        self._end: int | None = None  # the last position, once known
        self._put(start)

    def _put(self, start: int, position: int | None = None, limit: int | None = None) -> None:
        """Go to a stored offset, and its position if known. Leave out what is stored from `limit` on."""
        self._buffer = b""
        self._limit = limit
        self._base = start
        self._reader: Any
        if self._codec is not None:
            file = self._source if limit is None else FileSlice(self._source, 0, limit)
            self._reader = self._codec.reader(file, start)
            if position is None or limit is not None:
                self._end = None
            self._position = self._base_position = position or 0
        else:
            self._source.seek(start)
            self._reader = io.BufferedReader(self._source, 1 << 17)
            self._position, self._end = start, self._source.size()
        self._read: Callable[[int], bytes] = self._reader.read

    def _use(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self._position += count

    def _find(self, start: re.Pattern[bytes]) -> bool:
        """Go to where a pattern occurs; to the end if it does not."""
        step = AHEAD if self._codec else PIECE
        while True:
            match = start.search(self._buffer)
            if match is not None:
                self._use(match.start())
                return True
            self._use(max(0, len(self._buffer) - OVERLAP))
            more = self._read(step)
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
        self._buffer, self._position = b"", self._base_position
        while self._position < position and (more := self._read(min(PIECE, position - self._position))):
            self._position += len(more)
        return True

    def _begins(self, frame: int, head: bytes) -> bool:
        """Whether a frame begins with these bytes."""
        if self._codec is None or not self._source.reaches(frame):
            return False
        here = self._source.tell()
        try:
            return bool(self._codec.reader(self._source, frame).read(len(head)) == head)
        finally:
            self._source.seek(here)

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
