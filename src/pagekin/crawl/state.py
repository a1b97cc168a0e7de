"""The state of a crawl, without a network.

`CrawlState` is what the crawler and the Scrapy add-on share: how pages are judged and what is learned from
them. `FrontierCrawl` adds the queue. Whoever fetches (Scrapy, the replay of a WARC file, a simulation) asks
it for the `next` target and reports the result with `settle`, or with `page`, `redirect` or `nothing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from pagekin.crawl.answer import ParsedAnswer
from pagekin.crawl.curve import Curve
from pagekin.crawl.frontier import UNIQUE_FIRST, Frontier, Target
from pagekin.crawl.saturation import WORTH, Saturation
from pagekin.crawl.scope import Scope
from pagekin.crawl.seen import UNIQUE, Judgement, SeenPages
from pagekin.crawl.series import LinkPath, Series
from pagekin.crawl.yields import Yields

MAX_HOPS = 10
"""Redirects that are followed from one link."""


class CrawlState:
    """The pages seen, what each kind of URL brought, the curve, and whether it is enough."""

    def __init__(self, yields: Yields, threshold: int = 90, worth: float = WORTH) -> None:
        self.yields = yields
        self.saturation = Saturation(yields, worth)
        self.series = Series()
        self.curve = Curve()
        self.seen = SeenPages(threshold)

    def judge(self, text: str, pattern: str | None, path: LinkPath) -> tuple[Judgement, bool]:
        """What a page is to those before it, and whether it is idle (see `series`).

        Without a pattern nothing is known of how the page was reached.
        """
        found = self.seen.see(text)
        if found.kind != UNIQUE or pattern is None:
            return found, False
        return found, self.series.is_idle(pattern, path, text)


class FrontierCrawl(CrawlState):
    """A crawl that chooses what to fetch next."""

    def __init__(
        self,
        scope: Scope,
        order: str = UNIQUE_FIRST,
        seed: int = 0,
        worth: float = WORTH,
        threshold: int = 90,
        patient: bool = False,
    ) -> None:
        self.scope = scope
        self.frontier = Frontier(order, seed)
        super().__init__(self.frontier.yields, threshold, worth)
        self._patient = patient
        self.failures: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        for url in scope.seeds:
            self.frontier.add(url)

    def next(self, busy: Collection[str] = ()) -> Target | None:
        """The next URL to fetch; None while there is none, or none worth it before others have landed."""
        if self._patient and self.yields.in_flight:
            target = self.frontier.pop(busy, self.saturation.worth)
            if target is not None or self.saturation.open():
                return target
        return self.frontier.pop(busy)

    def settle(self, target: Target, answer: ParsedAnswer) -> None:
        """An answer came, whatever it is."""
        if answer.text is not None:
            found, idle = self.judge(answer.text, target.arm.pattern, target.link_path)
            self.page(target, found.kind, answer.links, idle=idle)
        elif answer.location is not None:
            self.redirect(target, answer.location)
        else:
            self.nothing(target, answer.why or "unknown")

    def page(self, target: Target, kind: str, links: Iterable[str], *, idle: bool = False) -> bool:
        """A page came; returns whether it was worth the fetch.

        A duplicate that opens a way to URLs of a rich arm is worth it too. A unique page is not if it is
        idle: one more of an endless series.
        """
        rich = self._queue(links, target, idle)
        new = kind == UNIQUE and not idle
        worth = new or rich
        self.frontier.learn(target, worth, new)
        self.curve.add(kind, len(self.frontier))
        return worth

    def redirect(self, target: Target, location: str) -> None:
        """A redirect came: where it leads is one more URL, no step further from the seeds.

        One that leads to a URL met before was not worth its fetch. Another one is worth what comes of
        where it leads.
        """
        if target.depth == 0:
            self.scope.admit(target.url, location)
        why = self.scope.refuses(location) or ("redirects" if target.hops >= MAX_HOPS else None)
        if why is not None:
            self.skipped[why] += 1
        if why is None and self.frontier.add(location, target, redirect=True) is not None:
            self.frontier.finish(target.arm)
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
            if self.frontier.has_seen(link):
                continue
            why = self.scope.refuses(link)
            if why is not None:
                self.skipped[why] += 1
                continue
            target = self.frontier.add(link, by, idle=idle)
            rich |= target is not None and self.yields.is_rich(target.arm)
        return rich
