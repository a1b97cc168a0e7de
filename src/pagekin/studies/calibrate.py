"""What ssdeep scores mean on the texts of a run: exact similarity of pairs with each score.

Digests are compared first, which is cheap; of the pairs found some are taken for each range of scores, and
their texts compared word by word. Similarity is the Jaccard coefficient of their phrases of `PHRASE` words.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from pagekin import _core
from pagekin.errors import RunError
from pagekin.run import Run

PHRASE = 4
RANGE = 5
"""Scores in a range."""
ENOUGH = 0.95
"""Share of the pairs that must be similar enough for a score to be suggested."""
FEW = 40
"""Fewer pairs than this say little about one in twenty."""
MAX_PAGES = 50_000
"""Pages that are looked at; of a larger run, so many evenly spread."""
MAX_HOLDERS = 32
"""Pages that are compared with by one piece of their digests, so that a large class does not take long."""
MAX_MATCHES = 50
"""Pairs that one page gives at most, so that a large class does not fill the sample."""


@dataclass(frozen=True)
class ScoredPair:
    """Two pages of different text."""

    score: int
    similarity: float
    a: int
    b: int
    weight: float
    """pairs of its range that were found, for each one in the sample"""


@dataclass(frozen=True)
class Range:
    """Pairs whose scores are in one range."""

    low: int
    high: int
    pairs: int
    mean: float
    min_similarity: float
    """the smallest similarity"""
    alike: float
    """share of the pairs that are as similar as was asked for"""


class ScoreThreshold(NamedTuple):
    """All pairs from a score on."""

    score: int
    pairs: int
    """in the sample"""
    alike: float
    """share of the pairs that were found that are as similar as was asked for, estimated"""


@dataclass(frozen=True)
class Calibration:
    """The sample, by ranges of scores, and the threshold it suggests."""

    pairs: list[ScoredPair]
    ranges: list[Range]
    standings: list[ScoreThreshold]
    """estimates for the scores that enough pairs support, highest first"""

    @property
    def suggested(self) -> ScoreThreshold | None:
        """The lowest score from which on all but one in twenty pairs are similar enough."""
        return min((row for row in self.standings if row.alike >= ENOUGH), default=None)

    def measured(self, similarity: float) -> dict[str, Any]:
        """What is kept with the run: pairs as (score, similarity), the ranges, the suggested threshold."""
        return {
            "similarity": similarity,
            "suggested": None if self.suggested is None else self.suggested.score,
            "pairs": [(pair.score, pair.similarity) for pair in self.pairs],
            "ranges": [asdict(part) for part in self.ranges],
        }

    @property
    def best(self) -> ScoreThreshold:
        """The score from which on most pairs are similar enough."""
        return max(self.standings, key=lambda row: row.alike)


def calibrate(run: Run, similarity: float, per_range: int, seed: int = 0) -> Calibration:
    """Samples pairs of every score, and compares their texts.

    Args:
        run: The run; it needs its texts and sketches, no detector.
        similarity: The similarity from which on you call two texts near duplicates, 0 to 1.
        per_range: Pairs to compare for each range of scores.
        seed: Another seed takes other pairs.
    """
    pairs = sample_pairs(run, per_range, seed)
    if not pairs:
        raise RunError(f"{run.path} has no two different texts whose digests have a score")
    pages = sorted({page for _, a, b, _ in pairs for page in (a, b)})
    texts = run.page_columns("texts", ["text"], pages)["text"].to_pylist()
    phrases = {page: _phrases(text) for page, text in zip(pages, texts, strict=True)}
    found = [
        ScoredPair(score, _jaccard(phrases[a], phrases[b]), a, b, weight) for score, a, b, weight in pairs
    ]
    return Calibration(found, _ranges(found, similarity), _standings(found, similarity))


def sample_pairs(run: Run, per_range: int, seed: int) -> list[tuple[int, int, int, float]]:
    """Score, pages and weight of some pairs for each range of scores, by score and page."""
    table = run.table("sketches", ["page", "md5", "ssdeep"])
    step = max(1, -(-table.num_rows // MAX_PAGES))
    first: dict[str, tuple[int, str]] = {}
    for row in table.take(list(range(0, table.num_rows, step))).to_pylist():
        first.setdefault(row["md5"], (row["page"], row["ssdeep"]))
    pages = list(first.values())
    rng = random.Random(seed)
    rng.shuffle(pages)  # of the pages that share a piece, any may be among those compared with
    index = _core.DigestIndex(MAX_HOLDERS)
    index.add([digest for _, digest in pages])
    seen: dict[int, int] = defaultdict(int)
    kept: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for number, (page, digest) in enumerate(pages):
        matches = [match for match in index.matches(digest, 1) if match[0] < number]
        for other, score in rng.sample(matches, min(MAX_MATCHES, len(matches))):
            place = (score - 1) // RANGE
            seen[place] += 1
            # Each pair of a range is kept with the same chance, however many there are.
            if len(kept[place]) < per_range:
                kept[place].append(_ordered(score, pages[other][0], page))
            elif (at := rng.randrange(seen[place])) < per_range:
                kept[place][at] = _ordered(score, pages[other][0], page)
    weights = {place: seen[place] / len(part) for place, part in kept.items()}
    return sorted((*pair, weights[place]) for place, part in kept.items() for pair in part)


def _ordered(score: int, a: int, b: int) -> tuple[int, int, int]:
    return score, min(a, b), max(a, b)


def _phrases(text: str) -> set[tuple[str, ...]]:
    words = _core.words(text)
    return {tuple(words[at : at + PHRASE]) for at in range(max(1, len(words) - PHRASE + 1))}


def _jaccard(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> float:
    return len(a & b) / len(a | b)


def _ranges(pairs: list[ScoredPair], similarity: float) -> list[Range]:
    parts: dict[int, list[ScoredPair]] = defaultdict(list)
    for pair in pairs:
        parts[(pair.score - 1) // RANGE].append(pair)
    rows = []
    for place, part in sorted(parts.items()):
        values = [pair.similarity for pair in part]
        alike = sum(value >= similarity for value in values) / len(values)
        low = place * RANGE + 1
        rows.append(Range(low, low + RANGE - 1, len(part), sum(values) / len(values), min(values), alike))
    return rows


def _standings(pairs: list[ScoredPair], similarity: float) -> list[ScoreThreshold]:
    """For every score, the pairs from it on; where there are enough of them, or else all."""
    rows, alike, total = [], 0.0, 0.0
    above = sorted(pairs, key=lambda pair: -pair.score)
    for place, pair in enumerate(above, 1):
        total += pair.weight
        alike += pair.weight * (pair.similarity >= similarity)
        if place == len(above) or above[place].score != pair.score:
            rows.append(ScoreThreshold(pair.score, place, alike / total))
    return [row for row in rows if row.pairs >= FEW] or rows
