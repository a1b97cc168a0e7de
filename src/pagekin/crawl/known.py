"""Is this text known? Exact duplicate, near duplicate or unique, against every page seen before."""

from __future__ import annotations

from hashlib import md5
from typing import NamedTuple, Protocol

from pagekin import _core

UNIQUE, EXACT, NEAR = "unique", "exact", "near"
KINDS = (UNIQUE, EXACT, NEAR)


class Verdict(NamedTuple):
    """What a page is to the pages before it."""

    kind: str
    of: int | None
    """the page it repeats: its place in the order of pages seen"""
    score: int | None
    """ssdeep score against that page; None where the words, not the score, decided"""


class KnownPages(Protocol):
    """Pages seen so far."""

    def see(self, text: str) -> Verdict:
        """Compares a text with all before it, and remembers it."""


class Known:
    """Exact duplicates by MD5 of the text; near ones by the same words in another order.

    A sorted list is the same list. Its text has the same words, so the MD5 of the sorted words finds it,
    which no comparison of the texts as they stand would.
    """

    def __init__(self, threshold: int = 90) -> None:
        self.threshold = threshold
        self._texts: dict[bytes, int] = {}
        self._words: dict[bytes, int] = {}
        self.pages = 0

    def see(self, text: str) -> Verdict:
        """Compares a text with all before it, and remembers it."""
        number = self.pages
        self.pages += 1
        before = self._texts.setdefault(_digest(text), number)
        if before != number:
            return Verdict(EXACT, before, 100)
        words = _core.words(text)
        if words:
            words.sort()
            before = self._words.setdefault(_digest(" ".join(words)), number)
            if before != number:
                return Verdict(NEAR, before, None)
        return Verdict(UNIQUE, None, None)


def _digest(text: str) -> bytes:
    return md5(text.encode("utf-8", "replace"), usedforsecurity=False).digest()
