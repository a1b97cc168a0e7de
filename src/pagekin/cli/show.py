"""`pagekin show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option

if TYPE_CHECKING:
    from pagekin.run import Run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("table", required=False)
@click.option("--top", type=click.IntRange(min=0), help="So many rows.  [default: 20 as a table, else all]")
@click.option("--where", metavar="EXPR", help="Only rows for which this SQL expression holds.")
@click.option(
    "--page",
    metavar="URL",
    help="With quilts: one quilt, its patches and sources. With covers: one page and its donors.",
)
@click.option(
    "--columns",
    metavar="NAMES",
    help="Only these columns, separated by commas; a table on the screen shows the main ones.",
)
@click.option("--rank", type=click.IntRange(min=1), help="Only the style cluster of this rank.")
@click.option(
    "--sample",
    is_flag=True,
    help="Style clusters to check by eye: the first 50 and 50 others, each with a few of its members.",
)
@format_option
def show(
    run: Path,
    table: str | None,
    top: int | None,
    where: str | None,
    columns: str | None,
    rank: int | None,
    sample: bool,
    page: str | None,
    form: str,
) -> None:
    """Print a table of a run, or without TABLE what the run holds.

    \b
    Examples:
      pagekin show run
      pagekin show run pages --top 10
      pagekin show run pages --where "words < 20 and domain = 'example.org'"
      pagekin show run style_clusters
      pagekin show run style_members --rank 7
      pagekin show run style_members --sample --format csv > to-check.csv
      pagekin show run skipped --format csv > skipped.csv
      pagekin show run quilts --page http://brostohemo.example/node1000.shtml
    """
    from pagekin.cli.tables import print_table, write_rows
    from pagekin.errors import UsageError
    from pagekin.query.show import both, donors, overview, require_rank, rows, sample_clusters
    from pagekin.run import Run
    from pagekin.tables import TABLES

    opened = Run(run)
    if page is not None:
        if table not in ("covers", "quilts") or where or columns or top is not None or rank or sample:
            raise UsageError("--page goes with the tables covers and quilts, and with --format alone")
        if table == "quilts":
            show_quilt(opened, page, form)
            return
    limit = 20 if top is None and form == "table" else top
    names = [name.strip() for name in columns.split(",")] if columns else None
    if page is not None:
        found = donors(opened, page)
    elif table is None:
        if where or names or top is not None or rank is not None or sample:
            raise UsageError(f"--where, --columns and --top need a TABLE; `pagekin show {run}` lists them")
        found = overview(opened)
    else:
        if form == "table" and names is None and table in TABLES:
            names = list(TABLES[table].brief) or None
        if (rank is not None or sample) and table not in ("style_clusters", "style_members"):
            raise UsageError("--rank and --sample are for the tables style_clusters and style_members")
        if rank is not None:
            where = both(f"rank = {require_rank(opened, rank)}", where)
        if sample:
            where = both(sample_clusters(opened, table), where)
            limit = top
        found = rows(opened, table, where=where, columns=names, limit=limit)
    if form == "table":
        print_table(found, title=table or str(run))
    else:
        write_rows(found, form, sys.stdout.buffer)


def show_quilt(run: Run, page: str, form: str) -> None:
    """One quilt: its text and sources for a person, its patches for a program."""
    from pagekin.cli.quilt_view import print_quilt
    from pagekin.cli.tables import write_rows
    from pagekin.query.quilt_view import quilt

    # No page id has more digits.
    found = quilt(run, int(page) if page.isdecimal() and len(page) < 19 else page)
    if form == "table":
        print_quilt(found)
    else:
        write_rows(found.table(), form, sys.stdout.buffer)
