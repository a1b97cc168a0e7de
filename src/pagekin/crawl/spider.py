"""The spider: tells the crawl's state what came of each request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import scrapy
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from pagekin.crawl.answer import parse_answer
from pagekin.crawl.failures import why_failed
from pagekin.crawl.middleware import HEAD, RECEIVED
from pagekin.crawl.params import CrawlParams
from pagekin.crawl.robots import UnreachableError
from pagekin.crawl.saturation import ADVISE, OFF, SATURATED
from pagekin.crawl.scheduler import TARGET
from pagekin.crawl.state import FrontierCrawl
from pagekin.crawl.warc import CrawlWriter

Listener = Callable[[FrontierCrawl], None]


class CrawlSpider(scrapy.Spider):
    """Holds the state of one crawl and ends it when it is time."""

    name = "pagekin"

    def __init__(
        self, state: FrontierCrawl, params: CrawlParams, writer: CrawlWriter, listen: Listener
    ) -> None:
        super().__init__()
        self.state = state
        self.params = params
        self.writer = writer
        self.per_host = 2 if params.delay else 8
        self.delays: dict[str, float] = {}
        """what the robots.txt of hosts asks for, in seconds"""
        self.ending: str | None = None
        self.problem: BaseException | None = None
        self.saturated_at: int | None = None
        self._listen = listen

    async def start(self) -> AsyncIterator[Any]:
        """The frontier holds the seeds already."""
        return
        yield

    def parse(self, response: Response, **_: Any) -> None:
        target, limit = response.meta[TARGET], self.params.max_page_bytes
        body = response.body if response.meta.get(RECEIVED, 0) <= limit else None
        answer = parse_answer(target.url, response.meta[HEAD], body, limit)
        self.state.settle(target, answer)
        self._after()

    def failed(self, failure: Failure) -> None:
        request: scrapy.Request = failure.request  # type: ignore[attr-defined]
        forbidden = isinstance(failure.value, IgnoreRequest)
        if forbidden and self.ending:
            return
        if isinstance(failure.value, UnreachableError):
            why = failure.value.why
        else:
            why = "robots" if forbidden else why_failed(failure.value)
        self.state.nothing(request.meta[TARGET], why, fetched=not forbidden)
        self._after()

    def end(self, reason: str, problem: BaseException | None = None) -> None:
        """Ends the crawl; what is being fetched is still waited for."""
        if self.ending is not None:
            return
        self.ending, self.problem = reason, problem
        engine = self.crawler.engine
        assert engine is not None
        self._closing = asyncio.ensure_future(engine.close_spider_async(reason=reason))

    def has_room(self) -> bool:
        """Whether one more URL may be asked for; ends the crawl when all that were allowed have come.

        What is on its way counts: it may come. What robots.txt forbids does not, and makes room again.
        """
        limit = self.params.max_pages
        if limit is None:
            return True
        if self._full():
            # A resumed crawl may have as many from the start: then nothing lands that would end it.
            self.end("max_pages")
            return False
        return self.state.curve.fetched + self.state.yields.in_flight.total() < limit

    def _full(self) -> bool:
        limit = self.params.max_pages
        return limit is not None and self.state.curve.fetched >= limit

    def _after(self) -> None:
        self._listen(self.state)
        if self._full():
            self.end("max_pages")
        elif self.params.saturation != OFF and self.saturated_at is None and self.state.saturation.reached():
            self.saturated_at = self.state.curve.fetched
            if self.params.saturation != ADVISE:
                self.end(SATURATED)
