"""`pagekin check`: new pages against what a run knows, and what people said of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option
from pagekin.cli.speech import as_flags
from pagekin.cli.terminal import fit_for

if TYPE_CHECKING:
    from pagekin.cli.tables import Rows
    from pagekin.query.checker import Answer, Asked, Checker

PAGES = (".html", ".htm", ".xhtml", ".txt")
"""Files that are one page; any other input is read as a crawl."""
COLUMNS = {
    "url": "str", "verdict": "str", "cluster": "int", "similarity": "float",
    "copies": "int", "near": "int", "copy_of": "str", "reason": "str",
}  # fmt: skip
"""What a row says of a page. `copies` have the same text, `near` pages almost; `copy_of` is the first one."""
TOGETHER = 128
"""Pages of a crawl that are checked at a time, if they are of this size together."""
TOGETHER_BYTES = 16 << 20


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("pages", metavar="INPUT...", nargs=-1, required=True)
@click.option("--styles", is_flag=True, help="Check only which style clusters it belongs to.")
@click.option("--duplicates", is_flag=True, help="Check only which pages have the same text, or nearly.")
@click.option("--quilts", is_flag=True, help="Check only whether it is a quilt of pages of the run.")
@click.option("--url", help="The page's URL; pages of that site are not foreign to it.")
@click.option("--ip", help="The IP address it was fetched from, for runs made with --foreign ip.")
@format_option
def check(
    run: Path,
    pages: tuple[str, ...],
    styles: bool,
    duplicates: bool,
    quilts: bool,
    url: str | None,
    ip: str | None,
    form: str,
) -> None:
    """Check pages against the pages of a run and the verdicts they carry.

    INPUT is an HTML or .txt file, the URL of a page of the run, or a crawl; every page of a crawl is checked.
    The first check builds an index in the run folder. Quilts need a run made with `scan --keep-grams`.
    With --format jsonl an answer has all its evidence; with csv and parquet it is one row.

    \b
    Examples:
      pagekin check run a.html
      pagekin check run a.html --duplicates
      pagekin check run crawl.warc.gz --format jsonl > answers.jsonl
      pagekin check indexed a.html --quilts --url https://example.org/page
    """
    from pagekin.cli.pipes import say_pipes
    from pagekin.cli.tables import print_table, write_rows
    from pagekin.detect.quilts.find import gram_index_path
    from pagekin.errors import RunError
    from pagekin.query.checker import CHECKS, Checker
    from pagekin.run import Run

    flags = (("style", styles), ("text", duplicates), ("quilt", quilts))
    wanted = [name for name, asked in flags if asked] or list(CHECKS)
    opened = Run(run)
    if quilts and not gram_index_path(opened).exists():
        raise RunError(f"{run} has no gram index; scan with --keep-grams to have one")
    say_pipes(pages)
    with closing(Checker(opened)) as checker:
        answers = _answers(checker, pages, url, ip, wanted)
        if form == "jsonl":
            for name, answer in answers:
                line = json.dumps({"input": name} | answer.as_dict(), ensure_ascii=False)
                sys.stdout.write(fit_for(sys.stdout, line) + "\n")
        elif form != "table":
            write_rows(_rows(answers), form, sys.stdout.buffer)
        elif len(pages) == 1 and _is_page(pages[0]):
            name, answer = next(answers)
            _tell(name, answer)
        else:
            rows = _rows(answers)
            told = [name for name in COLUMNS if name == "url" or rows[name].null_count < rows.num_rows]
            print_table(rows.select(told), title=f"{rows.num_rows:,} pages checked")


def _is_page(name: str) -> bool:
    return name.startswith(("http://", "https://")) or Path(name).suffix.lower() in PAGES


def _answers(
    checker: Checker, pages: tuple[str, ...], url: str | None, ip: str | None, wanted: list[str]
) -> Iterator[tuple[str, Answer]]:
    from pagekin.errors import UsageError
    from pagekin.query.checker import Asked, asked_file
    from pagekin.readers import read_pages

    if (url or ip) and (len(pages) > 1 or not _is_page(pages[0])):
        raise UsageError("--url and --ip are for a single page")
    for name in pages:
        if name.startswith(("http://", "https://")):
            yield name, checker.check_one(name)
        elif _is_page(name):
            yield name, checker.check([asked_file(name, url, ip)], wanted)[0]
        else:
            held: list[Asked] = []
            size = 0
            for record in read_pages(name):
                held.append(Asked(record.html, record.text, record.url, record.ip))
                size += len(record.html or record.text or "")
                if len(held) == TOGETHER or size > TOGETHER_BYTES:
                    yield from ((name, answer) for answer in checker.check(held, wanted))
                    held, size = [], 0
            yield from ((name, answer) for answer in checker.check(held, wanted))


def _tell(name: str, answer: Answer) -> None:
    """One page, in sentences and tables."""
    from pagekin.cli.tables import clean, print_rows

    said = answer.verdict
    if said is None:
        click.echo(f"{clean(name)}: no verdict reaches it")
    else:
        how = "judged by hand" if said["by_hand"] else "spread"
        click.echo(f"{clean(name)}: {said['label']}. {clean(said['reason'])}, {how} by {clean(said['who'])}.")
    for part in (answer.style, answer.text):
        if part is not None and not part["judged"]:
            click.echo(f"  {clean(part['why'])}")
    if answer.quilt is not None:
        click.echo("  " + _quilt(answer.quilt))
    for line in answer.evidence:
        click.echo(f"  {clean(line)}")
    clusters = answer.style["clusters"] if answer.style else []
    if clusters:
        rows = [{**c, "verdict": (c["verdict"] or {}).get("label")} for c in clusters]
        print_rows(rows, title="style clusters that it joins")
    elif answer.style is not None and answer.style["judged"]:
        click.echo("  of no style cluster of this run")
    if answer.quilt is not None and answer.quilt.get("sources"):
        print_rows(answer.quilt["sources"], title="sources")


def _quilt(found: dict[str, object]) -> str:
    if not found["checked"]:
        return as_flags(str(found["why"]))
    verdict = "a quilt" if found["quilt"] else "no quilt"
    return (
        f"{verdict} of these pages; {found['patch_grams']:,} of {found['grams']:,} grams are patch grams "
        f"({found['patch_fraction']:.1%}), {found['uncovered']:,} of them uncovered; "
        f"{found['own_grams']:,} are on no page of the run"
    )


def _rows(answers: Iterator[tuple[str, Answer]]) -> Rows:
    """Many pages, a row each."""
    from pagekin.cli.tables import table_of

    rows = []
    for name, answer in answers:
        clusters = answer.style["clusters"] if answer.style else []
        said = answer.verdict or {}
        exact, near = (answer.text["exact"], answer.text["near"]) if answer.text else (None, None)
        rows.append(
            {
                "url": answer.url or name,
                "verdict": said.get("label"),
                "reason": said.get("reason"),
                "cluster": clusters[0]["cluster"] if clusters else None,
                "similarity": clusters[0]["similarity"] if clusters else None,
                "copies": None if exact is None else len(exact),
                "near": None if near is None else len(near),
                "copy_of": next((one["url"] for one in (*(exact or ()), *(near or ()))), None),
            }
        )
    return table_of(rows, COLUMNS)
