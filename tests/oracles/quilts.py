"""Quilts by the definition: sets of word tuples, the printed greedy cover, least covers by trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from .words import words

Gram = tuple[str, ...]
Allows = Callable[[int, int], bool]


def grams(text: str, k: int) -> set[Gram]:
    found = words(text)
    return {tuple(found[i : i + k]) for i in range(len(found) - k + 1)}


@dataclass(frozen=True)
class Source:
    page: int
    new_grams: int
    shared_grams: int


@dataclass
class Row:
    """What is true of one page. A copy of another page has grams, but no part in quilts."""

    grams: int
    own_grams: int
    patch_grams: int | None = None
    sources: list[Source] = field(default_factory=list)
    uncovered: int = 0
    quilt: bool = False

    @property
    def patch_fraction(self) -> float:
        return (self.patch_grams or 0) / self.grams


class Collection:
    """Pages by id, and which of them stand for others."""

    def __init__(self, texts: Mapping[int, str], k: int, copies: Mapping[int, int] | None = None) -> None:
        self.grams = {page: grams(text, k) for page, text in texts.items()}
        self.standing = {page for page in texts if (copies or {}).get(page, page) == page}
        self.holders: dict[Gram, set[int]] = {}
        for page, found in self.grams.items():
            for gram in found:
                self.holders.setdefault(gram, set()).add(page)

    def docs(self, gram: Gram) -> set[int]:
        return self.holders[gram] & self.standing

    def patch_grams(self, page: int, m: int) -> set[Gram]:
        return {gram for gram in self.grams[page] if 1 < len(self.docs(gram)) <= m}

    def candidates(self, page: int, m: int, allows: Allows) -> dict[int, set[Gram]]:
        """What each page that may be a source holds of this page's patch grams."""
        found: dict[int, set[Gram]] = {}
        for gram in self.patch_grams(page, m):
            for other in self.docs(gram) - {page}:
                if allows(page, other):
                    found.setdefault(other, set()).add(gram)
        return found

    def greedy(self, page: int, m: int, allows: Allows, min_share: float = 0.0) -> Iterator[Source]:
        left = self.candidates(page, m, allows)
        shared = {other: len(held) for other, held in left.items()}
        total = len(self.patch_grams(page, m))
        while any(left.values()):
            best = min(left, key=lambda other: (-len(left[other]), other))
            taken = left[best]
            if len(taken) / total < min_share:
                return
            yield Source(best, len(taken), shared[best])
            left = {other: held - taken for other, held in left.items()}

    def smallest_cover(self, page: int, m: int, allows: Allows) -> int:
        """The size of the smallest set of sources that holds all that any of them hold."""
        held = self.candidates(page, m, allows)
        wanted = set().union(*held.values())
        for size in range(len(held) + 1):
            for chosen in combinations(held.values(), size):
                if wanted <= set().union(*chosen):
                    return size
        raise AssertionError("all of them are a cover")

    def rows(
        self,
        m: int,
        c: int,
        theta: float,
        allows: Allows = lambda page, other: True,
        min_share: float = 0.0,
        covered: bool = False,
    ) -> dict[int, Row]:
        rows = {}
        for page, found in self.grams.items():
            row = rows[page] = Row(len(found), sum(self.holders[gram] == {page} for gram in found))
            if page not in self.standing:
                continue
            row.patch_grams = len(self.patch_grams(page, m))
            if found and row.patch_fraction >= theta:
                row.sources = list(self.greedy(page, m, allows, min_share))
                row.uncovered = row.patch_grams - sum(source.new_grams for source in row.sources)
                enough = not covered or (row.patch_grams - row.uncovered) / row.grams >= theta
                row.quilt = len(row.sources) >= c and enough
        return rows
