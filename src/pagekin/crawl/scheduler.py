"""Scrapy's side of the frontier: gives the engine the next request, and takes what is to be tried again."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler

from pagekin.crawl.frontier import Target

if TYPE_CHECKING:
    from pagekin.crawl.spider import CrawlSpider

TARGET = "pagekin_target"
"""Where a request carries its target."""


class FrontierScheduler(BaseScheduler):
    """Asks the crawl's state what to fetch next."""

    spider: CrawlSpider

    def __init__(self) -> None:
        self._again: deque[Request] = deque()

    def open(self, spider: Any) -> None:
        """The spider holds the state."""
        self.spider = spider

    def has_pending_requests(self) -> bool:
        return bool(self._again) or (not self.spider.ending and len(self.spider.state.frontier) > 0)

    def enqueue_request(self, request: Request) -> bool:
        """A request that is tried again; new URLs come from the frontier alone."""
        self._again.append(request)
        return True

    def next_request(self) -> Request | None:
        """The next request, if there is one for a host that is not busy."""
        if self._again:
            return self._again.popleft()
        if self.spider.ending:
            return None
        state = self.spider.state
        if not self.spider.has_room():
            return None
        fetching: Counter[str] = Counter()
        for arm, count in state.yields.in_flight.items():
            fetching[arm.host] += count
        busy = [host for host, count in fetching.items() if count >= self.spider.per_host]
        target = state.next(busy)
        return self._request(target) if target is not None else None

    def _request(self, target: Target) -> Request:
        return Request(
            target.url,
            callback=self.spider.parse,
            errback=self.spider.failed,
            dont_filter=True,
            meta={TARGET: target, "dont_redirect": True, "handle_httpstatus_all": True},
        )
