"""The two estimates of style similarity against the exact values: bias and error by decile.

The theory: a page pair of f n-grams in all that fills d of m dimensions has d draws without replacement,
so the variance of matches among filled is J(1 - J) (1/d (1 + 1/(f - 1)) - 1/(f - 1));
for f far above m that is J(1 - J)/d.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pytest

from pagekin import _core

SIGNS = "<>/=\"' \n.,;:-_()&#!?"
M = 128
TRIALS = 2000


@dataclass(frozen=True)
class Trial:
    """One pair of pages under one seed."""

    exact: float
    estimate: float
    sim_b: float
    filled: int
    grams: int


def noise(rng: random.Random, size: int) -> str:
    return "".join(rng.choices(SIGNS, k=size))


@cache
def trials(grams: int, count: int = TRIALS) -> tuple[tuple[Trial, ...], ...]:
    """For each decile of exact Jaccard, pairs of pages with about so many n-grams."""
    rng = random.Random(grams)
    deciles: list[tuple[Trial, ...]] = []
    for decile in range(10):
        found: list[Trial] = []
        while len(found) < count:
            wanted = (decile + rng.random()) / 10
            shared, own = round(grams * wanted), round(grams * (1 - wanted) / 2)
            # A stretch of s + 31 characters has s n-grams; each character appended adds one.
            both = noise(rng, shared + 31)
            a, b = both + noise(rng, own), both + noise(rng, own)
            in_a, in_b, in_both = _core.style_overlap(a, b)
            either = in_a + in_b - in_both
            if int(in_both / either * 10) != decile:
                continue
            for seed in rng.sample(range(2**40), 5):
                first, second = (_core.fingerprint(page, 32, M, seed) for page in (a, b))
                assert first is not None
                assert second is not None
                matching, filled, estimate, _ = _core.style_matches(first, second)
                found.append(Trial(in_both / either, estimate, matching / M, filled, either))
        deciles.append(tuple(found))
    return tuple(deciles)


def bias(found: tuple[Trial, ...], of: Callable[[Trial], float]) -> float:
    return math.fsum(of(trial) - trial.exact for trial in found) / len(found)


def rmse(found: tuple[Trial, ...], of: Callable[[Trial], float]) -> float:
    return math.sqrt(math.fsum((of(trial) - trial.exact) ** 2 for trial in found) / len(found))


def estimate(trial: Trial) -> float:
    return trial.estimate


def sim_b(trial: Trial) -> float:
    return trial.sim_b


def theory(found: tuple[Trial, ...], finite: bool) -> float:
    def variance(trial: Trial) -> float:
        j, d, rest = trial.exact, trial.filled, (1 / (trial.grams - 1) if finite else 0.0)
        return j * (1 - j) * (1 / d * (1 + rest) - rest)

    return math.sqrt(math.fsum(map(variance, found)) / len(found))


@pytest.mark.parametrize("decile", range(10))
def test_default_on_large_pages(decile: int) -> None:
    """Where pages fill their fingerprints, as nearly all do, both estimates are right."""
    found = trials(3000)[decile]
    assert abs(bias(found, estimate)) < 0.005
    assert rmse(found, estimate) == pytest.approx(theory(found, finite=False), rel=0.1)
    assert abs(bias(found, sim_b)) < 0.005


@pytest.mark.parametrize("grams", [60, 200])
@pytest.mark.parametrize("decile", range(10))
def test_default_on_small_pages(decile: int, grams: int) -> None:
    """The default stays unbiased, and its error is what few n-grams leave: below that of large pages."""
    found = trials(grams)[decile]
    assert abs(bias(found, estimate)) < 0.005
    assert rmse(found, estimate) == pytest.approx(theory(found, finite=True), rel=0.1)
    assert rmse(found, estimate) < theory(found, finite=False)


@pytest.mark.parametrize("grams", [60, 200])
def test_sim_b_punishes_small_pages(grams: int) -> None:
    """The paper's estimate is low by the share of empty dimensions."""
    empty = (1 - 1 / M) ** grams
    for decile, found in enumerate(trials(grams)):
        exact = math.fsum(trial.exact for trial in found) / len(found)
        assert bias(found, sim_b) == pytest.approx(-exact * empty, abs=0.01)
        if decile >= 3:
            assert rmse(found, sim_b) > rmse(found, estimate)


def test_chance_matches_are_taken_off() -> None:
    """Sixteen bits match by chance once in 65,535; over many strangers the estimate shows the correction."""
    rng = random.Random(8)
    pages = [_core.fingerprint(noise(rng, 2000)) or b"" for _ in range(300)]
    pairs = [(a, b) for i, a in enumerate(pages) for b in pages[:i]]
    matches = sum(_core.style_matches(a, b)[0] for a, b in pairs)
    expected = len(pairs) * M / 65535
    assert matches == pytest.approx(expected, abs=5 * math.sqrt(expected))
    for matching, empty in ((1, 0), (64, 0), (20, 100), (128, 0)):
        same = [7] * matching + [0] * empty
        rest = M - matching - empty
        found = _core.style_matches(*(bytes(array("H", same + [other] * rest)) for other in (1, 2)))
        assert found[:2] == (matching, M - empty)
        corrected = (matching / (M - empty) - 1 / 65535) / (1 - 1 / 65535)
        assert found[2] == pytest.approx(corrected, abs=1e-12)
