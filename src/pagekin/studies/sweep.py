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

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.quilts.find import QuiltReducer, check_sites, own_rows, ratio
from pagekin.engines.base import Advance, Progress, Resources, Silent
from pagekin.params import QuiltParams
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
    ]
)
"""Which parameter is varied, the parameters, how many pages are quilts, and their mean number of sources."""


@dataclass(frozen=True)
class Point:
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

    def points(self) -> Iterator[Point]:
        """In the order of the paper's Table 1."""
        p = self.pivot
        yield from (Point("k", k, p.m, p.c, p.theta) for k in self.k)
        yield from (Point("c", p.k, p.m, c, p.theta) for c in self.c)
        yield from (Point("m", p.k, m, p.c, p.theta) for m in self.m)
        yield from (Point("theta", p.k, p.m, p.c, theta) for theta in self.theta)


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
        ['swept', 'k', 'm', 'c', 'theta', 'quilted', 'sources']
    """
    grid = grid or Grid(run.params.quilts)
    check_sites(run, grid.pivot)
    points = list(grid.points())
    found: dict[Point, tuple[int, float | None]] = {}
    ks = sorted({point.k for point in points})
    for done, k in enumerate(ks):
        of_k = [point for point in points if point.k == k]
        counted = _count(run, grid, k, max(point.m for point in of_k), threads, memory)
        for m in sorted({point.m for point in of_k}):
            of_m = [point for point in of_k if point.m == m]
            found.update(_at(run, counted, of_m, grid.pivot.min_share))
        (progress or Silent()).advance(Advance(0, (done + 1) / len(ks)))
    rows = [
        dataclasses.asdict(point) | dict(zip(("quilted", "sources"), found[point], strict=True))
        for point in points
    ]
    return pa.Table.from_pylist(rows, POINTS)


def _count(run: Run, grid: Grid, k: int, m: int, threads: int, memory: int) -> _core.CountedGrams:
    """The counted grams of k words. The file they spill to is already unlinked when this returns."""
    params = dataclasses.replace(grid.pivot, k=k, verify=False, keep_grams=False)
    with TemporaryDirectory(prefix="pagekin-sweep-") as folder:
        server_map = read_server_map(run.params.servers.map)
        reducer = QuiltReducer(run, params, Resources(threads, memory, Path(folder)), server_map)
        for known in run.lineage:
            for batch in known.batches("texts", ["page", "text"]):
                reducer.push(batch)
        return reducer.count(m)


def _at(
    run: Run, counted: _core.CountedGrams, points: list[Point], min_share: float
) -> dict[Point, tuple[int, float | None]]:
    """All points of one k and m, from the covers of every page that is a quilt at one of them."""
    least_c, least_theta = min(point.c for point in points), min(point.theta for point in points)
    sizes, fractions = [], []
    for batch in own_rows(run, counted.covers(points[0].m, least_c, least_theta, min_share)):
        quilts = pa.Table.from_batches([batch]).filter(batch["quilt"])
        sizes += pc.list_value_length(quilts["sources"]).chunks
        fractions += ratio(quilts["patch_grams"], quilts["grams"]).chunks
    size, fraction = pa.chunked_array(sizes, pa.int32()), pa.chunked_array(fractions, pa.float64())
    found = {}
    for point in points:
        inside = pc.and_(pc.greater_equal(size, point.c), pc.greater_equal(fraction, point.theta))
        found[point] = (pc.sum(inside).as_py() or 0, pc.mean(size.filter(inside)).as_py())
    return found
