"""Seeds: every part of the made-up web draws from its own generator, named by where it stands.

A part's numbers depend on its name alone, never on what was made before it. So a page that is needed twice
(once by itself, once as the source of a quilt) can be made twice instead of being kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar

T = TypeVar("T")


def mix(*parts: int | str) -> int:
    """A 64-bit seed from a name such as `(seed, "article", site, number)`; the same on every machine."""
    # The same hash as `urls.name_hash`, which here would cost a made-up web 4% of its time.
    name = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def rng_for(*parts: int | str) -> Random:
    """A generator seeded by `mix(*parts)`."""
    return Random(mix(*parts))


def pick(rng: Random, items: Sequence[T]) -> T:
    """One item; a third of the cost of `rng.choice`, which matters at thousands of pages a second."""
    return items[int(rng.random() * len(items))]


def between(rng: Random, low: int, high: int) -> int:
    """A whole number in low..high, both included."""
    return low + int(rng.random() * (high - low + 1))


def skewed(rng: Random, n: int, power: float = 2.0) -> int:
    """A number in 0..n-1, small ones more often: how popular software, themes and topics are chosen."""
    return int(n * rng.random() ** power)
