"""How many probes find how many pairs: the formula against simulation."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from oracles.clusters import probes

from pagekin.errors import ParamsError
from pagekin.params import Params, StyleParams


def paper(**values: Any) -> StyleParams:
    """The paper's parameters with some other values."""
    return replace(Params.of("paper").style, **values)


@pytest.mark.parametrize(
    ("m", "t", "k", "p"),
    [(128, 35, 1, 20), (128, 35, 1, 4), (64, 8, 1, 12), (128, 35, 2, 25), (128, 60, 3, 20)],
)
def test_miss_rate_by_simulation(m: int, t: int, k: int, p: int) -> None:
    """Pairs that match in t random dimensions, against the probes of many seeds."""
    rng = random.Random(m + t + k + p)
    trials, missed = 20_000, 0
    drawn = [[set(probe) for probe in probes(m, k, p, seed)] for seed in range(200)]
    for trial in range(trials):
        alike = set(rng.sample(range(m), t))
        missed += not any(probe <= alike for probe in drawn[trial % len(drawn)])
    expected = paper(m=m, t=t, k=k, p=p).miss_rate
    # The probes are 200 draws, not 20,000: for k > 1 some draws overlap more than others.
    spread = math.sqrt(expected * (1 - expected) / trials)
    assert missed / trials == pytest.approx(expected, abs=5 * spread + 0.05 * expected * (k > 1))


def test_the_papers_example() -> None:
    """p·t ≥ 512 misses fewer than 1% of the pairs when m = 128."""
    for t in range(5, 120):
        p = min(128, -(-512 // t))
        assert paper(t=t, p=p).miss_rate < 0.01
    assert paper().miss_rate == math.comb(108, 35) / math.comb(128, 35)


@pytest.mark.parametrize("miss", [0.5, 0.1, 0.01, 1e-6])
@pytest.mark.parametrize(("m", "t", "k"), [(128, 35, 1), (64, 10, 1), (128, 64, 2), (128, 100, 4)])
def test_as_few_probes_as_will_do(miss: float, m: int, t: int, k: int) -> None:
    params = StyleParams.for_miss_rate(miss, m=m, t=t, k=k)
    assert params.miss_rate <= miss
    assert params.p == 1 or paper(m=m, t=t, k=k, p=params.p - 1).miss_rate > miss
    assert paper(m=m, t=t, k=k, miss=miss).probes == params.p


def test_all_dimensions_miss_nothing() -> None:
    assert paper(p=128, t=1).miss_rate == 0
    assert paper(p=94).miss_rate == 0, "94 of 128 dimensions cannot all be outside of 35"


def test_fewer_dimensions_than_probes_by_default() -> None:
    """What `miss` chooses need not fit the default number of probes."""
    assert StyleParams.for_miss_rate(0.01, m=16, t=8).miss_rate <= 0.01
    assert paper(m=10, t=5, miss=0.01).probes <= 10
    assert StyleParams.for_miss_rate(0).miss_rate == 0
    with pytest.raises(ParamsError, match=r"style\.p must be from 1 to 10, not 20"):
        paper(m=10, t=5)


def test_a_probe_wider_than_a_link() -> None:
    with pytest.raises(ParamsError, match=r"style\.k must be from 1 to 5, not 8"):
        paper(k=8, t=5)


@pytest.mark.parametrize("bad", [{"miss": -0.1}, {"miss": 1.0}, {"miss": 1e-9, "k": 8, "t": 10}])
def test_what_cannot_be(bad: dict[str, float]) -> None:
    with pytest.raises(ParamsError, match=r"style\.miss"):
        paper(**bad)


def test_structure_is_probed_too() -> None:
    """The miss rate is that of the pairs that are hardest to meet, of either kind."""
    assert StyleParams(t=50, structure_t=40).miss_rate == math.comb(108, 40) / math.comb(128, 40)
    assert StyleParams(t=50, structure_t=60).miss_rate == math.comb(108, 50) / math.comb(128, 50)
    with pytest.raises(ParamsError, match=r"style\.structure_t must be from 0 to 128, not 129"):
        StyleParams(structure_t=129)
    with pytest.raises(ParamsError, match=r"style\.k must be from 1 to 3, not 4"):
        StyleParams(structure_t=3, k=4)
