"""`pagekin check`: one page against the pages of a run. Each kind of check is a flag and a function."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pagekin.query.run import Run


@dataclass(frozen=True)
class Asked:
    name: str
    html: bytes
    text: str
    url: str | None
    ip: str | None


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("page", type=click.Path())
@click.option("--styles", is_flag=True, help="Which style clusters of the run does it belong to?")
@click.option("--quilts", is_flag=True, help="Is it a quilt of pages of the run, and of which?")
@click.option("--url", help="Where the page is from; pages of that site are not foreign to it.")
@click.option("--ip", help="The IP address it was fetched from, for runs made with --foreign ip.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl"]),
    default="table",
    show_default=True,
    help="For the screen, or for a program to read.",
)
def check(
    run: Path, page: str, styles: bool, quilts: bool, url: str | None, ip: str | None, form: str
) -> None:
    """Check one page, an HTML or .txt file, against the pages of a run.

    Without a flag the style clusters are looked at. --quilts needs a run made with `scan --keep-grams`.

    \b
    Examples:
      pagekin check run a.html
      pagekin check indexed a.html --quilts --url https://example.org/page
      pagekin check indexed b.html --quilts --format jsonl
    """
    from pagekin.query.run import Run

    wanted = [name for name, asked in (("styles", styles), ("quilts", quilts)) if asked] or ["styles"]
    asked = _read(page, url, ip)
    opened = Run(run)
    for name in wanted:
        CHECKS[name](opened, asked, form)


def _read(name: str, url: str | None, ip: str | None) -> Asked:
    """Reads the page. Its name stays as it was given: a `Path` would take a slash from a URL."""
    from pagekin.errors import InputError
    from pagekin.query.single import text

    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    plain = data.decode("utf-8", "replace") if Path(name).suffix == ".txt" else text(data)
    return Asked(name, data, plain, url, ip)


def check_styles(run: Run, asked: Asked, form: str) -> None:
    from pagekin.cli.tables import clean, print_table

    found = run.check(asked.name)
    if form == "jsonl":
        row = {"check": "styles", "page": asked.name, "clusters": found.to_pylist()}
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    if found.num_rows == 0:
        click.echo(f"{clean(asked.name)}: of no style cluster of this run")
        return
    print_table(found.drop_columns(["cluster"]), title=f"style clusters that {clean(asked.name)} joins")


def check_quilts(run: Run, asked: Asked, form: str) -> None:
    from pagekin.cli.tables import clean, print_table
    from pagekin.query.check import KnownGrams

    found = KnownGrams(run).check(asked.text, asked.url, asked.ip)
    if form == "jsonl":
        row = {"check": "quilts", "page": asked.name, "patch_fraction": found.patch_fraction} | vars(found)
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    verdict = "a quilt" if found.quilt else "no quilt"
    click.echo(
        f"{clean(asked.name)}: {verdict} of these pages; {found.patch_grams:,} of {found.grams:,} grams "
        f"are patch grams ({found.patch_fraction:.1%}), {found.uncovered:,} of them uncovered; "
        f"{found.own_grams:,} are on no page of the run"
    )
    if found.sources:
        print_table(found.table(), title="sources")


CHECKS = {"styles": check_styles, "quilts": check_quilts}
"""What can be checked, each by the flag of its name."""
