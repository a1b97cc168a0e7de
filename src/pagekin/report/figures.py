"""Figures, drawn with matplotlib: the one place that imports it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.errors import MissingExtraError, UsageError
from pagekin.fs import write_atomically, writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Axes"], None]

FORMATS = (".png", ".svg")

STYLE: Any = {
    # Whatever the texts of pages hold is text, never a formula; the same figure gives the same bytes.
    "text.parse_math": False,
    "svg.hashsalt": "pagekin",
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def figure(draw: Draw, size: tuple[float, float] = (7, 4)) -> Figure:
    """A figure with one pair of axes, on which `draw` draws."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a figure", "report") from None
    with rc_context(STYLE):
        made = Figure(figsize=size, layout="constrained")
        draw(made.subplots())
    return made


def svg(draw: Draw, size: tuple[float, float] = (7, 4)) -> bytes:
    """A figure as SVG."""
    return _bytes(figure(draw, size), "svg")


def check_plot(path: Path) -> None:
    """Fails before any work when a figure could not be written there."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot draw to {path}: give a name that ends with {' or '.join(FORMATS)}")


def write_plot(path: Path, draw: Draw, size: tuple[float, float] = (7, 4)) -> None:
    """Writes a figure as the PNG or SVG file that its name says."""
    check_plot(path)
    data = _bytes(figure(draw, size), path.suffix.lower()[1:])
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def _bytes(made: Figure, form: str) -> bytes:
    from matplotlib import rc_context

    buffer = io.BytesIO()
    # No dates, no names of software: the same figure gives the same bytes.
    metadata = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
    with rc_context(STYLE):
        made.savefig(buffer, format=form, metadata=metadata, dpi=150)
    return buffer.getvalue()
