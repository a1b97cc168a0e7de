"""The bytes of a plain or gzipped file, read one after the other, with where each gzip member begins.

FastWARC's readers tell a member's beginning only for the last byte read. Here it is known for every byte that
is still held, so that one may read ahead as far as one likes. Damage ends the bytes like the end of the file
does, and says what it is.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from pagekin.readers.base import message
from pagekin.readers.frames import Broken
from pagekin.readers.inflate import Inflater
from pagekin.readers.source import SNIFF, StoredFile

_FIRST = 512
_GZIP = b"\x1f\x8b\x08"


@dataclass(frozen=True, slots=True)
class Stop:
    """Why no more bytes come: the end of the file if `why` is None, else damage in the member at `offset`."""

    offset: int
    why: Broken | str | None
    """A string is what the file system said when reading failed."""
    reached: int
    """The stored offset up to which it could be followed."""


class MemberStream:
    """The uncompressed bytes of a stored file, from the member at `start` on.

    A position counts uncompressed bytes; in a plain file it is the stored offset. The bytes that are held
    begin at `begin` in `buffer`: moving on must not cost as much as there is held, or records whose lengths
    lie would cost the square of their number.
    """

    def __init__(self, source: StoredFile, gzipped: bool, start: int) -> None:
        self._source = source
        self._gzipped = gzipped
        self.put(start, 0 if gzipped else start)

    def put(self, start: int, position: int) -> None:
        """Go to the member (in a plain file: the byte) that is stored at `start`."""
        self.buffer = b""
        self.begin = 0
        self.position = position
        self.stop: Stop | None = None
        self._members = [position]  # the position of each member of which bytes may be held
        self._offsets = [start]  # and where it is stored
        self._source.seek(start)
        self._pieces = self._inflated(start) if self._gzipped else self._plain()

    @property
    def held(self) -> int:
        """How many bytes are held."""
        return len(self.buffer) - self.begin

    @property
    def end(self) -> int:
        """The position behind the bytes that are held."""
        return self.position + self.held

    @property
    def offset(self) -> int:
        """The stored offset of the member in which the next byte is; in a plain file, of that byte."""
        if not self._gzipped:
            return self.position
        return self._offsets[bisect_right(self._members, self.position) - 1]

    def fill(self, size: int) -> None:
        """Hold at least so many bytes, if there are as many before the end or damage."""
        missing = size - self.held
        if missing <= 0 or self.stop is not None:
            return
        # What is held is copied. So that this happens seldom, a quarter as much comes along.
        missing = max(missing, self.held >> 2)
        held = [self.buffer[self.begin :]]
        self.buffer, self.begin = b"", 0
        self._coming = self.position + len(held[0])  # where the next piece goes
        while missing > 0 and (piece := next(self._pieces, b"")):
            held.append(piece)
            missing -= len(piece)
            self._coming += len(piece)
        self.buffer = b"".join(held)
        past = bisect_right(self._members, self.position) - 1
        del self._members[:past], self._offsets[:past]

    def take(self, count: int) -> bytes:
        """The next bytes, and go on behind them."""
        data = self.buffer[self.begin : self.begin + count]
        self.use(count)
        return data

    def use(self, count: int) -> None:
        """Go on by so many bytes."""
        self.begin += count
        self.position += count

    def next_member(self, count: int) -> int | None:
        """After how many bytes, at least `count`, the next member begins, if that is known."""
        place = bisect_left(self._members, self.position + count)
        return self._members[place] - self.position if place < len(self._members) else None

    def damage_begin(self) -> int:
        """The position at which the damaged member begins."""
        assert self.stop is not None
        damaged = self._offsets[-1] == self.stop.offset
        return self._members[-1] if damaged else self.end

    def _read(self, offset: int) -> bytes:
        """Stored bytes; none at the end, or where reading fails."""
        try:
            return self._source.read(SNIFF)
        except OSError as error:
            self.stop = Stop(offset, message(error), offset)
            return b""

    def _plain(self) -> Iterator[bytes]:
        while data := self._read(self._coming):
            yield data
        self.stop = self.stop or Stop(self._coming, None, self._coming)

    def _inflated(self, first: int) -> Iterator[bytes]:
        inflater = Inflater(lambda _: self._read(first))
        while head := inflater.peek(_FIRST):
            start, begin = first + inflater.used, self._coming
            if not head.startswith(_GZIP[: len(head)]):
                self.stop = Stop(start, Broken.NO_FRAME, start)
                return
            if self._offsets[-1] != start:
                self._members.append(begin)
                self._offsets.append(start)
            try:
                for piece in inflater.stream():
                    if piece:
                        yield piece
            except EOFError:
                self.stop = self.stop or Stop(start, Broken.TRUNCATED, first + inflater.used)
                return
            except zlib.error:
                if begin == self._coming and (piece := _beginning(head)):
                    yield piece
                self.stop = Stop(start, Broken.CORRUPT, first + inflater.used)
                return
        self.stop = self.stop or Stop(first + inflater.used, None, first + inflater.used)


def _beginning(head: bytes) -> bytes:
    """What can be had of a damaged member, of which zlib gives nothing at once: enough to tell its record."""
    inflate, out = zlib.decompressobj(31), b""
    try:
        while head and (piece := inflate.decompress(head, 64)):
            out += piece
            head = inflate.unconsumed_tail
    except zlib.error:
        pass
    return out
