"""Quilts for many parameters at once: the paper's Table 1 and Figure 3.

What is shared: the texts are read once for each k; one count of grams serves every m; one set of covers
serves every c and theta.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.quilts.dates import read_dates
from pagekin.detect.quilts.flow import QuiltCoverFlow, rows_from
from pagekin.detect.quilts.inputs import check_sites, quilt_inputs
from pagekin.detect.quilts.rows import FOUND, quilt_rows, ratio
from pagekin.engines.base import Advance, Progress, Resources, Silent
from pagekin.engines.local import LocalEngine
from pagekin.params import SHARES, QuiltParams
from pagekin.run import Run
from pagekin.sites import read_server_map

POINTS = pa.schema(
    [
        ("swept", pa.string()),
        ("k", pa.int64()),
        ("m", pa.int64()),
        ("c", pa.int64()),
        ("theta", pa.float64()),
        ("quilted", pa.int64()),
        ("sources", pa.float64()),
        ("by_covered", pa.int64()),
        ("by_patch", pa.int64()),
    ]
)
"""Which parameter is varied, the parameters, how many pages are quilts by the run's own share, how many
sources they have on average, and how many pages are quilts by covered grams and by patch grams."""


@dataclass(frozen=True)
class SweepPoint:
    """One set of parameters, and which of them is varied."""

    swept: str
    k: int
    m: int
    c: int
    theta: float


@dataclass(frozen=True)
class Grid:
    """Values for each parameter; each varies around the pivot while the others stay."""

    pivot: QuiltParams = dataclasses.field(default_factory=QuiltParams)
    k: Sequence[int] = range(2, 11)
    c: Sequence[int] = range(2, 11)
    m: Sequence[int] = range(10, 81, 10)
    theta: Sequence[float] = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

    def __post_init__(self) -> None:
        for point in self.points():
            QuiltParams(point.k, point.m, point.c, point.theta)  # fails if a value is out of range

    def points(self) -> Iterator[SweepPoint]:
        """In the order of the paper's Table 1."""
        p = self.pivot
        yield from (SweepPoint("k", k, p.m, p.c, p.theta) for k in self.k)
        yield from (SweepPoint("c", p.k, p.m, c, p.theta) for c in self.c)
        yield from (SweepPoint("m", p.k, m, p.c, p.theta) for m in self.m)
        yield from (SweepPoint("theta", p.k, p.m, p.c, theta) for theta in self.theta)


def sweep(
    run: Run,
    grid: Grid | None = None,
    *,
    threads: int = 1,
    memory: int = 4 * 10**9,
    progress: Progress | None = None,
) -> pa.Table:
    """How many pages of a run are quilts at each point of a grid.

    Near-duplicates, foreign sources and the minimum share are as the grid's pivot says.

    Examples:
        >>> table = sweep(pagekin.Run(example_run), Grid(k=[5], c=[2, 4], m=[], theta=[]))
        >>> table.column_names
        ['swept', 'k', 'm', 'c', 'theta', 'quilted', 'sources', 'by_covered', 'by_patch']
    """
    grid = grid or Grid(run.params.quilts)
    engine = LocalEngine(threads, memory=memory)
    check_sites(run, engine, grid.pivot)
    points = list(grid.points())
    found: dict[SweepPoint, dict[str, Any]] = {}
    ks = sorted({point.k for point in points})
    for done, k in enumerate(ks):
        of_k = [point for point in points if point.k == k]
        counted = _count(run, grid, k, max(point.m for point in of_k), engine)
        for m in sorted({point.m for point in of_k}):
            of_m = [point for point in of_k if point.m == m]
            found.update(_at(run, counted, of_m, grid.pivot))
        (progress or Silent()).advance(Advance(0, (done + 1) / len(ks)))
    return pa.Table.from_pylist([dataclasses.asdict(point) | found[point] for point in points], POINTS)


def _count(run: Run, grid: Grid, k: int, m: int, engine: LocalEngine) -> _core.CountedGrams:
    """The counted grams of k words. The file they spill to is already unlinked when this returns."""
    params = dataclasses.replace(grid.pivot, k=k, verify=False, keep_grams=False)
    said = engine.table(read_dates(params.dates))
    inputs = quilt_inputs(run, engine, params, read_server_map(run.params.servers.map), said)
    with TemporaryDirectory(prefix="pagekin-sweep-") as folder:
        reducer = QuiltCoverFlow(params).whole(Resources(engine.threads, engine.memory, Path(folder)))
        for name, data in inputs.items():
            for batch in data.open(None):
                reducer.push(name, batch)
        return reducer.count(m)


def _at(
    run: Run, counted: _core.CountedGrams, points: list[SweepPoint], pivot: QuiltParams
) -> dict[SweepPoint, dict[str, Any]]:
    """All points of one k and m, from the covers of every page that is a quilt at one of them."""
    min_c, min_theta = min(point.c for point in points), min(point.theta for point in points)
    # By patch grams: what is a quilt by covered ones is a quilt by these too.
    covers = counted.covers(points[0].m, min_c, min_theta, pivot.min_share)
    found = [quilt_rows(batch.filter(batch["quilt"])) for batch in rows_from(run.first_page, covers)]
    quilts = pa.Table.from_batches(found, FOUND)
    shares = {share: ratio(quilts[f"{share}_grams"], quilts["grams"]) for share in SHARES}
    answers = {}
    for point in points:
        enough = pc.greater_equal(quilts["sources"], point.c)
        inside = {share: pc.and_(enough, pc.greater_equal(shares[share], point.theta)) for share in SHARES}
        answers[point] = {
            "quilted": _count_true(inside[pivot.share]),
            "sources": pc.mean(quilts["sources"].filter(inside[pivot.share])).as_py(),
            **{f"by_{share}": _count_true(inside[share]) for share in SHARES},
        }
    return answers


def _count_true(values: pa.ChunkedArray) -> int:
    return pc.sum(values).as_py() or 0
