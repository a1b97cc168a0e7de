"""`pagekin ssdeep`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagekin.run import Run

DAMAGED = 3
"""Finished, but some lines were no digests."""


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
    help="With --match: the least score.",
)
def ssdeep(run: Path, known: Path | None, threshold: int) -> int:
    """Print the digests of a run in the ssdeep format, or match those of a file.

    Without --match, one line for each page: the digest of its text, and its address as the file name. The
    ssdeep command reads that. With --match, one CSV line for each digest of the file and each page that is
    like it: the file's name for it, the page's address, the score. Digests whose signatures both have fewer
    than 7 characters match nothing.

    \b
    Examples:
      pagekin ssdeep run > run.ssdeep
      pagekin ssdeep run --match known.ssdeep --threshold 80
    """
    from pagekin.run import Run

    opened = Run(run)
    if known is None:
        from pagekin.digests import HEADER, digest_line

        click.echo(HEADER)
        for url, digest in _pages(opened):
            click.echo(digest_line(digest, url))
        return 0
    return _match(opened, known, threshold)


def _pages(run: Run) -> Iterator[tuple[str, str]]:
    """Address and digest of each page. Both tables have one row a page, in the same order."""
    urls = (url.as_py() for batch in run.batches("pages", ["url"]) for url in batch["url"])
    for batch in run.batches("sketches", ["ssdeep"]):
        for digest in batch["ssdeep"].to_pylist():
            yield next(urls) or "", digest


def _match(run: Run, known: Path, threshold: int) -> int:
    import csv
    import io

    from pagekin import _core
    from pagekin.cli.tables import clean
    from pagekin.digests import DigestFile

    file = DigestFile(known)
    wanted = list(file)
    index = _core.DigestIndex()
    index.add([digest for digest, _ in wanted])
    matches = []
    for place, (url, digest) in enumerate(_pages(run)):
        matches += [(number, -score, place, url) for number, score in index.matches(digest, threshold)]
    click.echo("name,url,score")
    for number, negative, _, url in sorted(matches):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([clean(wanted[number][1]), clean(url), -negative])
        click.echo(line.getvalue())
    if file.skipped:
        click.echo(f"pagekin: {file.skipped:,} line(s) of {known} are no digests", err=True)
        return DAMAGED
    return 0
