"""Which URL to fetch next: the arm with the highest bound first, breadth-first within an arm.

Fetching by the *upper* bound keeps exploring by itself: an arm sinks only as far as its own evidence pushes
it, and among arms that are equally poor the one with the least evidence is next. Every 20th
fetch goes to a random arm. The crawl is saturated when even the best arm's bound is low.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Iterator
from random import Random
from typing import NamedTuple

from pagekin.crawl.patterns import Arm, SeenUrls
from pagekin.crawl.series import ENTRY, LinkPath
from pagekin.crawl.yields import Yields
from pagekin.urls import name_hash

UNIQUE_FIRST = "unique-first"
BREADTH_FIRST = "breadth-first"
ORDERS = (UNIQUE_FIRST, BREADTH_FIRST)

AGAIN = 0.8
"""Weight of an arm whose URLs were met before but for one part."""

EXPLORE = 20
"""Every so many fetches one goes to a random arm, so that none is forgotten."""

MAX_ARMS = 20_000
"""A host with more arms gets one arm for all that come later: it makes up folder names."""


class Target(NamedTuple):
    url: str
    depth: int
    arm: Arm
    hops: int = 0
    """redirects on the way to it"""
    link_path: LinkPath = ENTRY
    """how it was reached"""
    via: tuple[Arm, ...] = ()
    """arms of the URLs that redirected to it"""


class _Host:
    """The queues of one host, the best on top of a heap."""

    def __init__(self) -> None:
        self.queues: dict[Arm, deque[Target]] = {}
        self.heap: list[_HeapItem] = []


_HeapItem = tuple[float, int, Arm]
"""What the heap sorts by: the bound (negative, weighted), a random number to break ties, the arm."""


class Frontier:
    """URLs that were met and not yet fetched."""

    def __init__(self, order: str = UNIQUE_FIRST, seed: int = 0, limit: int = 2_000_000) -> None:
        self.yields = Yields()
        self.order = order
        self.met = 0
        self.refused = 0
        """URLs that were not taken because there were `limit` already."""
        self._limit = limit
        self._seed = seed
        self._random = Random(seed)
        self._popped = 0
        self._seen_urls = SeenUrls()
        self._links: set[int] = set()
        self._hosts: dict[str, _Host] = {}
        self._lots: dict[Arm, int] = {}
        self._lines: dict[str, deque[Target]] = {}
        self._waiting: dict[str, Target] | None = None

    def __len__(self) -> int:
        return self.yields.queued.total()

    def add(
        self, url: str, by: Target | None = None, *, redirect: bool = False, idle: bool = False
    ) -> Target | None:
        """Queues a URL, and by way of which other it was found; None if it was met before.

        Args:
            url: The URL.
            by: The target whose page links to it, or that redirects to it.
            redirect: It is a redirect.
            idle: The page is idle (see `series`).
        """
        self._links.add(hash(url))
        if self.met >= self._limit:
            self.refused += 1
            return None
        met = self._seen_urls.add(url)
        if met is None:
            return None
        self.met += 1
        arm = self.yields.arm(met)
        if arm not in self._lots and len(self._lots) >= MAX_ARMS:
            arm = Arm(arm.host, f"{arm.host}/…", arm.again)
        target = (
            Target(url, 0, arm, 0, ENTRY.on(arm.pattern, False))
            if by is None
            else _beyond(by, url, arm, redirect, idle)
        )
        self.put(target)
        if self._waiting is not None:
            self._waiting[url] = target
        return target

    def has_seen(self, url: str) -> bool:
        """Whether this very text was added before: what most links on a page are, told quickly."""
        return hash(url) in self._links

    def put(self, target: Target) -> None:
        """Queues a URL, met before or not."""
        self.yields.queue(target.arm)
        if self.order == BREADTH_FIRST:
            self._lines.setdefault(target.arm.host, deque()).append(target)
            return
        host = self._hosts.setdefault(target.arm.host, _Host())
        queue = host.queues.get(target.arm)
        if queue is None:
            host.queues[target.arm] = queue = deque()
            heapq.heappush(host.heap, self._entry(target.arm))
        queue.append(target)

    def finish(self, arm: Arm) -> None:
        """A fetch ended that says nothing of its arm."""
        self.yields.finish(arm)

    def learn(self, target: Target, worth: bool, unique: bool = False) -> None:
        """A fetch ended: was it worth it, and was the page itself a new one?

        What a redirect leads to is what its own URL was worth.
        """
        self.yields.finish(target.arm)
        for arm in dict.fromkeys((target.arm, *target.via)):
            self._learn(arm, worth, unique)

    def _learn(self, arm: Arm, worth: bool, unique: bool) -> None:
        self.yields.learn(arm, worth, unique)
        host = self._hosts.get(arm.host)
        if host is None or arm not in host.queues:
            return
        # An entry that came to deserve less is renewed when it comes up; one that deserves more is not found.
        heapq.heappush(host.heap, self._entry(arm))
        if len(host.heap) > 2 * len(host.queues) + 64:
            host.heap = [self._entry(arm) for arm in host.queues]
            heapq.heapify(host.heap)

    def pop(self, busy: Collection[str] = (), min_bound: float = 0.0) -> Target | None:
        """The next URL of a host that is not busy, if its arm's bound is more than `min_bound`."""
        target = self._pop_first(busy) if self.order == BREADTH_FIRST else self._pop_best(busy, min_bound)
        if target is not None:
            self.yields.start(target.arm)
        return target

    def replay(self) -> None:
        """From here on URLs are taken by name, not by `pop`; `replayed` ends that."""
        self._waiting = {target.url: target for target in self._targets()}

    def take(self, url: str) -> Target | None:
        """Takes a URL out by name, adding it if no page linked to it; None if it was taken before."""
        assert self._waiting is not None
        self.add(url)
        target = self._waiting.pop(url, None)
        if target is not None:
            self.yields.start(target.arm)
        return target

    def replayed(self) -> None:
        """Forgets what was taken by name."""
        left, self._waiting = self._waiting or {}, None
        self._hosts.clear()
        self._lines.clear()
        self.yields.queued.clear()
        for target in left.values():
            self.put(target)

    def _targets(self) -> Iterator[Target]:
        for host in self._hosts.values():
            for queue in host.queues.values():
                yield from queue
        for line in self._lines.values():
            yield from line

    def _pop_best(self, busy: Collection[str], min_bound: float) -> Target | None:
        tops = [self._top(host) for name, host in self._hosts.items() if name not in busy]
        if not tops:
            return None
        arm = min(tops)[2]
        if self.yields.bound(arm) <= min_bound:
            return None
        self._popped += 1
        if self._popped % EXPLORE == 0:
            arm = self._any(arm, min_bound)
        host = self._hosts[arm.host]
        queue = host.queues[arm]
        target = queue.popleft()
        if not queue:
            del host.queues[arm]
            if not host.queues:
                del self._hosts[arm.host]
        return target

    def _any(self, best: Arm, min_bound: float) -> Arm:
        """A random arm of the same host that is worth a fetch."""
        arms = list(self._hosts[best.host].queues)
        chosen = arms[self._random.randrange(len(arms))]
        return chosen if self.yields.bound(chosen) > min_bound else best

    def _top(self, host: _Host) -> _HeapItem:
        heap = host.heap
        while True:
            first = heap[0]
            if first[2] not in host.queues:
                heapq.heappop(heap)
                continue
            now = self._entry(first[2])
            if now <= first:
                return first
            heapq.heapreplace(heap, now)

    def _entry(self, arm: Arm) -> _HeapItem:
        lot = self._lots.get(arm)
        if lot is None:
            # Ties are broken at random, by the seed: the order of arrival would favour what is listed first.
            lot = self._lots[arm] = name_hash(str(self._seed), *arm)
        # Of two URLs that are the same but for one part, the one met first goes first.
        return -self.yields.bound(arm) * (AGAIN if arm.again else 1.0), lot, arm

    def _pop_first(self, busy: Collection[str]) -> Target | None:
        name = next((name for name in self._lines if name not in busy), None)
        if name is None:
            return None
        line = self._lines.pop(name)
        target = line.popleft()
        if line:
            self._lines[name] = line  # hosts take turns
        return target


def _beyond(by: Target, url: str, arm: Arm, redirect: bool, idle: bool) -> Target:
    """A redirect is no step further from the seeds, and none along a series."""
    if redirect:
        return Target(url, by.depth, arm, by.hops + 1, by.link_path, (*by.via, by.arm))
    return Target(url, by.depth + 1, arm, 0, by.link_path.on(arm.pattern, idle))
