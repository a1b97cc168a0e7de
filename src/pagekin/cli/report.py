"""`pagekin report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.outputs import force_option, require_free

if TYPE_CHECKING:
    from pagekin.run import Run


def finished(folder: Path) -> Run:
    """A run whose pages were all read."""
    from pagekin.errors import RunError
    from pagekin.run import Run

    run = Run(folder)
    if not run.is_done("sketch"):
        raise RunError(f"{folder} is not finished; go on with `pagekin scan ... --resume`")
    if not run.info["counts"]["pages"]:
        raise RunError(f"the scan into {folder} failed: it found no page; scan other inputs into it")
    return run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The HTML file.  [default: RUN/report.html]"
)
@click.option(
    "--cluster", "clusters", metavar="RANK", type=int, multiple=True,
    help="Add the style cluster of this rank: its pages and a drawing. Repeatable.",
)  # fmt: skip
@click.option(
    "--like", metavar="URL|FILE", multiple=True,
    help="Add all pages by similarity of style to this one. Repeatable.",
)  # fmt: skip
@force_option
def report(
    run: Path, output: Path | None, clusters: tuple[int, ...], like: tuple[str, ...], force: bool
) -> None:
    """Tell what a run found in one HTML file that needs nothing else.

    First the findings, then style clusters, duplicates, quilts, phrases and sites, causes of duplicates,
    growth, and what was read. What `pagekin sweep`, `fuzzy-threshold` and `audit` measured on the run is in
    it too.

    \b
    Examples:
      pagekin report run
      pagekin report run -o findings.html
      pagekin report run --cluster 1 --cluster 7
      pagekin report run --like http://brostohemo.example/node1000.shtml
    """
    from pagekin.report import write_report

    path = output or run / "report.html"
    opened = finished(run)
    require_free([path], force=force)
    write_report(opened, path, clusters, like)
    click.echo(path)
