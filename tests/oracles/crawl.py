"""What the crawler's books say, told slowly: lists instead of bits, searches instead of heaps."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from urllib.parse import urlsplit


def wilson(new: float, fetches: float, z: float) -> float:
    """The upper end of the Wilson score interval, by what defines it: |p - rate| = z sqrt(p (1-p) / n)."""
    if fetches <= 0:
        return 1.0
    rate = new / fetches
    low, high = rate, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if middle - rate <= z * sqrt(middle * (1 - middle) / fetches):
            low = middle
        else:
            high = middle
    return low


def bound(outcomes: Sequence[bool], windows: Sequence[int], z: float) -> float:
    """The lowest bound of the latest 8, 16, 32, … outcomes."""
    return min(wilson(sum(outcomes[-w:]), min(len(outcomes), w), z) for w in windows)


def again(url: str, before: Sequence[str]) -> set[str] | None:
    """The query keys without which a URL was met before; None if it was met as it is."""

    def parts(text: str) -> tuple[str, str, str, list[tuple[str, str]]]:
        split = urlsplit(text)
        pairs = [tuple(part.split("=", 1)) for part in split.query.split("&") if part]
        return split.scheme, split.netloc, split.path, sorted(pairs)  # type: ignore[arg-type]

    scheme, host, path, query = parts(url)
    found: set[str] = set()
    for other in map(parts, before):
        if other == (scheme, host, path, query):
            return None
        if other[2:] == (path, query):
            found.add("(host)")
        for key in {k for k, _ in query}:
            rest = [pair for pair in query if pair[0] != key]
            if other[:3] == (scheme, host, path) and [pair for pair in other[3] if pair[0] != key] == rest:
                found.add(key)
    return found
