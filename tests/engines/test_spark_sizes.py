"""How Spark divides what it joins, and what its figures are of."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from pagekin.engines.base import Batch, BatchFunction

pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

ROWS = pa.schema([("key", pa.int64())])


@pytest.fixture
def alone(spark: Any) -> Iterator[Any]:
    """The engine with no figures of earlier tests, and without what Spark does to small partitions."""
    from pagekin.engines.spark.session import PARTITIONS

    joins = "spark.sql.adaptive.coalescePartitions.enabled"
    spark.session.figures()
    spark.spark.conf.set(joins, "false")
    yield spark
    spark.spark.conf.unset(joins)
    spark.session.set_shuffle_partitions(0)
    assert spark.spark.conf.get(PARTITIONS) == "4"


def test_joins_are_divided_by_bytes(alone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pagekin.engines.spark import engine

    numbers = pa.table([pa.array(range(3000), pa.int64())], schema=ROWS)
    query = "SELECT key % 7 AS key FROM numbers GROUP BY key % 7"

    def tasks() -> float:
        found = alone.collect(alone.sql(query, ROWS, numbers=alone.table(numbers)))
        assert sorted(found["key"].to_pylist()) == list(range(7))
        return float(alone.session.figures()["tasks"])

    few = tasks()
    monkeypatch.setattr(engine, "PARTITION_BYTES", 1000)
    assert tasks() >= few + 15


@dataclass(frozen=True)
class Holds:
    """A kernel that needs so many bytes meanwhile."""

    size: int
    schema: pa.Schema = ROWS

    def open(self, threads: int) -> BatchFunction:
        def held(batch: Batch) -> Batch:
            assert len(b"x" * self.size) == self.size
            return batch

        return held


def test_peaks_are_of_their_step(spark: Any) -> None:
    """A worker is used again; what it held once says nothing of later steps."""
    rows = spark.table(pa.table([pa.array(range(10), pa.int64())], schema=ROWS))

    def peak(size: int) -> int:
        spark.collect(spark.keep(spark.map(rows, Holds(size))))
        return int(spark.session.figures()["worker_peak_bytes"])

    spark.session.figures()
    large, small = peak(400 << 20), peak(1)
    assert large > 400 << 20
    assert small < large - (300 << 20)


@dataclass(frozen=True)
class Computes:
    """A kernel that keeps its process busy, or waits."""

    seconds: float
    busy: bool
    schema: pa.Schema = ROWS

    def open(self, threads: int) -> BatchFunction:
        def worked(batch: Batch) -> Batch:
            clock = time.process_time if self.busy else time.monotonic
            end = clock() + self.seconds
            while clock() < end:
                time.sleep(0 if self.busy else 0.01)
            return batch

        return worked


def test_processor_time_is_that_of_workers(spark: Any) -> None:
    """Of the same step: what they waited is in the time of the tasks alone."""
    rows = spark.table(pa.table([pa.array(range(10), pa.int64())], schema=ROWS))

    def figures(busy: bool) -> dict[str, float]:
        spark.collect(spark.keep(spark.map(rows, Computes(1.0, busy))))
        found: dict[str, float] = spark.session.figures()
        return found

    spark.session.figures()
    works, waits = figures(True), figures(False)
    assert works["worker_cpu_seconds"] >= 1
    assert waits["worker_cpu_seconds"] < 1 <= waits["task_seconds"]
