"""The growth curve: how unique pages and duplicates grow with the fetches (the paper's Figures 1 to 3)."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.crawl.seen import EXACT, NEAR, UNIQUE
from pagekin.fs import TEMP_SUFFIX

POINTS = 2048
"""The curve keeps at most twice as many points, however long the crawl."""


class CurvePoint(NamedTuple):
    fetched: int
    unique: int
    exact: int
    near: int
    redirects: int
    other: int
    queued: int
    seconds: float


SCHEMA = pa.schema([(name, pa.float64() if name == "seconds" else pa.int64()) for name in CurvePoint._fields])


class Curve:
    """Counts, and a point of the curve for every fetch, later for every second, fourth and so on."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.fetched = 0
        self.points: list[CurvePoint] = []
        self._step = 1
        self._queued = 0
        self._begin = time.monotonic()

    def add(self, kind: str, queued: int) -> None:
        self.counts[kind] += 1
        self.fetched += 1
        self._queued = queued
        if self.fetched % self._step == 0:
            self.points.append(self.now())
            if len(self.points) >= 2 * POINTS:
                self._step *= 2
                self.points = [point for point in self.points if point.fetched % self._step == 0]

    def now(self) -> CurvePoint:
        """Where the curve has come to."""
        counts = self.counts
        return CurvePoint(
            self.fetched, counts[UNIQUE], counts[EXACT], counts[NEAR], counts["redirect"], counts["other"],
            self._queued, round(time.monotonic() - self._begin, 3),
        )  # fmt: skip

    def table(self) -> pa.Table:
        """The curve as a table, its last point included."""
        points = self.points
        if self.fetched and (not points or points[-1].fetched < self.fetched):
            points = [*points, self.now()]
        columns = zip(*points, strict=True) if points else [[] for _ in CurvePoint._fields]
        return pa.table([list(column) for column in columns], schema=SCHEMA)

    def save(self, path: Path) -> None:
        """Writes the table as Parquet, in one piece."""
        temporary = path.with_name(f".{path.name}{TEMP_SUFFIX}")
        try:
            pq.write_table(self.table(), temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
