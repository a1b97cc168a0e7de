"""`pagekin report`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The HTML file.  [default: RUN/report.html]"
)
@click.option(
    "--cluster", "clusters", metavar="RANK", type=int, multiple=True,
    help="Add the style cluster of this rank: its figures, its members, a drawing.",
)  # fmt: skip
def report(run: Path, output: Path | None, clusters: tuple[int, ...]) -> None:
    """Write a run's tables and figures as one HTML file that needs nothing else.

    \b
    Examples:
      pagekin report run
      pagekin report run -o findings.html
      pagekin report run --cluster 1 --cluster 7
    """
    from pagekin.errors import RunError
    from pagekin.report import write_report
    from pagekin.run import Run

    path = output or run / "report.html"
    opened = Run(run)
    if not opened.is_done("sketch"):
        raise RunError(f"{run} is not finished; go on with `pagekin scan ... --resume`")
    write_report(opened, path, clusters)
    click.echo(path)
