"""Popular phrases and covers by the definitions: count everything, try everything."""

from __future__ import annotations

from itertools import combinations

Shingles = dict[int, list[int]]


def popular(shingles: Shingles, min_pages: int) -> set[tuple[int, int]]:
    """(function, phrase) pairs that enough pages hold."""
    counts: dict[tuple[int, int], int] = {}
    for chosen in shingles.values():
        for pair in enumerate(chosen):
            counts[pair] = counts.get(pair, 0) + 1
    return {pair for pair, n in counts.items() if n >= min_pages}


def needs(shingles: Shingles, page: int, min_pages: int) -> set[tuple[int, int]]:
    """What a cover of a page must hold."""
    return set(enumerate(shingles[page])) & popular(shingles, min_pages)


def greedy(shingles: Shingles, page: int, min_pages: int, own: set[int]) -> list[tuple[int, int]]:
    """Donors in order of choice, each with what it newly covers; pages of the own site come last."""
    wanted = needs(shingles, page, min_pages)
    chosen: list[tuple[int, int]] = []
    left = set(wanted)
    for candidates in (
        [p for p in shingles if p != page and p not in own],
        [p for p in shingles if p != page and p in own],
    ):
        while True:
            held = {p: set(enumerate(shingles[p])) for p in candidates}
            best = max(
                candidates, key=lambda p: (len(held[p] & left), len(held[p] & wanted), -p), default=None
            )
            if best is None or not held[best] & left:
                break
            chosen.append((best, len(held[best] & left)))
            left -= held[best]
    return chosen


def smallest(shingles: Shingles, page: int, min_pages: int) -> int:
    """The size of the smallest cover, by trying all."""
    wanted = needs(shingles, page, min_pages)
    others = [set(enumerate(chosen)) & wanted for p, chosen in shingles.items() if p != page]
    others = [held for held in others if held]
    for size in range(len(others) + 1):
        if any(set().union(*some) == wanted for some in combinations(others, size)):
            return size
    raise AssertionError("a popular phrase is on other pages too")
