"""`pagekin show`."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("table", required=False)
@click.option("--top", type=click.IntRange(min=0), help="So many rows.  [default: 20 as a table, else all]")
@click.option("--where", metavar="EXPR", help="Only rows for which this SQL expression holds.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="Only these columns, separated by commas; a table on the screen shows the main ones.",
)
@click.option("--page", metavar="URL", help="With covers: one page and its donors.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "csv", "parquet"]),
    default="table",
    show_default=True,
    help="For the screen, or for a program to read.",
)
def show(
    run: Path,
    table: str | None,
    top: int | None,
    where: str | None,
    columns: str | None,
    page: str | None,
    form: str,
) -> None:
    """Print a table of a run, or without TABLE what the run holds.

    \b
    Examples:
      pagekin show run
      pagekin show run pages --top 10
      pagekin show run pages --where "words < 20 and domain = 'example.org'"
      pagekin show run skipped --format csv > skipped.csv
    """
    from pagekin.cli.tables import print_table, write_rows
    from pagekin.errors import UsageError
    from pagekin.run import Run
    from pagekin.show import donors, overview, rows
    from pagekin.tables import TABLES

    opened = Run(run)
    limit = 20 if top is None and form == "table" else top
    names = [name.strip() for name in columns.split(",")] if columns else None
    if page is not None:
        if table != "covers" or where or names or top is not None:
            raise UsageError("--page goes with the table covers, and with --format alone")
        found = donors(opened, page)
    elif table is None:
        if where or names or top is not None:
            raise UsageError(f"--where, --columns and --top need a TABLE; `pagekin show {run}` lists them")
        found = overview(opened)
    else:
        if form == "table" and names is None and table in TABLES:
            names = list(TABLES[table].brief) or None
        found = rows(opened, table, where=where, columns=names, limit=limit)
    if form == "table":
        print_table(found, title=table or str(run))
    else:
        write_rows(found, form, sys.stdout.buffer)
