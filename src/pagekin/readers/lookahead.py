"""Where records may end in a compressed stream: a second decoder runs ahead of the first.

A record whose length lies reaches far into the stream. To see that no record ends there, one has to decode up
to that place; to go back, one has to decode again. Done for each of many such records, that is quadratic. So
one more decoder goes through the stream, once, and remembers every place at which a record could end.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Any

from pagekin.readers.source import SNIFF

REST = 260
"""Bytes after a record that tell whether it ended there: a blank line and the beginning of the next one."""

MAX_STARTS = 4 << 20
"""A block in which more records seem to begin has a wrong length, whatever follows it. Bounds memory."""

_MAGIC = b"WARC/"
_CARRY = REST + len(_MAGIC) - 1
_BLANK = bytes(character in b"\r\n" for character in range(256))


def ends_record(rest: bytes) -> bool:
    """Whether a record may end before these bytes: another one begins, or nothing is left."""
    stripped = rest[:REST].lstrip(b"\r\n")
    return not stripped or stripped.startswith(_MAGIC)


class Lookahead:
    """`ends_record` for any position of a stream, in one pass over it. Ask for positions from `begin` on."""

    def __init__(self, reader: Any, position: int) -> None:
        self._reader = reader
        self._position = position  # up to here the stream was read
        self._carry = b""  # its last bytes
        self._starts = array("Q")  # where records seem to begin
        self._blanks = array("H")  # and how many bytes of line ends come before
        self._gaps: list[tuple[int, int]] = []  # positions followed by nothing but line ends
        self._failed = False  # what follows cannot be decoded
        self.end: int | None = None
        """Where the stream ends, once it was seen."""

    def ends_at(self, begin: int, end: int) -> bool | None:
        """Whether the block from `begin` to `end` may end there; None if it cannot be decoded so far."""
        passed = bisect_left(self._starts, begin)
        if passed * 2 >= len(self._starts):
            del self._starts[:passed], self._blanks[:passed]
            self._gaps = [gap for gap in self._gaps if gap[1] >= begin]
        while self.end is None and self._position < end + REST and len(self._starts) <= MAX_STARTS:
            if self._failed:
                return None
            try:
                self._read()
            except OSError:
                # Asked again, some decoders say that the stream ends here.
                self._failed = True
        if self.end is not None and end + REST > self.end:
            if end > self.end:
                return False
            if self.end - end <= len(self._carry) - len(self._carry.rstrip(b"\r\n")):
                return True
        elif self._position < end + REST:
            return False
        following = bisect_left(self._starts, end)
        if following < len(self._starts):
            gap = self._starts[following] - end
            if gap <= self._blanks[following] and gap + len(_MAGIC) <= REST:
                return True
        return any(first <= end <= last for first, last in self._gaps)

    def _read(self) -> None:
        more = self._reader.read(SNIFF)
        if not more:
            self.end = self._position
            return
        known = len(self._carry)
        data = self._carry + more
        base = self._position - known
        found = data.find(_MAGIC, max(0, known - len(_MAGIC) + 1))
        while found >= 0:
            before = data[max(0, found - REST) : found]
            self._starts.append(base + found)
            self._blanks.append(len(before) - len(before.rstrip(b"\r\n")))
            found = data.find(_MAGIC, found + len(_MAGIC))
        blank = data.translate(_BLANK)
        first = blank.find(b"\1" * REST)
        while first >= 0:
            stop = blank.find(b"\0", first)
            stop = len(data) if stop < 0 else stop
            self._gaps.append((base + first, base + stop - REST))
            first = blank.find(b"\1" * REST, stop)
        self._position += len(more)
        self._carry = data[-_CARRY:]
