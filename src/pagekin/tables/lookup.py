"""Rows of a table by key. Build the lookup once: built for every batch, it would be quadratic."""

from __future__ import annotations

import pyarrow as pa

from pagekin import _core


class TableLookup:
    """The rows of a table by a column of integers or strings; the first row of a key counts."""

    def __init__(self, table: pa.Table, key: str = "page") -> None:
        self._table = table.combine_chunks()
        self._index = _core.KeyLookup(_array(table[key]))

    def rows(self, keys: pa.Array | pa.ChunkedArray) -> pa.Table:
        """A row for each key, of nulls where the table has none."""
        return self._table.take(self._index.index_of(_array(keys)))

    def column(self, name: str, keys: pa.Array | pa.ChunkedArray) -> pa.Array:
        """A value for each key, null where the table has none."""
        return _array(self._table[name].take(self._index.index_of(_array(keys))))

    def contains(self, keys: pa.Array | pa.ChunkedArray) -> pa.Array:
        return self._index.contains(_array(keys))


def _array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
