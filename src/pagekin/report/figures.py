"""Figures as files: SVG and PNG with their data, for a paper or for a command's `--plot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pagekin.errors import MissingExtraError, OutputExistsError, UsageError
from pagekin.fs import write_atomically, writing
from pagekin.look.chart import WIDTH, drawing
from pagekin.look.figure import Figure, can_png
from pagekin.look.markup import Html, join
from pagekin.report.build import chapters
from pagekin.report.story import Data
from pagekin.run import Run

FORMATS = (".png", ".svg")


def check_plot(path: Path) -> None:
    """Fails before any work when a figure could not be written there."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot draw to {path}: give a name that ends with {' or '.join(FORMATS)}")
    if path.suffix.lower() == ".png" and not can_png():
        raise MissingExtraError("a figure as PNG", "report")


def write_plot(path: Path, figure: Figure) -> None:
    """Writes a figure as the PNG or SVG file that its name says."""
    check_plot(path)
    data = figure.png() if path.suffix.lower() == ".png" else figure.standalone().encode()
    with writing(path):
        write_atomically(path, data)


def tiled(figures: Sequence[Figure], key: str, title: str) -> Figure:
    """Several figures as one, two in a row."""
    parts, height = [], 0.0
    for number in range(0, len(figures), 2):
        row = figures[number : number + 2]
        tall = max(
            float(figure.svg.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split()[1]) for figure in row
        )
        for place, figure in enumerate(row):
            at = f'<svg x="{place * WIDTH}" y="{height:g}" width="{WIDTH}" height="{tall:g}"'
            parts.append(Html(figure.svg.replace("<svg", at, 1)))
        height += tall
    alt = " ".join(figure.title + "." for figure in figures)
    wide = WIDTH * min(max(len(figures), 1), 2)
    return Figure(key, title, drawing(join(parts), wide, height, alt), (), ())


def write_figures(
    run: Run, folder: Path, clusters: Sequence[int] = (), like: Sequence[str] = (), *, force: bool = False
) -> list[Path]:
    """Writes every figure of the report: NAME.svg, NAME.csv and, where possible, NAME.png; tables as CSV.

    Returns:
        The files, in the order of the report.
    """
    files: list[tuple[str, bytes]] = []
    png = can_png()
    for section in chapters(Data(run), clusters, like):
        for figure in section.figures():
            files.append((f"{figure.key}.svg", figure.standalone().encode()))
            files += [(f"{figure.key}.png", figure.png())] if png else []
            files.append((f"{figure.key}.csv", figure.csv().encode()))
        files += [(f"{table.key}.csv", table.csv().encode()) for table in section.tables()]
    there = next((name for name, _ in files if (folder / name).exists()), None)
    if there is not None and not force:
        raise OutputExistsError(f"{folder} holds {there}; give another folder, or force=True to replace it")
    with writing(folder):
        folder.mkdir(exist_ok=True)
        for name, content in files:
            write_atomically(folder / name, content)
    return [folder / name for name, _ in files]
