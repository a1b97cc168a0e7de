"""Deflate streams that follow one another, such as the members of a gzip file.

zlib copies what it was given and did not use. Long pieces would be copied once for every short stream in
them, so each stream begins with a short piece.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

GZIP = 31
ZLIB = 15
RAW = -15
_FIRST = 512
_INPUT = 1 << 16
_OUTPUT = 1 << 20


class Inflater:
    """Decodes the bytes that `read` gives, stream after stream."""

    def __init__(self, read: Callable[[int], bytes], window: int = GZIP) -> None:
        self._read = read
        self._window = window
        self._held = b""
        self._index = 0
        self.used = 0
        """Compressed bytes used so far."""

    def stream(self) -> Iterator[bytes]:
        """The next stream, in pieces of at most 1 MB. A piece may be empty.

        Raises:
            EOFError: the data ends inside the stream.
            zlib.error: the data is damaged.
        """
        inflate = zlib.decompressobj(self._window)
        step = _FIRST
        while not inflate.eof:
            data = inflate.unconsumed_tail
            if not data:
                data = self.peek(step)
                self.skip(len(data))
                step = min(step * 4, _INPUT)
            if not data:
                raise EOFError
            yield inflate.decompress(data, _OUTPUT)
        self.skip(-len(inflate.unused_data))

    def peek(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""
        if len(self._held) - self._index < size:
            self._held = self._held[self._index :]
            self._index = 0
            while len(self._held) < size and (more := self._read(_INPUT)):
                self._held += more
        return self._held[self._index : self._index + size]

    def skip(self, count: int) -> None:
        """Pass over bytes that were seen; back over some of them if `count` is negative."""
        self._index += count
        self.used += count
