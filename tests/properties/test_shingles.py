"""Shingles against the oracle, and as a sample: unbiased, even, and no worse than the paper's."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import shingles as oracle
from strategies import texts

from pagekin import _core

SEEDS = st.integers(0, 2**63 - 1)


@given(st.lists(texts(), max_size=3).map(" ".join), st.integers(1, 64), st.integers(1, 30), SEEDS)
def test_bins(text: str, k: int, m: int, seed: int) -> None:
    assert _core.Shingler(k, m, "bins", seed).shingles(text) == oracle.shingles(text, k, m, seed)


RABIN_MODULI = oracle.rabin_moduli(3, 5)


@settings(max_examples=40)
@given(texts(), st.integers(1, 9))
def test_rabin(text: str, k: int) -> None:
    assert _core.Shingler(k, 3, "rabin", 5).shingles(text) == oracle.rabin_shingles(text, k, 5, RABIN_MODULI)


@given(texts(), st.integers(1, 12), st.sampled_from(["bins", "rabin"]))
def test_phrases_know_each_other(text: str, k: int, family: str) -> None:
    """As many fingerprints as words; equal where the words are."""
    found = _core.Shingler(k, 1, family).phrases(text)
    expected = oracle.phrases(text, k)
    assert len(found) == len(expected)
    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


def test_many_texts() -> None:
    shingler = _core.Shingler()
    texts = ["one two three", "", None, "x"]
    found = shingler.shingles_of(pa.RecordBatch.from_pydict({"page": [1, 2, 3, 4], "text": texts}))
    assert found.schema.names == ["page", "shingles"]
    for text, packed in zip(texts, found["shingles"].to_pylist(), strict=True):
        expected = shingler.shingles(text) if text else None
        assert (None if packed is None else np.frombuffer(packed, "<u8").tolist()) == expected


@pytest.mark.parametrize("bad", [{"k": 0}, {"k": 65}, {"m": 0}, {"m": 4097}, {"family": "x"}])
def test_out_of_range(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"out of range|no family"):
        _core.Shingler(**bad)  # type: ignore[arg-type]


def sample(family: str, shared: int, own: int, trials: int) -> np.ndarray:
    """Estimates of Jaccard by 84 functions for pairs of sets: `shared` phrases and `own` for each side."""
    # Phrases of one word are random when the words are: sets of any size and overlap.
    shingler = _core.Shingler(1, 84, family, 11)
    rng = random.Random(shared * 7919 + own)
    estimates = []
    for _ in range(trials):
        words = [f"{rng.getrandbits(60):x}" for _ in range(shared + 2 * own)]
        a = shingler.shingles(" ".join(words[: shared + own]))
        b = shingler.shingles(" ".join(words[:shared] + words[shared + own :]))
        assert a is not None
        assert b is not None
        estimates.append(sum(x == y for x, y in zip(a, b, strict=True)) / 84)
    return np.array(estimates)


@pytest.mark.parametrize("family", ["bins", "rabin"])
@pytest.mark.parametrize(
    ("shared", "own"), [(1, 1), (5, 2), (30, 10), (84, 28), (300, 200), (700, 150), (2000, 900)]
)
def test_estimates_are_unbiased_and_no_worse_than_independent_functions(
    family: str, shared: int, own: int
) -> None:
    trials = 400
    truth = shared / (shared + 2 * own)
    found = sample(family, shared, own, trials)
    # What 84 independent min-wise functions would give.
    deviation = math.sqrt(truth * (1 - truth) / 84)
    assert abs(found.mean() - truth) < 4 * deviation / math.sqrt(trials), "bias"
    error = math.sqrt(((found - truth) ** 2).mean())
    # The standard error of a standard deviation from so many trials is 1 in sqrt(2 trials).
    assert error < deviation * (1 + 4 / math.sqrt(2 * trials)), "root mean square error"


@pytest.mark.parametrize("family", ["bins", "rabin"])
@pytest.mark.parametrize("size", [2, 10, 60, 400])
def test_every_phrase_is_as_likely_as_any_other(family: str, size: int) -> None:
    """Min-wise uniformity: chi-square of which phrase is chosen, over all functions and many seeds."""
    words = [f"word{i}" for i in range(size)]
    counts: Counter[int] = Counter()
    seeds = 12 if family == "rabin" else 60
    for seed in range(seeds):
        shingler = _core.Shingler(1, 84, family, seed)
        place = {fingerprint: i for i, fingerprint in enumerate(shingler.phrases(" ".join(words)))}
        counts.update(place[value] for value in shingler.shingles(" ".join(words)) or [])
    expected = 84 * seeds / size
    chi = sum((counts[i] - expected) ** 2 / expected for i in range(size))
    # Mean `size - 1`, standard deviation sqrt(2 (size - 1)) if all choices were independent.
    assert chi < (size - 1) + 5 * math.sqrt(2 * (size - 1))
