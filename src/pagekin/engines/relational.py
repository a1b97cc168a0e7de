"""SQL over datasets on one machine, by DuckDB: within a budget of memory, then in a spill folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pagekin.engines.base import Batch

ROWS = 65_536
"""Rows of an answer that are in one batch."""


def answer(
    query: str,
    schema: pa.Schema,
    sources: Mapping[str, Any],
    *,
    threads: int,
    memory: int,
    spill: Path,
) -> Iterator[Batch]:
    """The rows of an answer. A source is a list of Parquet files, or what DuckDB can scan more than once."""
    config = {
        "threads": str(threads),
        "memory_limit": f"{max(memory // 1_000_000, 64)}MB",
        "temp_directory": str(spill),
        "preserve_insertion_order": "false",
        "TimeZone": "UTC",
    }
    with duckdb.connect(config=config) as database:
        for name, source in sources.items():
            if isinstance(source, list):
                files = ", ".join("'" + str(file).replace("'", "''") + "'" for file in source)
                database.execute(f'CREATE VIEW "{name}" AS FROM read_parquet([{files}])')
            else:
                database.register(name, source)
        columns = ", ".join(f'"{name}"' for name in schema.names)
        found = database.execute(f"SELECT {columns} FROM ({query})")
        for batch in found.to_arrow_reader(ROWS):
            yield batch.cast(schema)


def sorted_query(keys: tuple[tuple[str, str], ...], name: str) -> str:
    """All rows of a dataset in the order of these keys; nulls come last, as everywhere."""
    order = ", ".join(
        f'"{column}" {"DESC" if way == "descending" else "ASC"} NULLS LAST' for column, way in keys
    )
    return f'SELECT * FROM "{name}" ORDER BY {order}'
