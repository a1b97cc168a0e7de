"""When to stop: when the evidence leaves no arm of the frontier a rate of new pages that is worth a fetch.

The rule has two sides, and both must hold:

- each queued arm's bound (see `yields`) is at most `worth`: no pattern is left that might still be rich,
  however poor the others are. A pattern of which nothing is known has the bound 1, so
  the crawl does not end before it was tried;
- the bound over the latest fetches of all arms together is at most `worth`: many small patterns, each too
  small to say much, cannot add up to a rich one unnoticed.

Nothing in it is a count of pages: a site without duplicates is never saturated before its last URL.
"""

from __future__ import annotations

from dataclasses import dataclass

from pagekin.crawl.yields import Yields

OFF, ADVISE, STOP = "off", "advise", "stop"
MODES = (OFF, ADVISE, STOP)

SATURATED = "pagekin_saturated"
"""The close reason when the rule ended a crawl."""

WORTH = 0.08
"""New unique pages per fetch below which a crawl is saturated."""

CHECK_EVERY = 4
"""Looking at every arm takes time; so many fetches may pass in between."""


@dataclass(frozen=True)
class Forecast:
    """What is to be expected of the queued URLs, in new unique pages per fetch."""

    best: float
    """upper bound for the best arm"""
    recent: float
    """upper bound over the latest fetches of all arms"""
    mean: float
    """expected for a URL drawn from the whole frontier"""


class Saturation:
    """Applies the rule to what is known of the arms."""

    def __init__(self, yields: Yields, worth: float = WORTH) -> None:
        self._yields = yields
        self.worth = worth
        self._asked = 0

    def forecast(self) -> Forecast:
        yields, queued = self._yields, self._yields.queued
        total = queued.total()
        mean = sum(yields.rate(arm) * size for arm, size in queued.items()) / total if total else 0.0
        return Forecast(yields.best(), yields.all.bound(), mean)

    def open(self) -> bool:
        """Whether a URL that is being fetched may still be worth it."""
        return any(self._yields.bound(arm) > self.worth for arm in self._yields.in_flight)

    def reached(self) -> bool:
        """Whether the rule holds, looked at once in `CHECK_EVERY` calls: call it after every fetch."""
        self._asked += 1
        return self._asked % CHECK_EVERY == 0 and self.holds()

    def holds(self) -> bool:
        """Whether nothing that is to come is worth a fetch, by the figures of this moment."""
        return self._yields.all.bound() <= self.worth and self._yields.best() <= self.worth
