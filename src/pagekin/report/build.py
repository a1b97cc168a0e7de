"""From a run to one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from pagekin.errors import MissingExtraError
from pagekin.fs import write_atomically, writing
from pagekin.report.sections import SECTIONS
from pagekin.report.styles import cluster
from pagekin.run import Run


def write_report(run: Run, path: Path, clusters: Sequence[int] = ()) -> None:
    """Writes the report, with a drawing of each style cluster whose rank is given.

    All that comes from pages is escaped, and a policy forbids scripts altogether.
    """
    try:
        from jinja2 import Environment
    except ImportError:
        raise MissingExtraError("the report", "report") from None

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["cell"] = _cell
    template = environment.from_string(
        files("pagekin.report").joinpath("report.html").read_text(encoding="utf-8")
    )
    there = set(run.tables)
    # First what may be wrong.
    drawn = [cluster(run, rank) for rank in clusters]
    sections = [make(run) for needs, make in SECTIONS if there.issuperset(needs)] + drawn
    html = template.render(name=run.path.name, sections=sections)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, html.encode("utf-8", "replace"))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
