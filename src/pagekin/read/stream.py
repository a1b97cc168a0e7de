"""A place in a stored stream, plain or compressed, that can be moved on and, with care, back."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from pagekin.read.frames import Codec
from pagekin.read.source import Source, View

# Bytes read past a record to see that another one begins. A frame's start is known only for the last byte
# read, so no more than this may be read ahead: no sensible record is shorter.
AHEAD = 256
PIECE = 1 << 20
OVERLAP = 64  # what a record's beginning needs to be recognised

Anchor = tuple[int, int, bytes]
"""Bytes that, it is thought, begin a frame: the frame's stored offset, their position, and the bytes."""


class Stream:
    """The uncompressed bytes of a stored file from `start` on; what was read and not used yet is a buffer."""

    def __init__(self, source: Source, codec: Codec | None, start: int) -> None:
        self._source = source
        self._codec = codec
        self._put(start)

    def _put(self, start: int, limit: int | None = None) -> None:
        """Go to a stored offset. What is stored from `limit` on is left out."""
        self._buffer = b""
        self._base = start
        self._limit = limit
        # Of the buffer's beginning: the stored offset if nothing is compressed, else counted from `start`.
        self._position = 0
        self._end: int | None = None  # the last position, once known
        self._reader: Any
        if self._codec is not None:
            file = self._source if limit is None else View(self._source, 0, limit)
            self._reader = self._codec.reader(file, start)
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

    def _go_back(self, position: int, anchor: Anchor, far: bool) -> bool:
        """Go back to a position; False, and nothing is changed, if that cannot be done.

        It is quick if the anchor is right. If it is not, and it may be `far`, all is read again from where
        this stream was last put.
        """
        frame, begin, head = anchor
        if self._codec is None:
            if not self._source.seekable():
                return False
            self._reader.seek(position)
            self._buffer, self._position = b"", position
            return True
        if not self._begins(frame, head):
            if not far or not self._source.reaches(self._base):
                return False
            frame, begin = self._base, 0
        self._reader.inner_seek(frame)
        self._buffer, self._position = b"", begin
        while self._position + len(self._buffer) < position:
            self._use(len(self._buffer))
            self._buffer = self._read(min(PIECE, position - self._position))
            if not self._buffer:
                break
        self._use(position - self._position)
        return True

    def _begins(self, frame: int, head: bytes) -> bool:
        if self._codec is None or not self._source.reaches(frame):
            return False
        here = self._source.tell()
        try:
            return bool(self._codec.reader(self._source, frame).read(len(head)) == head)
        finally:
            self._source.seek(here)
