"""`pagekin ssdeep`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import FORMATS
from pagekin.cli.terminal import fit_for
from pagekin.errors import DAMAGED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagekin.run import Run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--match",
    "known",
    type=click.Path(path_type=Path),
    help="Find the pages that are like the digests in this file.",
)
@click.option(
    "--threshold",
    type=click.IntRange(1, 100),
    default=90,
    show_default=True,
    help="With --match: the minimum score.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="For the screen, or for a program to read.  [default: ssdeep's own; with --match: table]",
)
def ssdeep(run: Path, known: Path | None, threshold: int, form: str | None) -> int:
    """Print the digests of a run in the ssdeep format, or match those of a file.

    Without --match it prints one line for each page: the digest of its text, and its URL as the file name.
    The ssdeep command reads that. With --match it prints each page that is like a digest of the file, the
    best first: the page's URL, the name that the file gives the digest, and the score. Digests whose
    signatures both have fewer than 7 characters match nothing.

    \b
    Examples:
      pagekin ssdeep run > run.ssdeep
      pagekin ssdeep run --match known.ssdeep --threshold 80
      pagekin ssdeep run --match known.ssdeep --format csv > matches.csv
    """
    from pagekin.cli.pipes import say_pipes
    from pagekin.run import Run

    opened = Run(run)
    if known is not None:
        say_pipes([known])
        return _match(opened, known, threshold, form or "table")
    if form is not None:
        from pagekin.cli.tables import give_rows, table_of

        rows = [{"url": url, "ssdeep": digest} for url, digest in _pages(opened)]
        give_rows(table_of(rows, {"url": "str", "ssdeep": "str"}), form, f"digests of {run}")
    else:
        from pagekin.query.digests import HEADER, digest_line

        click.echo(HEADER)
        for url, digest in _pages(opened):
            click.echo(fit_for(sys.stdout, digest_line(digest, url)))
    return 0


def _pages(run: Run) -> Iterator[tuple[str, str]]:
    """URL and digest of each page. Both tables have one row a page, in the same order."""
    urls = (url.as_py() for batch in run.batches("pages", ["url"]) for url in batch["url"])
    for batch in run.batches("sketches", ["ssdeep"]):
        for digest in batch["ssdeep"].to_pylist():
            yield next(urls) or "", digest


def _match(run: Run, known: Path, threshold: int, form: str) -> int:
    from pagekin import _core
    from pagekin.cli.tables import give_rows, table_of
    from pagekin.query.digests import DigestFile, in_one_line

    file = DigestFile(known)
    wanted = list(file)
    names = [in_one_line(name) for _, name in wanted]
    index = _core.DigestIndex()
    index.add([digest for digest, _ in wanted])
    rows = [
        {"url": in_one_line(url), "name": names[number], "score": score}
        for url, digest in _pages(run)
        for number, score in index.matches(digest, threshold)
    ]
    give_rows(table_of(rows, {"url": "str", "name": "str", "score": "int"}), form, f"like digests of {known}")
    if file.skipped:
        click.echo(f"pagekin: {file.skipped:,} line(s) of {known} are no digests", err=True)
        return DAMAGED
    return 0
