"""A crawl without a network: what was met, what was fetched, what came of it, what to fetch next.

Whoever fetches (Scrapy, the replay of a WARC file, a simulation) asks `next` for a target and tells how it
ended with `settle`, or with `page`, `redirect` or `nothing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from pagekin.crawl.answer import Answer
from pagekin.crawl.curve import Curve
from pagekin.crawl.frontier import UNIQUE_FIRST, Frontier, Target
from pagekin.crawl.known import UNIQUE, SeenPages
from pagekin.crawl.saturation import WORTH, Saturation
from pagekin.crawl.scope import Scope
from pagekin.crawl.series import Series

MAX_HOPS = 10
"""Redirects that are followed from one link."""


class CrawlState:
    """Frontier, counts, curve and saturation of one crawl."""

    def __init__(
        self,
        scope: Scope,
        order: str = UNIQUE_FIRST,
        seed: int = 0,
        worth: float = WORTH,
        patient: bool = False,
    ) -> None:
        self.scope = scope
        self.frontier = Frontier(order, seed)
        self.saturation = Saturation(self.frontier.yields, worth)
        self.series = Series()
        self.curve = Curve()
        self._patient = patient
        self.failures: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        for url in scope.seeds:
            self.frontier.add(url)

    def next(self, busy: Collection[str] = ()) -> Target | None:
        """The next address to fetch; None while there is none, or none worth it before others have landed."""
        if self._patient and self.frontier.yields.in_flight:
            target = self.frontier.pop(busy, self.saturation.worth)
            if target is not None or self.saturation.open():
                return target
        return self.frontier.pop(busy)

    def settle(self, target: Target, answer: Answer, known: SeenPages) -> None:
        """An answer came, whatever it is."""
        if answer.text is not None:
            kind = known.see(answer.text).kind
            idle = kind == UNIQUE and self.series.is_idle(target.arm.pattern, target.link_path, answer.text)
            self.page(target, kind, answer.links, idle=idle)
        elif answer.location is not None:
            self.redirect(target, answer.location)
        else:
            self.nothing(target, answer.why or "unknown")

    def page(self, target: Target, kind: str, links: Iterable[str], *, idle: bool = False) -> bool:
        """A page came; returns whether it was worth the fetch.

        A duplicate that opens a way to addresses of a rich arm is worth it too. A unique page is not if it is
        idle: one more of an endless series.
        """
        rich = self._queue(links, target, idle)
        new = kind == UNIQUE and not idle
        worth = new or rich
        self.frontier.learn(target, worth, new)
        self.curve.add(kind, len(self.frontier))
        return worth

    def redirect(self, target: Target, location: str) -> None:
        """A redirect came: where it leads is one more address, no step further from the seeds.

        One that leads to an address met before was not worth its fetch. Another one is worth what comes of
        where it leads.
        """
        if target.depth == 0:
            self.scope.admit(target.url, location)
        why = self.scope.refuses(location) or ("redirects" if target.hops >= MAX_HOPS else None)
        if why is not None:
            self.skipped[why] += 1
        if why is None and self.frontier.add(location, target, redirect=True) is not None:
            self.frontier.land(target.arm)
        else:
            self.frontier.learn(target, False)
        self.curve.add("redirect", len(self.frontier))

    def nothing(self, target: Target, why: str, fetched: bool = True) -> None:
        """No page came: an error, or something that is no HTML; or robots.txt forbade to ask."""
        self.failures[why] += 1
        self.frontier.learn(target, False)
        if fetched:
            self.curve.add("other", len(self.frontier))

    def _queue(self, links: Iterable[str], by: Target, idle: bool) -> bool:
        """Queues what is in scope and new; returns whether any of it belongs to a rich arm."""
        rich = False
        for link in links:
            if self.frontier.knows(link):
                continue
            why = self.scope.refuses(link)
            if why is not None:
                self.skipped[why] += 1
                continue
            target = self.frontier.add(link, by, idle=idle)
            rich |= target is not None and self.frontier.yields.is_rich(target.arm)
        return rich
