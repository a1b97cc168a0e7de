"""Which URLs redirects lead to each other, as far as the crawl kept their answers."""

from __future__ import annotations

import pyarrow.compute as pc
import pyarrow.dataset as ds

from pagekin.detect.joins import tuples
from pagekin.run import Run
from pagekin.urls import absolute, name_hash, parse_url

HOPS = 10
"""Redirects in a row that are followed, as browsers and crawlers do."""

_NONE: frozenset[int] = frozenset()


class Redirects:
    """Where URLs lead, directly or over others; a key stands for each URL."""

    def __init__(self) -> None:
        self._target: dict[int, int] = {}
        self._others: dict[int, set[int]] = {}  # few URLs lead to several
        self._led_to: set[int] = set()
        self._forks: dict[int, set[int]] | None = None

    @classmethod
    def of(cls, run: Run) -> Redirects:
        """From what was skipped for its status: `detail` is the status and where the redirect leads."""
        found = cls()
        wanted = (ds.field("reason") == "status") & pc.match_substring_regex(ds.field("detail"), "^3.. .")
        with run.reading("skipped"):
            for batch in run.dataset("skipped").to_batches(columns=["url", "detail"], filter=wanted):
                for url, detail in tuples(batch):
                    found.add(url or "", detail.split(" ", 1)[1])
        return found

    def add(self, source: str, target: str) -> None:
        """A redirect; the target may be relative."""
        reached = absolute(target, source)
        if reached is None:
            return
        one, other = url_key(source), url_key(reached)
        if self._target.setdefault(one, other) != other:
            self._others.setdefault(one, set()).add(other)
        self._led_to.add(other)
        self._forks = None

    def join(self, one: int, other: int) -> bool:
        """Whether redirects join two pages: one leads to the other, or one URL to both.

        Of one URL that was fetched twice: whether a redirect led there.

        Examples:
            >>> redirects = Redirects()
            >>> redirects.add("http://a.example/old", "/new")
            >>> redirects.add("http://a.example/older", "/old")
            >>> redirects.join(url_key("http://a.example/older"), url_key("http://a.example/new"))
            True
            >>> redirects.join(url_key("http://a.example/other"), url_key("http://a.example/new"))
            False
        """
        if not self._target:
            return False
        if one == other:
            return one in self._led_to
        if other in self._reached(one) or one in self._reached(other):
            return True
        forks = self._forked()
        return not forks.get(one, _NONE).isdisjoint(forks.get(other, _NONE))

    def _reached(self, start: int) -> set[int]:
        """Where a URL leads in at most `HOPS` steps."""
        found, edge = set[int](), [start]
        for _ in range(HOPS):
            edge = [at for at in edge if at in self._target]
            ahead = {self._target[at] for at in edge}.union(*(self._others.get(at, _NONE) for at in edge))
            edge = list(ahead - found)
            if not edge:
                break
            found |= ahead
        return found

    def _forked(self) -> dict[int, set[int]]:
        """For every URL, which URLs that led to different ones led there."""
        if self._forks is None:
            self._forks = {}
            for source in self._others:
                for target in self._reached(source):
                    self._forks.setdefault(target, set()).add(source)
        return self._forks


def url_key(url: str) -> int:
    """Stands for a URL, however it is spelled."""
    scheme, host, path, query = parse_url(absolute(url) or url)
    return name_hash(scheme, host, path, *(text for pair in query for text in pair))
