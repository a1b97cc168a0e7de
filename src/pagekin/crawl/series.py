"""Endless series: calendars and counters that make another page for every step one takes.

Their pages are short and all different, so to MD5 and ssdeep each is new. They are recognised by how they are
reached, step by step from one URL to another of the same pattern, and by their words, which but for numbers
are those of an earlier page. Such a page is *idle*: a unique page, but no reason to go on.

A book that is read from page to page is reached like this too, but says something else on every page. What
hangs on a page that is not idle, an article on a list, is no part of a series.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pagekin import _core
from pagekin.crawl.patterns import general

STEPS = 6
"""Steps from a URL to another of its pattern before a page can be idle."""
LOOK_BACK = 3
"""Patterns on the way that count: month, week and day may take turns."""
MAX_SAYINGS = 2048
"""A series with more different texts than this is not endless repetition."""
MAX_SERIES = 1000
"""A limit on memory: later series are not checked."""


class LinkPath(NamedTuple):
    """How a URL was reached."""

    patterns: tuple[str, ...]
    """the latest on the way, without the names of folders; the last one is its own"""
    steps: int
    """links on the way that led to a pattern that was on the way already"""
    aside: bool
    """it hangs on a page that says something, by a pattern that was not on the way"""

    def on(self, pattern: str, idle: bool) -> LinkPath:
        """The way to a URL that this one's page links to."""
        return _on(self, general(pattern), idle)


ENTRY = LinkPath((), 0, True)
"""Before the first URL."""


@lru_cache(maxsize=1 << 14)
def _on(path: LinkPath, pattern: str, idle: bool) -> LinkPath:
    # Cached, so that the many URLs of one page share it.
    known = pattern in path.patterns
    patterns = (*(other for other in path.patterns if other != pattern), pattern)[-LOOK_BACK:]
    return LinkPath(patterns, path.steps + known, not known and not idle)


class Series:
    """What pages of each pattern have said, in words without numbers, but for those where it was entered."""

    def __init__(self) -> None:
        self._said: dict[str, set[int]] = {}
        self._telling: set[str] = set()
        self.idle = 0
        """Pages that were idle."""

    def is_idle(self, pattern: str, path: LinkPath, text: str) -> bool:
        """Whether a page says what one before it in its series said, and remembers it."""
        # Some series are of one folder, others have a folder of its own for each page.
        series = [name for name in dict.fromkeys((pattern, general(pattern))) if name not in self._telling]
        if path.aside or not path.steps or not series:
            return False
        said = hash(" ".join(word for word in _core.words(text) if not any(map(str.isdigit, word))))
        repeats = [self._repeats(name, said) for name in series]
        idle = path.steps >= STEPS and any(repeats)
        self.idle += idle
        return idle

    def _repeats(self, series: str, said: int) -> bool:
        known = self._said.get(series)
        if known is None:
            if len(self._said) >= MAX_SERIES:
                return False
            known = self._said[series] = set()
        if said in known:
            return True
        known.add(said)
        if len(known) > MAX_SAYINGS:
            del self._said[series]
            self._telling.add(series)
        return False
