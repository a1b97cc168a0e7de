"""How large the pieces are in which a Parquet file stores its columns.

A column of a row group is stored in pages (which have nothing to do with web pages), each compressed on its
own and decoded whole. A few stored bytes can be a page of two gigabytes. Only the headers of pages tell, so
they are read before the pages are: a file says nothing of them elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

_HEADER = 1 << 10
_MAX_HEADER = 16 << 20  # as in Arrow
_VALUES_IN = (5, 7, 8)  # the headers, in that of a page, that begin with a count: data, dictionary, data v2


class StoredPage(NamedTuple):
    """A page of a column: its bytes before compression, and how many values it has."""

    size: int
    values: int


class Chunk(NamedTuple):
    """Where a row group's values of one column are stored."""

    start: int
    size: int
    shared: bool = False
    """The bytes are another chunk's too."""


def stored_pages(file: Any, chunk: Chunk) -> Iterator[StoredPage]:
    """The pages of a chunk, as far as their headers can be read: Arrow reads no further either."""
    position, end = chunk.start, chunk.start + chunk.size
    while 0 <= position < end:
        size = _HEADER
        while True:
            file.seek(position)
            data = file.read(min(size, end - position))
            try:
                fields, length = _page_header(data)
                break
            except IndexError:
                if size >= min(_MAX_HEADER, end - position):
                    return
                size *= 4
            except ValueError:
                return
        stored = fields.get(3, -1)
        if stored < 0 or fields.get(2, -1) < 0:
            return
        yield StoredPage(fields[2], max(0, fields.get(-1, 0)))
        position += length + stored


def _page_header(data: bytes) -> tuple[dict[int, int], int]:
    """The numbers of a header (-1 is the count of values), and its length.

    Raises:
        IndexError: the data ends inside it.
        ValueError: it is no header.
    """
    found: dict[int, int] = {}
    reader = _Compact(data)
    for field, kind in reader.fields():
        if kind in _NUMBERS:
            found[field] = reader.number()
        elif kind == _STRUCT and field in _VALUES_IN:
            for inner, what in reader.fields():
                if inner == 1 and what in _NUMBERS:
                    found[-1] = reader.number()
                else:
                    reader.skip(what)
        else:
            reader.skip(kind)
    return found, reader.position


_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_NUMBERS = (4, 5, 6)
_MAX_DEPTH = 16


class _Compact:
    """Thrift's compact protocol, as far as headers of pages need it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._depth = 0
        self.position = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and type of each field of a struct. Read its value before the next one is asked for."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ValueError("too deep")
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self.number()
            yield field, head & 15
        self._depth -= 1

    def number(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def skip(self, kind: int) -> None:
        if kind in (_TRUE, _FALSE):
            return
        if kind in _NUMBERS:
            self._varint()
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            self._pass({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._varint())
        elif kind in (_LIST, _SET):
            # Headers of pages hold none. Their elements would have to be counted, and lists may hold lists.
            raise ValueError("a list")
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner)
        else:
            raise ValueError("no type")

    def _pass(self, count: int) -> None:
        self.position += count
        if self.position > len(self._data):
            raise IndexError

    def _byte(self) -> int:
        self.position += 1
        return self._data[self.position - 1]

    def _varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("a number without an end")
