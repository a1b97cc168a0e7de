"""How far a detector can be trusted: the share of spam in judged samples, and how far judges agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pagekin.index.catalog import Catalog
from pagekin.params import Params
from pagekin.verdicts.labels import CANNOT_JUDGE, HAND, LABELS, SPAM
from pagekin.verdicts.samples import Sample
from pagekin.verdicts.state import State

Z = 1.959963984540054
"""Of the normal distribution, 95% lies within so many deviations."""


def wilson(successes: int, trials: int, z: float = Z) -> tuple[float, float]:
    """The Wilson score interval of a share: sound for small samples and for shares near 0 and 1.

    Examples:
        >>> [round(end, 3) for end in wilson(34, 100)]
        [0.255, 0.437]
        >>> wilson(0, 0)
        (0.0, 1.0)
    """
    if trials == 0:
        return (0.0, 1.0)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return (max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale))


@dataclass(frozen=True)
class Estimate:
    """A judged sample."""

    sample: Sample
    params: str
    """the parameters that made what was judged"""
    population: int
    size: int
    labels: dict[str, int]
    who: str | None = None
    """the judge; None for all, where the last word on a thing counts"""

    @property
    def judged(self) -> int:
        """Things with a verdict other than `cannot judge`."""
        return sum(count for label, count in self.labels.items() if label != CANNOT_JUDGE)

    @property
    def share(self) -> float | None:
        """Spam among what was judged; borderline counts as not spam."""
        return self.labels[SPAM] / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of all lies with 95% confidence, if the sample is a random one."""
        return wilson(self.labels[SPAM], self.judged)


def estimate(
    catalog: Catalog, state: State, sample: Sample, params: Params, who: str | None = None
) -> Estimate:
    """How a sample was judged so far, by all or by one judge."""
    targets = sample.targets(catalog)
    labels = state.counts(((sample.kind, target) for target in targets), who)
    said = told(params, sample.queue)
    return Estimate(sample, said, sample.population(catalog), len(targets), labels, who)


def estimates(catalog: Catalog, state: State, params: Params) -> list[Estimate]:
    """All judged samples, random ones first; where several people judged, each one's own below it."""
    judges: dict[str, set[str]] = {}
    for row in state.rows():
        if row.scope == HAND and row.sample:
            judges.setdefault(row.sample, set()).add(row.who)
    found = []
    for name, several in judges.items():
        alone = sorted(several) if len(several) > 1 else []
        found += [estimate(catalog, state, Sample.parse(name), params, who) for who in (None, *alone)]
    return sorted(found, key=lambda one: (one.sample.order != "random", str(one.sample), one.who or ""))


def told(params: Params, queue: str) -> str:
    """The parameters behind a queue, as its paper writes them."""
    if queue == "quilts":
        q = params.quilts
        return f"k={q.k}, m={q.m}, c={q.c}, θ={q.theta:g}, foreign: {q.foreign}"
    if queue == "clusters":
        s = params.style
        return f"n={s.n}, m={s.m}, t={s.t}"
    if queue == "classes":
        d = params.duplicates
        return f"Jaccard ≥ {d.similarity:g}" if d.similarity else f"2 of {d.bands} bands of {d.length}"
    return "domains"


@dataclass(frozen=True)
class Agreement:
    """Two judges on what both judged."""

    first: str
    second: str
    common: int
    agreed: int
    kappa: float | None
    """Cohen's: agreement beyond chance; None where chance alone makes them agree"""
    disagreed: tuple[tuple[str, str, str, str], ...]
    """kind, target, first's label, second's label"""


def agreements(state: State) -> list[Agreement]:
    """Every pair of judges with something in common."""
    said: dict[str, dict[tuple[str, str], str]] = {}
    for row in state.rows():
        if row.scope != HAND:
            continue
        last = state.by_judge(row.kind, row.target).get(row.who)
        if last is not None and last.label is not None:
            said.setdefault(row.who, {})[row.kind, row.target] = last.label
    found = []
    for first, second in combinations(sorted(said), 2):
        common = sorted(said[first].keys() & said[second].keys())
        if common:
            pairs = [(said[first][key], said[second][key]) for key in common]
            apart = tuple((*key, a, b) for key, (a, b) in zip(common, pairs, strict=True) if a != b)
            agreed = len(common) - len(apart)
            found.append(Agreement(first, second, len(common), agreed, kappa(pairs), apart))
    return found


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two judges' labels.

    Examples:
        >>> kappa([("spam", "spam"), ("spam", "not spam"), ("not spam", "not spam"), ("spam", "spam")])
        0.5
    """
    total = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    agreed = sum(a == b for a, b in pairs) / total
    chance = sum(first[label] * second[label] for label in LABELS) / (total * total)
    return None if chance == 1 else (agreed - chance) / (1 - chance)
