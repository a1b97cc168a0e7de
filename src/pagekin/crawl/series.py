"""Endless series: calendars and counters that make another page for every step one takes.

Their pages are short and all different, so to MD5 and ssdeep each is new. What tells them: they are reached
step by step, from one address to another of the same pattern, and but for numbers they say what those before
them said. Such a page is *idle*: a unique page, but no reason to go on.

A book that is read from page to page is reached like this too, but says something else on every page.
"""

from __future__ import annotations

from itertools import pairwise

from pagekin import _core

STEPS = 6
"""Steps from an address to another of its pattern before a page can be idle."""
NEW = 0.1
"""A page is idle when at most this share of its word pairs are new in its series."""
MOST_PAIRS = 2048
"""A series that has shown more different pairs of words than this says something."""
MOST_SERIES = 1000
"""What bounds the memory: series that come after these are taken for sites that say something."""


class Series:
    """The word pairs that each pattern's pages have shown, but for those where it was entered."""

    def __init__(self) -> None:
        self._pairs: dict[str, set[int]] = {}
        self._telling: set[str] = set()
        self.idle = 0
        """Pages that were idle."""

    def is_idle(self, pattern: str, steps: int, text: str) -> bool:
        """Whether a page says nothing that those before it in its series did not, and remembers it."""
        if not steps or pattern in self._telling:
            return False
        known = self._pairs.get(pattern)
        if known is None:
            if len(self._pairs) >= MOST_SERIES:
                return False
            known = self._pairs[pattern] = set()
        words = [word for word in _core.words(text) if not any(map(str.isdigit, word))]
        pairs = {hash(pair) for pair in pairwise(["", *words])}
        before = len(known)
        known |= pairs
        if len(known) > MOST_PAIRS:
            del self._pairs[pattern]
            self._telling.add(pattern)
            return False
        idle = steps >= STEPS and len(known) - before <= NEW * len(pairs)
        self.idle += idle
        return idle
