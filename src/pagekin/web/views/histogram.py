"""How similar things are: a histogram of similarities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pagekin.look.chart import Chart
from pagekin.look.figure import Figure
from pagekin.look.markup import Html
from pagekin.look.scales import Axis
from pagekin.look.table import ShownColumn
from pagekin.look.words import plural

BINS = 50
"""Between similarity 0 and 1."""


def binned(column: str) -> str:
    """The number of the bin that a similarity falls in, as SQL."""
    return f"least(floor({column} * {BINS}), {BINS - 1})::INTEGER"


def histogram(
    bins: Sequence[dict[str, Any]], *, key: str, title: str, axis: str, noun: str, height: int = 260
) -> Html:
    """A figure of rows with `bin` and `number`; nothing if there are none.

    Args:
        bins: In order, those with nothing in them left out.
        key: The id of the figure.
        title: The finding.
        axis: What the similarity is to.
        noun: What is counted, one of it.
        height: Of the drawing.
    """
    if not bins:
        return Html()
    min_similarity = bins[0]["bin"] / BINS
    chart = Chart(
        Axis(axis, min(min_similarity, 0.9), 1.0),
        Axis(f"{noun}s", 0, max(one["number"] for one in bins)),
        height=height,
    )
    chart.columns(
        [
            (low, low + 1 / BINS, one["number"], f"{low:.2f} to {low + 1 / BINS:.2f}: {counted}")
            for one in bins
            for low, counted in [(one["bin"] / BINS, plural(one["number"], noun))]
        ]
    )
    return Figure(
        key=key,
        title=title,
        svg=chart.svg(f"A histogram of similarity from {min_similarity:.2f} to 1."),
        columns=[ShownColumn("from", "similarity", "from"), ShownColumn(f"{noun}s", "count", f"{noun}s")],
        rows=[(one["bin"] / BINS, one["number"]) for one in bins],
    ).html()
