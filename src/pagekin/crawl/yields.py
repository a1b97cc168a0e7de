"""How often fetching brings something new: outcomes of the latest fetches, and an upper bound on their rate.

The chance that the next fetch of an arm brings something new falls as the arm is used up. So what counts is
the latest evidence: of the last 8, 16, 32, … fetches, how many were worth it. For each such window the Wilson
score gives the highest rate that the evidence still allows; the lowest of them is the arm's *bound*. An arm
without evidence has the bound 1.

This is the estimate of Good and Turing applied to URLs: the chance that the next fetch is something new is
the share of new things among the latest fetches.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import sqrt

from pagekin.crawl.patterns import Arm, NewUrl, general

WINDOWS = (8, 16, 32, 64, 128)
Z = 1.96
"""Normal quantile of the bound: the true rate is above it in 2.5% of cases."""

_ALL = (1 << WINDOWS[-1]) - 1
_MASKS = tuple((window, (1 << window) - 1) for window in WINDOWS)

BORROWED = 32
"""At most so many fetches' worth of evidence comes from relatives."""
SIBLINGS = 8
"""So many arms that were tried make their evidence worth more."""
BORROWED_WIDELY = 64
"""And then so many fetches' worth comes from them: enough to leave an arm of which little was tried."""
TRUST = 2
"""Evidence from relatives counts half."""
RICH = 0.8
"""An arm is rich when at least so many of its latest pages were new ones."""
ENOUGH = 8
"""Fetches of an arm before it can be called rich."""


def upper_bound(new: float, fetches: float, z: float = Z) -> float:
    """The highest rate that `new` out of `fetches` allows (Wilson score interval, upper end).

    Examples:
        >>> round(upper_bound(0, 60), 3), upper_bound(0, 0), round(upper_bound(30, 60), 2)
        (0.06, 1.0, 0.62)
    """
    if fetches <= 0:
        return 1.0
    rate, square = new / fetches, z * z / fetches
    middle = rate + square / 2
    half = z * sqrt(rate * (1 - rate) / fetches + square / (4 * fetches))
    return min(1.0, (middle + half) / (1 + square))


class Outcomes:
    """The latest fetches, newest in the lowest bit: 1 for something new."""

    __slots__ = ("bits", "fetches", "new")

    def __init__(self) -> None:
        self.bits = 0
        self.fetches = 0
        self.new = 0

    def add(self, new: bool) -> None:
        self.bits = (self.bits << 1 | new) & _ALL
        self.fetches += 1
        self.new += new

    def rate(self, window: int = 32) -> float:
        """The share of new ones among the latest fetches; 1 while there are none."""
        fetches = min(self.fetches, window)
        return (self.bits & (1 << window) - 1).bit_count() / fetches if fetches else 1.0

    def bound(self, borrowed_new: float = 0.0, borrowed: float = 0.0) -> float:
        """The lowest of the windows' bounds, each with what is borrowed from relatives."""
        best = 1.0
        for window, mask in _MASKS:
            fetches = min(self.fetches, window)
            new = (self.bits & mask).bit_count()
            best = min(best, upper_bound(new + borrowed_new, fetches + borrowed))
            if self.fetches <= window:
                break
        return best


class Relatives:
    """Outcomes of arms that are relatives, and of the first fetch of each."""

    __slots__ = ("all", "firsts")

    def __init__(self) -> None:
        self.all = Outcomes()
        self.firsts = Outcomes()

    def add(self, new: bool, first: bool) -> None:
        self.all.add(new)
        if first:
            self.firsts.add(new)


class Yields:
    """Outcomes of every arm, of its relatives, and of all fetches together.

    Relatives are the arms of one host whose URLs were met before but for the same part: `sid` has the same
    effect on articles and on lists. For arms whose URLs are new in every part they are those whose patterns
    differ in the names of folders: `/users/ann/mail` is like `/users/bob/mail`.
    """

    def __init__(self) -> None:
        self.arms: dict[Arm, Outcomes] = {}
        self.uniques: dict[Arm, Outcomes] = {}
        self.relatives: dict[tuple[str, str], Relatives] = {}
        self.all = Outcomes()
        self.queued: Counter[Arm] = Counter()
        """URLs that wait to be fetched."""
        self.in_flight: Counter[Arm] = Counter()
        """URLs that are being fetched."""

    def queue(self, arm: Arm) -> None:
        self.queued[arm] += 1

    def start(self, arm: Arm) -> None:
        _less(self.queued, arm)
        self.in_flight[arm] += 1

    def drop(self, arm: Arm) -> None:
        _less(self.queued, arm)

    def finish(self, arm: Arm) -> None:
        _less(self.in_flight, arm)

    def learn(self, arm: Arm, worth: bool, unique: bool) -> None:
        """What came of a fetch: was it worth it, and was the page itself a new one?"""
        own = self.arms.setdefault(arm, Outcomes())
        self.relatives.setdefault(_family(arm), Relatives()).add(worth, not own.fetches)
        own.add(worth)
        self.uniques.setdefault(arm, Outcomes()).add(unique)
        self.all.add(worth)

    def arm(self, new: NewUrl) -> Arm:
        """The arm of a URL: of the parts that made it new, the one that made the fewest new pages."""
        poorest = min(new.again, key=lambda part: (self._of_part(new.host, part), part), default="")
        return Arm(new.host, new.pattern, poorest)

    def _of_part(self, host: str, part: str) -> float:
        known = self.relatives.get((host, part))
        return known.all.rate() if known is not None else 1.0

    def is_rich(self, arm: Arm) -> bool:
        """Whether most of the arm's latest pages were new ones."""
        known = self.uniques.get(arm)
        return known is not None and known.fetches >= ENOUGH and known.rate() >= RICH

    def rate(self, arm: Arm) -> float:
        """How often the arm's latest fetches were worth it; its relatives' rate while it has none."""
        own = self.arms.get(arm)
        return own.rate() if own is not None else self._of_part(*_family(arm))

    def bound(self, arm: Arm) -> float:
        """The highest rate that the evidence allows for the arm's next fetches."""
        own = self.arms.get(arm, _NONE)
        kin = self.relatives.get(_family(arm))
        if kin is None or kin.all.fetches <= own.fetches or (own.bits and not arm.again):
            # An arm that brought new pages needs no evidence from its relatives.
            return own.bound()
        widely = own.fetches > 0 and kin.firsts.fetches >= SIBLINGS
        borrowed = min(BORROWED_WIDELY if widely else BORROWED, (kin.all.fetches - own.fetches) / TRUST)
        rate = kin.all.rate(BORROWED_WIDELY if widely else BORROWED)
        bound = own.bound(rate * borrowed, borrowed)
        if not own.fetches:
            # The first fetch of an arm is predicted by the first fetches of its relatives.
            bound = min(bound, kin.firsts.bound())
        return bound if arm.again else min(bound, own.bound())

    def best(self) -> float:
        """The highest bound of all arms that have URLs to come; 0 if there are none."""
        return max(map(self.bound, self.queued.keys() | self.in_flight.keys()), default=0.0)


@lru_cache(maxsize=1 << 16)
def _family(arm: Arm) -> tuple[str, str]:
    """What an arm and its relatives have in common: a part, or the pattern but for the names of folders."""
    return arm.host, arm.again or general(arm.pattern)


def _less(counter: Counter[Arm], arm: Arm) -> None:
    counter[arm] -= 1
    if counter[arm] <= 0:
        del counter[arm]


_NONE = Outcomes()
