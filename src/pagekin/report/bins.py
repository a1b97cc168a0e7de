"""Figures that many parts of the report share: sizes on log axes, shares in equal steps, ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis, log_bins
from pagekin.look.table import ShownColumn
from pagekin.look.words import count, percent, plural

MAX_RANKS = 160


def sizes_figure(
    key: str, title: str, counts: Sequence[tuple[int, int]], *, of: str, size: str, alt: str, note: str = ""
) -> Figure:
    """How many things have each size, given (size, things), both axes logarithmic."""
    ranges = log_bins([number for number, _ in counts], 6)
    rows = []
    for low, high in ranges:
        things = sum(many for number, many in counts if low <= number <= high)
        if things:
            rows.append([low, high, things])
    # A column stands on whole numbers: it begins half a unit before its first, but not at zero.
    ends = [max(high + 0.5, low + 0.5) for low, high, _ in rows]
    x = Axis.over(size, [1, *ends], log=True)
    y = Axis(of, 0.5, max([10, *(1.3 * things for _, _, things in rows)]), log=True, first=1)
    chart = Chart(x, y)
    chart.columns(
        [
            (max(low - 0.5, 1), high + 0.5, things, f"{_range(low, high)} {size}: {count(things)} {of}")
            for low, high, things in rows
        ]
    )
    columns = [
        ShownColumn(f"{size}, from", "count", "from"),
        ShownColumn("to", "count", "to"),
        ShownColumn(of, "count", of.replace(" ", "_")),
    ]
    return Figure(key, title, chart.svg(alt), columns, rows, note)


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def shares_figure(
    key: str,
    title: str,
    counts: dict[int, int],
    *,
    steps: int,
    of: str,
    share: str,
    alt: str,
    note: str = "",
    form: Callable[[float], str] = percent,
    first: float = 0.0,
) -> Figure:
    """Things by a share, in equal steps from `first` to 1: `counts` by the number of the step."""
    wide = (1 - first) / steps
    rows = [[first + n * wide, first + (n + 1) * wide, counts.get(n, 0)] for n in range(steps)]
    x = Axis(share, first, 1, form=lambda value: f"{value:.0%}" if form is percent else f"{value:g}")
    chart = Chart(x, Axis.over(of, [1, *counts.values()], whole=True))
    chart.columns(
        [(low, high, many, f"{form(low)} to {form(high)}: {count(many)} {of}") for low, high, many in rows]
    )
    kind = "percent" if form is percent else "similarity"
    columns = [
        ShownColumn(f"{share}, from", kind, "from"),
        ShownColumn("to", kind, "to"),
        ShownColumn(of, "count", of),
    ]
    return Figure(key, title, chart.svg(alt), columns, rows, note)


def ranks_figure(
    key: str,
    title: str,
    values: Sequence[tuple[int, float]],
    *,
    rank: str,
    value: str,
    total: int,
    alt: str,
    note: str = "",
) -> Figure:
    """Values by rank on log axes, given (rank, value) where the curve is drawn."""
    chart = Chart(
        Axis.over(rank, [1, total], log=True),
        Axis.over(value, [v for _, v in values if v > 0] or [1], log=True),
    )
    chart.points([Mark(r, v, f"{rank} {r:,}: {count(v)} {value}", 3.0) for r, v in values])
    if len(values) < total:
        shown = f"{len(values)} of {total:,} ranks are drawn, evenly on the log axis."
        note = f"{note} {shown}" if note else shown
    columns = [ShownColumn(rank, "count", "rank"), ShownColumn(value, "count", value.replace(" ", "_"))]
    return Figure(key, title, chart.svg(alt), columns, [list(row) for row in values], note)


def log_ranks(total: int) -> list[int]:
    """Ranks to draw: all of few, else evenly spread on a log axis.

    Examples:
        >>> log_ranks(3), len(log_ranks(10**6)) < 200, log_ranks(10**6)[-1]
        ([1, 2, 3], True, 1000000)
    """
    if total <= MAX_RANKS:
        return list(range(1, total + 1))
    return sorted({low for low, _ in log_bins([total], 30)} - {0} | {total})


def pages_on(pages: int, domains: int) -> str:
    """So many pages, and where.

    Examples:
        >>> pages_on(40, 1)
        '40 pages on 1 site'
    """
    return f"{plural(pages, 'page')} on {plural(domains, 'site')}"
