"""Rows of stored tables that belong to chosen pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run


@dataclass(frozen=True)
class SemiJoin:
    """Keeps the rows of these pages."""

    pages: pa.Array
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        """The filter."""
        places = _core.KeyLookup(self.pages)
        return lambda batch: batch.filter(places.contains(batch.column("page")))


def rows_of(
    runs: Sequence[Run], engine: Engine, table: str, columns: Sequence[str], pages: pa.Array
) -> pa.Table:
    """The rows of these pages, from all runs."""
    parts = []
    for run in runs:
        if table in run.tables:
            data = engine.load(run, table, columns)
            parts.append(engine.collect(engine.map(data, SemiJoin(pages, data.schema))))
    return pa.concat_tables(parts)


def lookup(keys: pa.ChunkedArray | pa.Array, table: pa.Table, key: str, value: str) -> pa.Array:
    """For each key the value in the table's row that has it, null where none has."""
    places = pc.index_in(keys, value_set=table[key].combine_chunks())
    if isinstance(places, pa.ChunkedArray):
        places = places.combine_chunks()
    return table[value].combine_chunks().take(places)


def tuples(batch: Batch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as Python's values."""
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)
