"""Rows that are divided by key and spill: all of them come back, complete groups in order."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.engines import groups
from pagekin.engines.groups import Partitions

ROWS = pa.schema([("key", pa.int64()), ("value", pa.int64()), ("text", pa.string())])
BATCHES = st.lists(st.lists(st.tuples(st.integers(-5, 99), st.integers(0, 9)), max_size=30), max_size=8)


def batch_of(rows: list[tuple[int, int]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{"key": key, "value": value, "text": "x" * value} for key, value in rows], schema=ROWS
    )


@settings(max_examples=60)
@given(BATCHES, st.sampled_from([1, 500, 2000, 10**9]), st.sampled_from([0, 10**8, 10**12]))
def test_complete_groups_in_order(batches: list[list[tuple[int, int]]], memory: int, size: int) -> None:
    with TemporaryDirectory() as folder:
        partitions = Partitions(ROWS, "key", memory, Path(folder), size)
        for rows in batches:
            partitions.push(batch_of(rows))
        found = [part.to_pylist() for part in partitions.sorted(["value"])]
        spilled = len(list(Path(folder).iterdir()))
    keys = [{row["key"] for row in part} for part in found]
    assert sum(map(len, keys)) == len(set().union(*keys))
    for part in found:
        assert part == sorted(part, key=lambda row: (row["key"], row["value"]))
    everything = sorted(row for rows in batches for row in rows)
    assert sorted((row["key"], row["value"]) for part in found for row in part) == everything
    assert all(row["text"] == "x" * row["value"] for part in found for row in part)
    # A file for each time that memory was full, however many partitions there are.
    assert spilled <= len(batches)
    assert memory > 1 or spilled == sum(1 for rows in batches if rows)


def test_a_partition_fits_in_memory(tmp_path: Path) -> None:
    """The more rows will come, the more partitions there are."""
    rows = batch_of([(key, 5) for key in range(20_000)])

    def largest(memory: int, size: int) -> int:
        partitions = Partitions(ROWS, "key", memory, tmp_path, size)
        partitions.push(rows)
        return max(len(part) for part in partitions.sorted([]))

    assert largest(1 << 30, 1 << 30) > 20_000 // groups.PARTITIONS
    assert largest(16 << 20, 4 << 30) < 20_000 // groups.PARTITIONS // 4
