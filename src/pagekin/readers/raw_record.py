"""A WARC record as it lies in its stream: headers and a block of bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RawRecord:
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
    missing: int = 0
    """Bytes of the block that the end of the file cut off; `length` is without them."""

    def spoiled(self, reason: str, detail: str) -> RawRecord:
        """The same record without its block, with the reason why it cannot be read."""
        return RawRecord(self.offset, self.head, self.low, b"", b"", 0, reason, detail)

    def cut(self, block: bytes) -> RawRecord:
        """The same record, of whose block the file has only this beginning."""
        missing = self.length - len(block)
        return RawRecord(self.offset, self.head, self.low, block, b"", len(block), missing=missing)

    def too_long(self, size: int) -> RawRecord:
        """The record's length reaches into the next record, which begins after `size` bytes."""
        return self.spoiled("bad-length", f"{self.length} bytes, but a record begins after {size}")

    def too_short(self) -> RawRecord:
        """The record goes on after its length."""
        return self.spoiled("bad-length", f"{self.length} bytes, but the record does not end there")


def damage(offset: int, reason: str, detail: str) -> RawRecord:
    """A row for what is no record."""
    return RawRecord(offset, b"", b"", b"", b"", 0, reason, detail)


def field(head: bytes, low: bytes, name: bytes) -> bytes:
    """A header's value, or nothing. `name` is CR LF, the name in lower case, and a colon."""
    start = low.find(name)
    if start < 0:
        return b""
    start += len(name)
    return head[start : low.find(b"\r\n", start)].strip()
