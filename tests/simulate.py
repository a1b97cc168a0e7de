"""Crawls of sites that are functions: ordering and stopping without a network."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urljoin

from pagekin.crawl.frontier import UNIQUE_FIRST, Target
from pagekin.crawl.saturation import WORTH
from pagekin.crawl.scope import Scope
from pagekin.crawl.seen import EXACT, UNIQUE
from pagekin.crawl.state import FrontierCrawl

Fetch = Callable[[str], tuple[str | None, Iterable[str]]]
"""From a URL to what is there (None: nothing) and its links."""


@dataclass(frozen=True)
class Simulated:
    """How a simulated crawl went."""

    found_at: list[int]
    """after how many fetches each unique page was found, in the order of finding"""
    fetches: int
    saturated: bool
    """the rule ended it, not the end of the URLs or the limit"""

    def fetches_for(self, pages: int) -> int | None:
        """Fetches until so many unique pages were found; None if they never were."""
        return self.found_at[pages - 1] if pages <= len(self.found_at) else None

    @property
    def wasted(self) -> float:
        """The share of fetches after the last new page."""
        return 1 - self.found_at[-1] / self.fetches if self.found_at else 1.0


def simulate(
    fetch: Fetch,
    start: str,
    *,
    order: str = UNIQUE_FIRST,
    seed: int = 0,
    stop: bool = True,
    worth: float = WORTH,
    limit: int = 100_000,
    in_flight: int = 1,
) -> Simulated:
    """Crawls a site from `start`; results arrive `in_flight` fetches late, as they do on a network."""
    state = FrontierCrawl(Scope([start]), order, seed, worth, patient=stop)
    seen: set[str] = set()
    found_at: list[int] = []
    fetches = 0
    saturated = False
    flying: deque[tuple[Target, str | None, list[str]]] = deque()
    while fetches < limit:
        while len(flying) < in_flight and (following := state.next()) is not None:
            content, found = fetch(following.url)
            flying.append((following, content, [urljoin(following.url, link) for link in found]))
        if not flying:
            break
        target, content, links = flying.popleft()
        fetches += 1
        if content is None:
            state.nothing(target, "status")
        else:
            if content not in seen:
                found_at.append(fetches)
            state.page(target, EXACT if content in seen else UNIQUE, links)
            seen.add(content)
        if stop and state.saturation.reached():
            saturated = True
            break
    return Simulated(found_at, fetches, saturated)
