"""`pagekin export`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pagekin.cli.outputs import force_option, require_free
from pagekin.cli.progress import ProgressReporter, reporter_options
from pagekin.cli.sizes import SIZE


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--clean", is_flag=True, help="The corpus with one page of each duplicate class.")
@click.option("--original-only", is_flag=True, help="With --clean: cut what an earlier page has too.")
@click.option(
    "--min-words",
    type=click.IntRange(min=1),
    help="With --original-only: leave out passages of fewer words.  [default: 1]",
)
@click.option("--blocklist", is_flag=True, help="What people judged as spam, as a list for filters.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["domains", "hosts", "urls", "jsonl", "adblock"]),
    help="With --blocklist: what the list holds.  [default: domains]",
)
@click.option(
    "--min-pages",
    type=click.IntRange(min=1),
    help="With --blocklist: spam pages a site must have.  [default: 5]",
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="With --blocklist: share of its pages that must be spam.  [default: 0.8]",
)
@click.option(
    "--evidence",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --blocklist: a JSONL file with the reasons for each line.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file: .jsonl, .jsonl.gz, .jsonl.zst, .parquet, .warc or .warc.gz; a list: any, or stdout.",
)
@click.option("--memory", type=SIZE, default="4GB", show_default=True, help="Memory to use.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads to use.  [default: all cores]")
@force_option
@reporter_options
def export(
    run: Path,
    clean: bool,
    original_only: bool,
    min_words: int | None,
    blocklist: bool,
    form: str | None,
    min_pages: int | None,
    min_share: float | None,
    evidence: Path | None,
    output: Path | None,
    memory: int,
    threads: int | None,
    force: bool,
    reporter: ProgressReporter,
) -> None:
    """Write what a run found in formats that others read.

    \b
    Examples:
      pagekin export run --clean -o corpus.jsonl.zst
      pagekin export run --clean --original-only --min-words 5 -o corpus.parquet
      pagekin export run --blocklist --format domains --min-pages 5 --min-share 0.8
      pagekin export run --blocklist --format adblock --evidence why.jsonl -o spam.txt
    """
    from pagekin.errors import UsageError
    from pagekin.export.clean import export_clean
    from pagekin.run import Run

    if clean == blocklist:
        raise UsageError("say what to export: --clean or --blocklist")
    if blocklist:
        if original_only or min_words is not None:
            raise UsageError("--original-only and --min-words go with --clean")
        require_free([output, evidence], force=force)
        _export_blocklist(
            run, form or "domains", min_pages or 5, 0.8 if min_share is None else min_share, evidence, output
        )
        return
    if form or min_pages or min_share is not None or evidence:
        raise UsageError("--format, --min-pages, --min-share and --evidence go with --blocklist")
    if output is None:
        raise UsageError("say where the corpus goes: -o FILE")
    if min_words is not None and not original_only:
        raise UsageError("--min-words goes with --original-only")
    require_free([output], force=force)
    with reporter:
        reporter.step("export")
        done = export_clean(
            Run(run),
            output,
            original_only=original_only,
            min_words=min_words or 1,
            threads=threads,
            memory=memory,
            progress=reporter,
        )
    reporter.say(
        f"{done.pages:,} pages written; left out: {done.copies:,} copies, {done.empty:,} pages without text"
        + (f", {done.cut:,} pages with nothing of their own left" if original_only else ""),
        pages=done.pages,
        copies=done.copies,
        empty=done.empty,
        cut=done.cut,
    )
    reporter.say(f"file: {output}", file=str(output))


def _export_blocklist(
    run: Path, form: str, min_pages: int, min_share: float, evidence: Path | None, output: Path | None
) -> None:
    from pagekin.cli.terminal import fit_for
    from pagekin.fs import write_atomically, writing
    from pagekin.index.catalog import Catalog
    from pagekin.run import Run
    from pagekin.verdicts import State
    from pagekin.verdicts.blocklist import Thresholds, block_list, written

    opened = Run(run)
    lines = list(block_list(Catalog(opened), State(opened), form, Thresholds(min_pages, min_share)))

    def text(as_form: str) -> str:
        return "".join(f"{line}\n" for line in written(iter(lines), as_form, of=form))

    if evidence is not None:
        with writing(evidence):
            write_atomically(evidence, text("jsonl").encode())
    if output is None:
        click.echo(fit_for(sys.stdout, text(form)), nl=False)
    else:
        with writing(output):
            write_atomically(output, text(form).encode())
    click.echo(f"{len(lines):,} lines", err=True)
