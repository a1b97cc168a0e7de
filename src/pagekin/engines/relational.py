"""SQL over datasets on one machine, by DuckDB: within a budget of memory, then in a spill folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pagekin.engines.base import Batch
from pagekin.engines.groups import one_batch

ROWS = 65_536
"""Rows of an answer that are in one batch, unless they are wide."""
BATCH_BYTES = 16 << 20
"""What a batch holds then, at most; with little memory, less."""
VECTOR = 2048
"""Rows that DuckDB makes at a time, at least."""
WIDE = 1 << 10
"""About what a row with lists takes. Only the rows themselves say how wide they are."""
THREAD_MEMORY = 128_000_000
"""What a thread needs to sort and join on disk: with less, DuckDB gives up instead of spilling."""


def database(*, threads: int, memory: int, spill: Path) -> duckdb.DuckDBPyConnection:
    """A database in memory, for many questions: to open one costs as much as a small answer."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": str(max(1, min(threads, memory // THREAD_MEMORY))),
        "memory_limit": f"{max(memory, THREAD_MEMORY) // 1_000_000}MB",
        "temp_directory": str(spill),
        "preserve_insertion_order": "false",
    }
    return duckdb.connect(config=config)


def answer(
    opened: duckdb.DuckDBPyConnection,
    query: str,
    schema: pa.Schema,
    sources: Mapping[str, Any],
    keys: Sequence[tuple[str, str]] = (),
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[Batch]:
    """The rows of an answer, sorted by keys if there are any; nulls come last.

    A source is a list of Parquet files, or what DuckDB can scan more than once.
    """
    # What a cursor calls its sources is its own affair.
    with opened.cursor() as cursor:
        for name, source in sources.items():
            if isinstance(source, list):
                files = ", ".join("'" + str(file).replace("'", "''") + "'" for file in source)
                cursor.execute(f'CREATE TEMP VIEW "{name}" AS FROM read_parquet([{files}])')
            else:
                cursor.register(name, source)
        columns = ", ".join(f'"{name}"' for name in schema.names)
        ways = (f'"{name}" {"DESC" if way == "descending" else "ASC"} NULLS LAST' for name, way in keys)
        order = f"ORDER BY {', '.join(ways)}" if keys else ""
        found = cursor.sql(f"SELECT {columns} FROM ({query}) {order}")
        # Older versions have another name for it.
        reader = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
        for batch in _joined(reader(max(batch_bytes // WIDE, VECTOR)), batch_bytes):
            yield batch.cast(schema)


def _joined(batches: Iterable[Batch], max_bytes: int) -> Iterator[Batch]:
    """Small batches put together until they have enough rows or bytes."""
    held: list[Batch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= ROWS or size >= max_bytes:
            yield one_batch(held, batch.schema)
            held, rows, size = [], 0, 0
    if held:
        yield one_batch(held, held[0].schema)
