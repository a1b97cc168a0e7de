"""Starts a crawl and says how it ended."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pagekin.crawl.folder import CrawlFolder, crawl_folder
from pagekin.crawl.params import CrawlParams
from pagekin.crawl.replay import replay
from pagekin.crawl.saturation import SATURATED, STOP
from pagekin.crawl.scope import Scope
from pagekin.crawl.state import FrontierCrawl
from pagekin.crawl.warc import CrawlWriter
from pagekin.errors import MissingExtraError, NoPagesError, RunError
from pagekin.fs import writing
from pagekin.urls import split_url

SAVE_EVERY = 10.0
"""Seconds between two versions of the curve on disk."""

_started = False


@dataclass(frozen=True)
class Ended:
    state: FrontierCrawl
    reason: str
    """finished, pagekin_saturated, max_pages or interrupted"""
    saturated_at: int | None
    """fetches after which the rule was met, if it was"""
    replayed: int
    """answers that were there already"""


def crawl(
    params: CrawlParams,
    output: Path,
    *,
    resume: bool = False,
    listen: Callable[[FrontierCrawl], None] | None = None,
) -> Ended:
    """Crawls into a folder. Once per process: the reactor beneath Scrapy cannot be started again."""
    global _started
    try:
        import scrapy  # noqa: F401
    except ImportError:
        raise MissingExtraError("crawling", "crawl") from None
    scope = Scope(params.seeds, params.scope)
    if _started:
        raise RunError("a process can crawl once; start another for another crawl")
    with crawl_folder(output, params, resume=resume) as folder:
        patient = params.saturation == STOP
        state = FrontierCrawl(scope, params.order, params.seed, params.worth, params.threshold, patient)
        with writing(output, resumable=True):
            replayed = replay(output, state, params.max_page_bytes)
            if params.saturation == STOP and len(state.frontier) and state.saturation.holds():
                folder.save(state, SATURATED)
                return Ended(state, SATURATED, state.curve.fetched, replayed)
            folder.save(state, None)
            writer = CrawlWriter(output, params.user_agent)
        _started = True
        try:
            reason, saturated_at = _drive(folder, state, writer, listen or (lambda state: None))
        finally:
            writer.close()
            with writing(output, resumable=True):
                folder.save(state, None)
        with writing(output, resumable=True):
            folder.save(state, reason)
    point = state.curve.now()
    if not point.unique and reason != "interrupted":
        raise NoPagesError(f"no page was fetched: {_why(state) or 'no URL was left to fetch'}")
    return Ended(state, reason, saturated_at, replayed)


def _drive(
    folder: CrawlFolder,
    state: FrontierCrawl,
    writer: CrawlWriter,
    listen: Callable[[FrontierCrawl], None],
) -> tuple[str, int | None]:
    from scrapy.crawler import AsyncCrawlerProcess

    from pagekin.crawl.settings import settings
    from pagekin.crawl.spider import CrawlSpider

    saved = time.monotonic()

    def after(state: FrontierCrawl) -> None:
        nonlocal saved
        listen(state)
        if time.monotonic() - saved >= SAVE_EVERY:
            saved = time.monotonic()
            try:
                folder.save(state, None)
            except OSError as error:
                spider().end("output", error)

    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    process = AsyncCrawlerProcess(settings(folder.params))
    crawler = process.create_crawler(CrawlSpider)

    def spider() -> CrawlSpider:
        assert isinstance(crawler.spider, CrawlSpider)
        return crawler.spider

    ended = process.crawl(crawler, state, folder.params, writer, after)
    interrupts = 0

    def interrupt(*_: object) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1 or crawler.spider is None:
            # What was fetched is on disk already.
            raise KeyboardInterrupt
        from twisted.internet import reactor

        reactor.callFromThread(lambda: spider().end("interrupted"))

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        process.start(install_signal_handlers=False)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if ended.done() and ended.exception() is not None:
        raise ended.exception()  # type: ignore[misc]
    done = spider()
    if done.problem is not None:
        with writing(folder.path, resumable=True):
            raise done.problem
    return done.ending or "finished", done.saturated_at


ADVICE = {
    "dns": "no host answers at {hosts}: check the spelling",
    "refused": "{hosts} refused the connection: check the port, and that a server runs there",
    "timeout": "{hosts} did not answer in time: try again later, or with a longer timeout",
    "connection": "{hosts} closed the connection: check whether it wants http or https",
    "robots": "robots.txt of {hosts} does not allow it",
    "not-html": "what {hosts} sent is no HTML: give the URL of a page",
}
"""What to do if not a single page came, by the reason."""


def _why(state: FrontierCrawl) -> str:
    hosts = ", ".join(sorted({url.netloc for seed in state.scope.seeds if (url := split_url(seed))}))
    failed = [
        ADVICE[why].format(hosts=hosts) if why in ADVICE else f"{why} {count}"
        for why, count in sorted(state.failures.items())
    ]
    return ", ".join(
        failed + [f"not followed {count}: {why}" for why, count in sorted(state.skipped.items())]
    )
