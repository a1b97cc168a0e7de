"""Joins that several detectors need: lookups by key, and tables without the copies of other pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run
from pagekin.tables.lookup import TableLookup


def lookup(keys: pa.ChunkedArray | pa.Array, table: pa.Table, key: str, value: str) -> pa.Array:
    """For each key the value in the table's row that has it, null where none has."""
    return TableLookup(table.select([key, value]), key).column(value, keys)


@dataclass(frozen=True)
class AddColumn:
    """Adds the column `name` of a table to the rows of the same pages; null, or the page itself, else."""

    table: pa.Table
    name: str
    schema: pa.Schema
    else_page: bool = False

    def open(self, threads: int) -> BatchFunction:
        known = TableLookup(self.table)

        def added(batch: Batch) -> Batch:
            page = batch.column("page")
            values = known.column(self.name, page)
            if self.else_page:
                values = pc.coalesce(values, page)
            columns = [values if name == self.name else batch.column(name) for name in self.schema.names]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return added


def known_groups(run: Run, current: Run, table: str, group: str, schema: pa.Schema) -> AddColumn:
    """Adds the column `known`: null for new pages; for those of an earlier run its group, or its own id.

    A group is a cluster or a class: the column of that name in the table of the earlier run.
    """
    groups = pa.table({"page": pa.array([], pa.int64()), "known": pa.array([], pa.int64())})
    if run is not current and table in run.tables:
        groups = run.table(table, ["page", group]).rename_columns(["page", "known"])
    return AddColumn(groups, "known", schema, else_page=run is not current)


@dataclass(frozen=True)
class AntiJoin:
    """Leaves out the rows of some pages."""

    pages: pa.Array
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        left_out = TableLookup(pa.table({"page": self.pages}))

        def kept(batch: Batch) -> Batch:
            copies = left_out.contains(batch.column("page"))
            return batch.filter(pc.invert(copies)) if pc.any(copies).as_py() else batch

        return kept


def representatives(run: Run, engine: Engine, table: str, columns: Sequence[str]) -> Any:
    """The rows of a table, as a dataset, for one page of each duplicate class and all other pages."""
    data = engine.load(run, table, columns)
    copies = run.copies()
    return engine.map(data, AntiJoin(copies, data.schema)) if len(copies) else data


def tuples(batch: Batch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as Python's values."""
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)
