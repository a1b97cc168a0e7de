"""Duplicate classes by comparing every page with every other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from .shingles import phrases, plain_phrases


def closure(n: int, linked: Callable[[int, int], bool]) -> list[list[int]]:
    """Classes of at least two, by relabelling until nothing changes."""
    labels = list(range(n))
    for a, b in combinations(range(n), 2):
        if linked(a, b):
            low, high = sorted((labels[a], labels[b]))
            labels = [low if label == high else label for label in labels]
    classes = [[i for i in range(n) if labels[i] == label] for label in sorted(set(labels))]
    return [members for members in classes if len(members) > 1]


def by_runs(
    texts: list[str], shingles: Callable[[str], list[int] | None], bands: int = 6, length: int = 14
) -> list[list[int]]:
    """Two bands that agree make a link; so do equal texts."""
    made = [shingles(text) for text in texts]

    def linked(a: int, b: int) -> bool:
        first, second = made[a], made[b]
        if first is None or second is None:
            return False
        cuts = [slice(i * length, (i + 1) * length) for i in range(bands)]
        return sum(first[cut] == second[cut] for cut in cuts) >= 2

    return closure(len(texts), linked)


def by_similarity(texts: list[str], similarity: float, k: int, wrap: bool = True) -> list[list[int]]:
    """A Jaccard coefficient that is high enough makes a link."""
    of = phrases if wrap else plain_phrases
    sets = [set(of(text, k)) for text in texts]

    def linked(a: int, b: int) -> bool:
        both, either = sets[a] & sets[b], sets[a] | sets[b]
        return bool(sets[a] and sets[b]) and len(both) / len(either) >= similarity

    return closure(len(texts), linked)
