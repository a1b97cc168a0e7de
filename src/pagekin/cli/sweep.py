"""`pagekin sweep`."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

import click

from pagekin.cli.flags import format_option
from pagekin.cli.outputs import force_option, require_free
from pagekin.cli.progress import ProgressReporter, reporter_options
from pagekin.cli.sizes import SIZE


class GridValues(click.ParamType):  # type: ignore[type-arg]
    """Values as `2..10`, `10..80:10` (with a step) or `2,5,9`."""

    name = "values"

    def __init__(self, step: str, *, whole: bool = True) -> None:
        self.step = Decimal(step)
        self.whole = whole

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int] | list[float]:
        if not isinstance(value, str):
            return value  # type: ignore[return-value]
        try:
            return [self._number(item) for item in self._items(value)]
        except (InvalidOperation, ValueError):
            self.fail(f"{value!r} is neither like 2..10, 10..80:10 nor like 2,5,9", param, ctx)

    def _items(self, value: str) -> list[Decimal]:
        if ".." not in value:
            return [Decimal(item) for item in value.split(",") if item.strip()]
        first, _, rest = value.partition("..")
        last, _, step = rest.partition(":")
        low, high, by = Decimal(first), Decimal(last), Decimal(step) if step else self.step
        if by <= 0 or (high - low) / by > 1000:
            raise ValueError
        return [low + by * n for n in range(int((high - low) / by) + 1)] if high >= low else []

    def _number(self, item: Decimal) -> int | float:
        if self.whole and item != item.to_integral_value():
            raise ValueError
        return int(item) if self.whole else float(item)


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--k", type=GridValues("1"), default="2..10", show_default=True, help="Words in a gram.")
@click.option(
    "--c", type=GridValues("1"), default="2..10", show_default=True, help="Sources of a quilt, at least."
)
@click.option(
    "--m", type=GridValues("10"), default="10..80", show_default=True, help="Pages of a patch gram, at most."
)
@click.option(
    "--theta",
    type=GridValues("0.1", whole=False),
    default="0.4..1.0",
    show_default=True,
    help="Fraction of grams that count, at least.",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the four curves to this PNG or SVG file.")
@format_option
@click.option("--memory", type=SIZE, default="4GB", show_default=True, help="Memory to use.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads.  [default: all cores]")
@force_option
@reporter_options
def sweep(
    run: Path,
    k: list[int],
    c: list[int],
    m: list[int],
    theta: list[float],
    plot: Path | None,
    form: str,
    memory: int,
    threads: int | None,
    force: bool,
    reporter: ProgressReporter,
) -> None:
    """Count the quilts of a run for a grid of parameters, each varied around the run's own.

    Values are given as 2..10, as 10..80:10 with a step, or as 2,5,9. The texts are read once for each k; all
    values of c and theta come from the same covers. Two columns count the quilts by covered and by
    patch grams. The run must have been scanned; it need not have quilts.
    The counts stay with the run, and `pagekin report` shows them.

    \b
    Examples:
      pagekin sweep run
      pagekin sweep run --k 5 --c 2..10 --m 50 --theta 0.4..1.0 --plot sweep.svg
      pagekin sweep run --k 3..7 --format csv > sweep.csv
    """
    import os

    from pagekin.cli.tables import print_table, write_rows
    from pagekin.report.figures import check_plot
    from pagekin.run import Run
    from pagekin.studies.kept import SWEEP, keep
    from pagekin.studies.sweep import Grid
    from pagekin.studies.sweep import sweep as run_sweep

    if plot is not None:
        check_plot(plot)
        require_free([plot], force=force)
    opened = Run(run)
    grid = Grid(opened.params.quilts, k, c, m, theta)
    with reporter:
        reporter.step("sweep")
        found = run_sweep(
            opened,
            grid,
            threads=threads or len(os.sched_getaffinity(0)),
            memory=memory,
            progress=reporter,
        )
    points = found.to_pylist()
    pivot = {name: getattr(grid.pivot, name) for name in ("k", "m", "c", "theta")}
    keep(opened, SWEEP, {"pivot": pivot, "points": points})
    if plot is not None:
        from pagekin.report.figures import tiled, write_plot
        from pagekin.report.studies import sweep_figures

        title = f"Quilts of {run} by parameters"
        write_plot(plot, tiled(sweep_figures(points, pivot), "sweep", title))
    if form == "table":
        print_table(found, title=f"quilts of {run}")
    else:
        write_rows(found, form, sys.stdout.buffer)
