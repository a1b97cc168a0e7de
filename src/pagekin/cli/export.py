"""`pagekin export`."""

from __future__ import annotations

from pathlib import Path

import click

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
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The file: .jsonl, .jsonl.gz, .jsonl.zst, .parquet, .warc or .warc.gz.",
)
@click.option("--memory", type=SIZE, default="4GB", show_default=True, help="Memory to use.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads to use.  [default: all cores]")
@reporter_options
def export(
    run: Path,
    clean: bool,
    original_only: bool,
    min_words: int | None,
    output: Path,
    memory: int,
    threads: int | None,
    reporter: ProgressReporter,
) -> None:
    """Write what a run found in formats that others read.

    \b
    Examples:
      pagekin export run --clean -o corpus.jsonl.zst
      pagekin export run --clean --original-only --min-words 5 -o corpus.parquet
    """
    from pagekin.errors import UsageError
    from pagekin.export.clean import export_clean
    from pagekin.run import Run

    if not clean:
        raise UsageError("say what to export: --clean")
    if min_words is not None and not original_only:
        raise UsageError("--min-words goes with --original-only")
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
