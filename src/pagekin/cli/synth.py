"""`pagekin synth`."""

from __future__ import annotations

from pathlib import Path

import click

from pagekin.cli.outputs import force_option, require_free
from pagekin.cli.progress import ProgressReporter, reporter_options


@click.command()
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The .warc.gz or .warc file."
)
@click.option("--pages", type=click.IntRange(min=1), default=2000, show_default=True, help="How many pages.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed makes another web.")
@force_option
@reporter_options
def synth(output: Path, pages: int, seed: int, force: bool, reporter: ProgressReporter) -> None:
    """Write a made-up web as a WARC file, and beside it what is true of it.

    The truth table NAME.truth.parquet says of each page which template, farm, mirror, near-duplicate group or
    sources it was made from.

    \b
    Examples:
      pagekin synth -o web.warc.gz
      pagekin synth -o big.warc.gz --pages 100000 --seed 7
    """
    from pagekin.fs import writing
    from pagekin.synth import write_web
    from pagekin.synth.write import truth_path

    require_free([output, truth_path(output)], force=force)
    with writing(output), reporter:
        reporter.step("synth")
        summary = write_web(output, pages=pages, seed=seed)
    reporter.say(f"{output}: {summary.pages:,} pages; truth in {summary.truth}", pages=summary.pages)
