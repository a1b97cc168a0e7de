"""`pagekin verdicts`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.flags import format_option
from pagekin.cli.outputs import force_option, require_free

if TYPE_CHECKING:
    from pagekin.index.catalog import Catalog
    from pagekin.run import Run
    from pagekin.verdicts.state import State


SAMPLES = {
    "sample": "str", "judge": "str", "parameters": "str", "of": "int", "judged": "int", "spam": "int",
    "share": "float", "from": "float", "to": "float",
}  # fmt: skip
"""Columns of the judged samples. The share lies between `from` and `to` with 95% confidence."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--export", "to", type=click.Path(path_type=Path, dir_okay=False), help="Write all rows: .csv or .jsonl."
)
@click.option(
    "--import",
    "source",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Add the rows of a .csv or .jsonl file.",
)
@format_option
@force_option
def verdicts(run: Path, to: Path | None, source: Path | None, form: str, force: bool) -> None:
    """Show what people decided, or move it between runs and files.

    Without an option: the share of spam in judged samples with its 95% interval, and how far judges agree.
    Imported rows keep their judge and time; rows that the run has already are left out. If a page has
    another id in this run, it is found by its URL. A CSV needs the columns kind, label, and url or target.

    \b
    Examples:
      pagekin verdicts run
      pagekin verdicts run --export verdicts.csv
      pagekin verdicts run --import verdicts.csv
    """
    from pagekin.fs import write_atomically, writing
    from pagekin.index.catalog import Catalog
    from pagekin.run import Run
    from pagekin.verdicts import State, files

    require_free([to], force=force)
    opened = Run(run)
    state = State(opened)
    if source is not None:
        done = files.import_rows(state.store, Catalog(opened), source)
        click.echo(
            f"{done.added:,} verdicts added; {done.known:,} were there already; "
            f"{done.elsewhere:,} are about pages that this run does not have",
            err=True,
        )
        state.refresh()
    if to is not None:
        kind = files.format_of(to)
        with writing(to):
            write_atomically(to, "".join(files.written(state.rows(), kind)).encode())
        click.echo(f"{len(state.rows()):,} rows written to {to}", err=True)
    if source is None and to is None:
        _tell(opened, state, Catalog(opened), form)


def _tell(run: Run, state: State, catalog: Catalog, form: str) -> None:
    from pagekin.cli.tables import clean, give_rows, print_rows, table_of
    from pagekin.look.words import plural
    from pagekin.verdicts.precision import agreements, estimates

    found = estimates(catalog, state, run.params)
    rows = [
        {
            "sample": str(one.sample),
            "judge": one.who or "all",
            "parameters": one.params,
            "of": one.population,
            "judged": one.judged,
            "spam": one.labels["spam"],
            "share": one.share,
            **dict(
                zip(
                    ("from", "to"),
                    one.interval if one.sample.order == "random" else (None, None),
                    strict=True,
                )
            ),
        }
        for one in found
    ]
    if form != "table":
        give_rows(table_of(rows, SAMPLES), form, "judged samples")
        return
    verdicts, judges = len(state.rows()), len(state.judges())
    click.echo(f"{plural(verdicts, 'verdict')} by {plural(judges, 'judge')}")
    if not verdicts:
        click.echo(f"judge findings with `pagekin serve {shlex.quote(str(run.path))}`")
    if rows:
        print_rows([_for_people(row) for row in rows], title="judged samples")
    for both in agreements(state):
        kappa = "" if both.kappa is None else f", kappa {both.kappa:.2f}"
        share = both.agreed / both.common
        click.echo(
            f"{clean(both.first)} and {clean(both.second)} agree on {share:.1%} of {both.common:,}{kappa}"
        )
    sys.stdout.flush()


def _for_people(row: dict[str, Any]) -> dict[str, Any]:
    from pagekin.look.words import percent

    said = {name: value for name, value in row.items() if name not in ("share", "from", "to")}
    said["share"] = None if row["share"] is None else percent(row["share"])
    said["95% interval"] = None if row["from"] is None else f"{percent(row['from'])} to {percent(row['to'])}"
    return said
