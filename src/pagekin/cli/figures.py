"""`pagekin figures`."""

from __future__ import annotations

from pathlib import Path

import click

from pagekin.cli.outputs import force_option, require_free_folder


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The folder to write to.  [default: RUN/figures]"
)
@click.option(
    "--cluster",
    "clusters",
    metavar="RANK",
    type=int,
    multiple=True,
    help="Add the style cluster of this rank.",
)
@click.option(
    "--like", metavar="URL|FILE", multiple=True, help="Add the curve of all pages by similarity to this one."
)
@force_option
def figures(
    run: Path, output: Path | None, clusters: tuple[int, ...], like: tuple[str, ...], force: bool
) -> None:
    """Write every figure of a run's report as files, for a paper or a talk.

    Each figure is an SVG file, a PNG file (with the extra `report`), and a CSV file with the numbers that
    were drawn. Tables of the report are CSV files.

    \b
    Examples:
      pagekin figures run
      pagekin figures run -o figures --cluster 1 --like http://brostohemo.example/node1000.shtml
    """
    from pagekin.cli.report import finished
    from pagekin.extras import install_command
    from pagekin.look.figure import can_png
    from pagekin.report.figures import write_figures

    folder = output or run / "figures"
    opened = finished(run)
    require_free_folder(folder, (), force=force)
    for path in write_figures(opened, folder, clusters, like, force=force):
        click.echo(path)
    if not can_png():
        click.echo(f"pagekin: no PNG files; for those: {install_command('report')}", err=True)
