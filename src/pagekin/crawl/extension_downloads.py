"""Where each request of somebody's spider is: waiting, on its way, or done.

Scrapy tells that a request is about to be queued, but not all that may happen then: others refuse it before
it is queued, or before it is fetched, answer it from a cache, or put another in its place. So nothing here
waits to be told that something ended:

    waiting       from that signal on, if the scheduler's own count has grown by the next time one looks
    on its way    from our downloader middleware on, as long as Scrapy's downloader or scraper hold it

A page is on its way until the spider has done with it: the URLs on it may be what is still to come.

What a request carries in its meta are plain tuples, so that it can be written to a queue on disk.
"""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Any

from pagekin.crawl.patterns import Arm, SeenUrls
from pagekin.urls import parse_url, url_pattern

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from pagekin.crawl.yields import Yields

ARM = "pagekin_arm"
"""Where a request carries its arm until its response was judged."""
VIA = "pagekin_via"
"""And the arms of those in whose place it came: a redirect is worth what it leads to."""
WAITS = "pagekin_waits"
"""Where it carries, while it waits, the run in which it does, its own identity, and by how much it was put
back."""
SAME_URL = "(url)"
"""What made a URL new that was met before in all its parts: nothing but that it is asked for again."""

ENQUEUED = "scheduler/enqueued"
STEPS_BACK = 10
"""Priorities between a URL of which all is new and one whose arm brings nothing."""


class InFlightRequests:
    """Tells `yields` of each request when it waits and when it is on its way, each exactly once."""

    def __init__(self, crawler: Crawler, yields: Yields, *, order: bool) -> None:
        self._crawler = crawler
        self._yields = yields
        self._order = order
        self._seen_urls = SeenUrls()
        self._run = token_hex(4)
        self._flying: dict[Request, Arm] = {}
        self._last: Request | None = None
        self._unsure: list[Request] = []
        self._enqueued: int | None = None

    def schedule(self, request: Request) -> None:
        """It is about to be queued."""
        self.drop_unqueued()
        self._last = None
        if tuple(request.meta.get(WAITS, ())[:2]) == (self._run, id(request)):
            return  # one object yielded twice: it has one place to note where it is, and waits already
        before = take_arms(request.meta)
        # With an arm but not waiting: made from one that was on its way. Spiders see none that has an arm.
        if before and WAITS not in request.meta:
            request.meta[VIA] = tuple(map(tuple, dict.fromkeys(before)))
        self._restore(request)
        arm = self._arm(request)
        back = max(1, round(STEPS_BACK * (1 - self._yields.bound(arm)))) if self._order and arm.again else 0
        request.priority -= back
        request.meta[ARM] = tuple(arm)
        request.meta[WAITS] = self._run, id(request), back
        self._yields.queue(arm)
        self._unsure.append(request)
        self._last = request

    def drop(self, request: Request) -> None:
        """The scheduler did not want it."""
        if request is self._last:
            self._forget(request)

    def drop_unqueued(self) -> None:
        """Forgets requests that were about to be queued and then were not.

        There is no signal for a request that another receiver of the signal refused. But the engine asks all
        receivers and then the scheduler, in one go; so when anything else happens, the scheduler has counted
        the request or will not have it. Of a scheduler that does not count nothing can be said.
        """
        stats = self._crawler.stats
        now = stats.get_value(ENQUEUED) if stats is not None else None
        if now is None:
            return
        for request in self._unsure if now == self._enqueued else self._unsure[:-1]:
            self._forget(request)
        self._unsure.clear()
        self._enqueued = now

    def start(self, request: Request) -> None:
        """It is being fetched, or will be refused, or answered by somebody else."""
        self.drop_unqueued()
        self._unsure.clear()  # what is fetched was queued: this scheduler does not count
        arm = request.meta.get(ARM)
        if WAITS not in request.meta or arm is None:
            return  # not from the scheduler, or a copy of one that is on its way
        if not self._restore(request):
            self._yields.queue(Arm(*arm))  # it waited in an earlier run (JOBDIR), of which we know nothing
        self._yields.start(Arm(*arm))
        self._flying[request] = Arm(*arm)

    def refused(self, request: Request) -> None:
        """It will not be fetched, by robots.txt for instance: that brought nothing new."""
        for arm in take_arms(request.meta) if request in self._flying else ():
            self._yields.learn(arm, False, False)

    def update(self) -> None:
        """Brings `yields` up to date."""
        self.drop_unqueued()
        engine = self._crawler.engine
        if engine is None:
            return
        scraping = engine.scraper.slot.active if engine.scraper.slot is not None else set()
        for request in self._flying.keys() - engine.downloader.active - scraping:
            self._yields.finish(self._flying.pop(request))

    def _arm(self, request: Request) -> Arm:
        posted = request.method != "GET" or bool(request.body)
        met = None if posted else self._seen_urls.add(request.url)
        if met is not None:
            return self._yields.arm(met)
        # What is posted makes a page as much as its URL does, and is not told apart here.
        parsed = parse_url(request.url)
        pattern = url_pattern(parsed)
        if posted:
            return Arm(parsed.host, f"{request.method} {pattern}")
        return Arm(parsed.host, pattern, SAME_URL)

    def _restore(self, request: Request) -> bool:
        """Takes back what waiting did to it; returns whether it waited in this run."""
        run, _, back = request.meta.pop(WAITS, ("", 0, 0))
        request.priority += back
        return bool(run == self._run)

    def _forget(self, request: Request) -> None:
        arms = take_arms(request.meta)
        if self._restore(request) and arms:
            self._yields.drop(arms[0])
            for arm in arms[1:]:
                self._yields.learn(arm, False, False)


def take_arms(meta: dict[str, Any]) -> list[Arm]:
    """A request's arm and those in whose place it came, taken from it: its end is learned once."""
    own, via = meta.pop(ARM, None), meta.pop(VIA, ())
    return [Arm(*arm) for arm in (own, *via)] if own is not None else []
