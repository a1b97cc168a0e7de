"""`pagekin crawl`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.outputs import require_free
from pagekin.cli.progress import ProgressReporter, reporter_options
from pagekin.cli.sizes import SIZE

if TYPE_CHECKING:
    from rich.live import Live

    from pagekin.crawl.start import Ended
    from pagekin.crawl.state import FrontierCrawl

REASONS = {
    "finished": "every URL was fetched",
    "pagekin_saturated": "saturated: what is left is not worth fetching; --resume --saturation off goes on",
    "max_pages": "as many pages as were asked for",
    "interrupted": "interrupted; go on with --resume",
}


@click.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The crawl folder to make."
)
@click.option(
    "--scope",
    type=click.Choice(["host", "domain", "prefix"]),
    default="host",
    show_default=True,
    help="Stay in the hosts, the registered domains, or the folders of the given URLs.",
)
@click.option(
    "--order",
    type=click.Choice(["unique-first", "breadth-first"]),
    default="unique-first",
    show_default=True,
    help="Fetch URLs that promise new pages first, or in the order they were found.",
)
@click.option(
    "--saturation",
    type=click.Choice(["off", "advise", "stop"]),
    default="stop",
    show_default=True,
    help="What to do when no URL that is left promises new pages.",
)
@click.option(
    "--worth",
    type=click.FloatRange(0.001, 1),
    metavar="RATE",
    default=0.08,
    show_default=True,
    help="A crawl is saturated below this many new unique pages per fetch.",
)
@click.option(
    "--threshold",
    type=click.IntRange(1, 100),
    default=90,
    show_default=True,
    help="Pages with at least this ssdeep score are near duplicates.",
)
@click.option("--max-pages", type=click.IntRange(min=1), help="Fetch at most this many URLs.")
@click.option(
    "--max-page",
    type=SIZE,
    default="16MiB",
    show_default=True,
    help="Give up on pages larger than this.",
)
@click.option(
    "--delay",
    type=click.FloatRange(0, 3600),
    metavar="SECONDS",
    default=1.0,
    show_default=True,
    help="Seconds between two requests to a host; robots.txt may ask for more.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3600),
    metavar="SECONDS",
    default=30.0,
    show_default=True,
    help="Seconds to wait for an answer.",
)
@click.option("--user-agent", help="The User-Agent header to send.  [default: pagekin/VERSION]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for ties and random choices.")
@click.option(
    "--allow-private",
    is_flag=True,
    help="Connect to loopback and private addresses too. [default: only where the given URLs are]",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the growth curve to a .png or .svg file.")
@click.option(
    "--resume", is_flag=True, help="Go on with a crawl that was stopped; begin it if there is none."
)
@click.option("--force", is_flag=True, help="Replace the file of --plot if it exists.")
@reporter_options
def crawl(
    urls: tuple[str, ...],
    output: Path,
    max_page: int,
    user_agent: str | None,
    plot: Path | None,
    resume: bool,
    force: bool,
    reporter: ProgressReporter,
    **options: Any,
) -> int:
    """Crawl sites politely, until there is nothing new to find.

    Writes WARC files that `pagekin scan` reads. robots.txt is obeyed. Pages whose text was seen before are
    counted as exact or near duplicates, and URLs that keep leading to such pages come last.

    \b
    Examples:
      pagekin crawl https://www.example.org/ -o crawl
      pagekin crawl https://www.example.org/list/1 -o part --scope prefix --delay 0.5
      pagekin crawl https://www.example.org/ -o crawl --resume --saturation off --max-pages 5000
    """
    from pagekin.cli.main import INTERRUPTED
    from pagekin.crawl.params import AGENT, CrawlParams
    from pagekin.crawl.start import crawl as run_crawl

    if plot is not None:
        from pagekin.report.figures import check_plot

        check_plot(plot)
        require_free([plot], force=force)
    params = CrawlParams(seeds=list(urls), max_page_bytes=max_page, user_agent=user_agent or AGENT, **options)
    with Screen(reporter) as screen:
        ended = run_crawl(params, output, resume=resume, listen=screen.show)
    _report(ended, output, reporter)
    if plot is not None:
        from pagekin.report.figures import write_plot
        from pagekin.report.growth import growth_figure

        curve = ended.state.curve.table().to_pylist()
        write_plot(plot, growth_figure(curve, "Unique pages and duplicates as the crawl went on"))
    return INTERRUPTED if ended.reason == "interrupted" else 0


def _report(ended: Ended, output: Path, reporter: ProgressReporter) -> None:
    state = ended.state
    point = state.curve.now()
    if ended.replayed:
        reporter.say(f"{ended.replayed:,} answers were there already", replayed=ended.replayed)
    reporter.say(line_of(state), **point._asdict())
    for why, count in sorted(state.failures.items()):
        reporter.say(f"no page {count:,}: {why}", reason=why, urls=count)
    for why, count in sorted(state.skipped.items()):
        reporter.say(f"not followed {count:,}: {why}", reason=why, links=count)
    if state.series.idle:
        idle = state.series.idle
        reporter.say(f"{idle:,} of the unique pages only counted on, as in a calendar without end", idle=idle)
    if ended.saturated_at is not None and ended.reason != "pagekin_saturated":
        reporter.say(
            f"saturated after {ended.saturated_at:,} fetches: --saturation stop would have ended there",
            saturated_at=ended.saturated_at,
        )
    reporter.say(REASONS.get(ended.reason, ended.reason), reason=ended.reason)
    reporter.say(f"crawl folder: {output}", crawl=str(output))


def line_of(state: FrontierCrawl) -> str:
    """How far a crawl is, in one line."""
    point = state.curve.now()
    return (
        f"{point.fetched:,} fetched: {point.unique:,} unique, {point.exact:,} exact duplicates, "
        f"{point.near:,} near duplicates, {point.redirects + point.other:,} others; {point.queued:,} queued"
    )


class Screen:
    """Shows how a crawl goes on: a line and its growth curve on a terminal, else a line now and then."""

    EVERY = 0.5
    KINDS = (("unique", "green"), ("exact", "red"), ("near", "yellow"))

    def __init__(self, reporter: ProgressReporter) -> None:
        self._reporter = reporter
        self._live: Live | None = None
        self._spoke = time.monotonic()
        self._every = reporter.EVERY

    def __enter__(self) -> Screen:
        if sys.stderr.isatty() and not self._reporter.quiet and not self._reporter.as_json:
            from rich.live import Live

            from pagekin.cli.color import console

            self._live = Live(console=console(sys.stderr), transient=True, auto_refresh=False)
            self._live.start()
            self._every = self.EVERY
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, state: FrontierCrawl) -> None:
        now = time.monotonic()
        if now - self._spoke < self._every:
            return
        self._spoke = now
        if self._live is not None:
            self._live.update(self._drawing(state), refresh=True)
        else:
            self._reporter.say(line_of(state), **state.curve.now()._asdict())

    def _drawing(self, state: FrontierCrawl) -> Any:
        from rich.text import Text

        from pagekin.crawl.draw import braille

        assert self._live is not None
        points = [*state.curve.points, state.curve.now()]
        series = [[(p.fetched, getattr(p, kind)) for p in points] for kind, _ in self.KINDS]
        width = max(10, min(self._live.console.width - 2, 100))
        text = Text(line_of(state) + "\n")
        for row in braille(series, width, 10):
            for cell in row:
                text.append(chr(cell >> 8), style=self.KINDS[cell & 0xFF][1])
            text.append("\n")
        for kind, color in self.KINDS:
            text.append(f"━ {kind}  ", style=color)
        forecast = state.saturation.forecast()
        text.append(f"at most {forecast.best:.0%} new per fetch, {forecast.mean:.0%} expected")
        return text
