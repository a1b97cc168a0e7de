"""What a page is to every page seen before: exact duplicate, near duplicate or unique."""

from __future__ import annotations

from hashlib import md5
from typing import NamedTuple

from pagekin import _core

UNIQUE, EXACT, NEAR = "unique", "exact", "near"
KINDS = (UNIQUE, EXACT, NEAR)


class Judgement(NamedTuple):
    """What a page is to the pages before it."""

    kind: str
    of: int | None
    """the page it repeats: its place in the order of pages seen"""
    score: int | None
    """ssdeep score against that page; None where the words, not the score, decided"""


class SeenPages:
    """Exact duplicates by MD5 of the text; near ones by ssdeep, or by the same words in another order.

    A list that is sorted differently has the same words: the MD5 of the sorted words finds it.
    """

    def __init__(self, threshold: int = 90) -> None:
        self._index = _core.FuzzyIndex(threshold)
        self._words: dict[bytes, int] = {}
        self._seen = 0

    def __len__(self) -> int:
        return self._seen

    def see(self, text: str) -> Judgement:
        """Compares a text with all before it, and remembers it."""
        data = text.encode("utf-8", "replace")
        number = self._seen
        self._seen += 1
        kind, of, score = self._index.add(_core.ssdeep(data), _md5(data))
        if kind != UNIQUE:
            return Judgement(kind, of, score)
        words = _core.words(text)
        if words:
            words.sort()
            before = self._words.setdefault(_md5(" ".join(words).encode("utf-8", "replace")), number)
            if before != number:
                return Judgement(NEAR, before, None)
        return Judgement(UNIQUE, None, None)


def _md5(data: bytes) -> bytes:
    return md5(data, usedforsecurity=False).digest()
