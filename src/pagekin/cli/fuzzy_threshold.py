"""`pagekin fuzzy-threshold`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option
from pagekin.cli.outputs import force_option, require_free

if TYPE_CHECKING:
    from pagekin.studies.calibrate import Calibration

RANGES = {
    "score_from": "int", "score_to": "int", "pairs": "int", "mean": "float",
    "least": "float", "alike": "float",
}  # fmt: skip
"""Columns of the ranges of scores."""


@click.command("fuzzy-threshold")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    metavar="JACCARD",
    default=0.8,
    show_default=True,
    help="Two texts that are at least this similar are near duplicates to you.",
)
@click.option(
    "--pairs",
    type=click.IntRange(1, 10_000),
    default=200,
    show_default=True,
    help="Pairs to compare for each range of scores.",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the pairs into this PNG or SVG file.")
@format_option
@force_option
def fuzzy_threshold(
    run: Path, similarity: float, pairs: int, plot: Path | None, form: str, force: bool
) -> None:
    """Show what ssdeep scores mean on the texts of a run.

    Samples pairs of pages at each score and compares their texts exactly: the phrases of four words that both
    have, as a share of all phrases of either. The suggested threshold is the lowest score at and above which
    95% of the pairs are as similar as you ask for. Give it to `pagekin scan --fuzzy-threshold`.
    The figures stay with the run, and `pagekin report` shows them.

    \b
    Examples:
      pagekin fuzzy-threshold run
      pagekin fuzzy-threshold run --similarity 0.9 --plot scores.svg
    """
    from pagekin.cli.tables import give_rows, table_of
    from pagekin.report.figures import check_plot, write_plot
    from pagekin.report.studies import calibration_figure
    from pagekin.run import Run
    from pagekin.studies.calibrate import calibrate
    from pagekin.studies.kept import CALIBRATION, keep

    if plot is not None:
        check_plot(plot)
        require_free([plot], force=force)
    opened = Run(run)
    found = calibrate(opened, similarity, pairs)
    measured = found.measured(similarity)
    keep(opened, CALIBRATION, measured)
    rows = [
        {
            "score_from": part.low,
            "score_to": part.high,
            "pairs": part.pairs,
            "mean": part.mean,
            "least": part.min_similarity,
            "alike": part.alike,
        }
        for part in found.ranges
    ]
    give_rows(table_of(rows, RANGES), form, f"pairs by score; alike: the share with {similarity:g} or more")
    if form == "table":
        _suggest(found, similarity)
    if plot is not None:
        write_plot(plot, calibration_figure(measured))
        click.echo(f"wrote {plot}", err=True)


def _suggest(found: Calibration, similarity: float) -> None:
    from pagekin.studies.calibrate import FEW

    said, best = found.suggested, found.best
    if said is None:
        click.echo(
            f"suggested threshold: none; of pairs that score {best.score} or more, {best.alike:.0%} have a "
            f"similarity of {similarity:g}"
        )
    else:
        click.echo(f"suggested threshold: {said.score}")
    if (said or best).pairs < FEW:
        click.echo(f"only {(said or best).pairs} pairs bear that out: the run has few pairs with a score")
