"""`pagekin like`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option
from pagekin.cli.outputs import force_option, require_free

if TYPE_CHECKING:
    from pagekin.cli.tables import Rows


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("page", metavar="URL|FILE")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    help="Print this many rows; 0 for all.  [default: 20 as a table, else all]",
)
@format_option
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curve: a .png or .svg file.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads.  [default: all cores]")
@force_option
def like(
    run: Path, page: str, top: int | None, form: str, plot: Path | None, threads: int | None, force: bool
) -> None:
    """Rank all pages of a run by style similarity to one: one to all.

    The page is one of the run, or an HTML file. The similarity is the higher of two: that of the noise and
    that of the structure. Below the ranking you see the gaps in the curve and what changes there, a suggested
    threshold, and how many hosts and domains have pages above it.

    \b
    Examples:
      pagekin like run http://brostohemo.example/node1000.shtml
      pagekin like run a.html --top 100 --format csv > ranking.csv
      pagekin like run a.html --plot curve.svg
    """
    from pagekin.cli.tables import clean, print_table, write_rows
    from pagekin.look.words import plural
    from pagekin.query.run import Run

    if plot is not None:
        from pagekin.report.figures import check_plot

        check_plot(plot)
        require_free([plot], force=force)
    limit = (20 if top is None and form == "table" else top) or None
    found = Run(run).like(page, threads=threads, top=limit)
    if form == "table":
        if found.stored is not None and found.stored != page:
            click.echo(f"{page} is {clean(found.stored)} of this run, and is compared with all others")
        print_table(_shown(found.table), title=f"like {page}", total=found.compared)
        for gap in found.gaps:
            click.echo(str(gap))
        click.echo(
            f"suggested threshold {found.threshold:.3f}: {plural(found.pages, 'page')} on "
            f"{plural(found.hosts, 'host')} ({found.share_of_hosts:.1%} of all) and "
            f"{plural(found.domains, 'domain')} ({found.share_of_domains:.1%} of all)"
        )
    else:
        write_rows(found.table, form, sys.stdout.buffer)
    if plot is not None:
        from pagekin.report.figures import write_plot
        from pagekin.report.studies import like_figure

        write_plot(plot, like_figure(found, title=f"All pages by similarity to {page}"))
        click.echo(f"curve: {plot}", err=True)


def _shown(table: Rows) -> Rows:
    """The page, its similarity, and what it is the higher of if structures count."""
    parts = ["noise", "structure"] if table["structure"].null_count < table.num_rows else []
    return table.select(["similarity", *parts, "url"])
