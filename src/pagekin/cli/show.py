"""`pagekin show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option
from pagekin.cli.speech import as_flags
from pagekin.cli.terminal import escaped

if TYPE_CHECKING:
    from pagekin.run import Run


PAGED = ("duplicates", "fuzzy", "quilts", "covers")
"""Tables of which one page can be asked for."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("table", required=False)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    help="Print this many rows; 0 for all.  [default: 20 as a table, else all]",
)
@click.option("--where", metavar="EXPR", help="Only rows for which this SQL expression holds.")
@click.option("--sort", metavar="COLUMN[:desc]", help="Sort by this column, ascending or descending.")
@click.option(
    "--page",
    metavar="URL",
    help="One page. With duplicates or fuzzy: it and its copies. With quilts: its patches and sources. "
    "With covers: its donors.",
)
@click.option(
    "--columns",
    metavar="NAMES",
    help="Print only these columns, separated by commas.  [default: the main ones as a table, else all]",
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
    sort: str | None,
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
      pagekin show run style_clusters --sort domains:desc
      pagekin show run duplicates --page http://nagopulume.example/
      pagekin show run style_members --rank 7
      pagekin show run style_members --sample --format csv > to-check.csv
      pagekin show run skipped --format csv > skipped.csv
      pagekin show run quilts --page http://brostohemo.example/node1000.shtml
    """
    from pagekin.cli.tables import print_table, write_rows
    from pagekin.errors import UsageError
    from pagekin.query import show as query
    from pagekin.run import Run
    from pagekin.tables import TABLES

    opened = Run(run)
    if page is not None:
        if table not in PAGED:
            raise UsageError(f"--page goes with the tables {', '.join(PAGED)}")
        if table in ("covers", "quilts") and (where or columns or sort or top is not None):
            raise UsageError(f"with {table}, --page goes with --format alone")
        if table == "quilts":
            show_quilt(opened, page, form)
            return
    limit = (20 if top is None and form == "table" else top) or None
    names = [name.strip() for name in columns.split(",")] if columns else None
    total = None
    if page is not None and table == "covers":
        found = query.donors(opened, page)
    elif table is None:
        if where or names or sort or top is not None or rank is not None or sample:
            raise UsageError(
                f"--where, --columns, --sort and --top need a TABLE; `pagekin show {run}` lists them"
            )
        found = query.overview(opened)
    else:
        if form == "table" and names is None and table in TABLES:
            names = list(TABLES[table].brief) or None
        if (rank is not None or sample) and table not in ("style_clusters", "style_members"):
            raise UsageError("--rank and --sample are for the tables style_clusters and style_members")
        if rank is not None:
            where = query.both(f"rank = {query.require_rank(opened, rank)}", where)
        if page is not None:
            where = query.both(query.same_class(opened, table, page), where)
        if sample:
            where = query.both(query.sample_clusters(opened, table), where)
            limit = top or None
        found = query.rows(opened, table, where=where, columns=names, sort=sort, limit=limit)
        total = query.count(opened, table, where) if form == "table" else None
    if form == "table":
        print_table(found, title=table or str(run), total=total)
    else:
        write_rows(found, form, sys.stdout.buffer)
    if table is None and (unwell := opened.unwell):
        click.echo(f"pagekin: {escaped(as_flags(unwell))}", err=True)


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
