"""Style clusters by the definitions: every pair of every bucket, every mean over every pair."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from pagekin.run import Run

from .style import MASK, mix

Print = tuple[int, ...]
Layers = tuple[Print, ...]
"""A page's fingerprints: of its noise, and of its structure if that counts."""
Ts = tuple[int, ...]
"""Matching dimensions that make a link, by layer."""
SAMPLE = 256
MILLION = 1_000_000


class Shape(NamedTuple):
    members: list[int]
    centroid: int
    similarity: dict[int, float]
    cohesion: float
    worm: bool


def probes(m: int, k: int, p: int, seed: int) -> list[list[int]]:
    """The first places of a shuffle: one shuffle for all probes of one dimension, else one for each probe."""

    def draw(salt: int, count: int) -> list[int]:
        places = list(range(m))
        for i in range(count):
            random = mix(mix(seed ^ int.from_bytes(b"probes", "big")) ^ mix(salt << 16 | i))
            j = i + (random * (m - i) >> 64)
            places[i], places[j] = places[j], places[i]
        return places[:count]

    return [[place] for place in draw(0, p)] if k == 1 else [draw(probe + 1, k) for probe in range(p)]


def matching(a: Print, b: Print) -> int:
    return sum(x == y != 0 for x, y in zip(a, b, strict=True))


def millionths(a: Print, b: Print, over_m: bool) -> int:
    """The estimate of Jaccard: matches among filled dimensions, less what 16 bits match by chance.

    The paper's: matches among all dimensions.
    """
    if over_m:
        return math.floor(matching(a, b) / len(a) * MILLION + 0.5)
    filled = sum(x != 0 or y != 0 for x, y in zip(a, b, strict=True))
    if filled == 0:
        return 0
    chance = 1 / 65535
    return math.floor(max(0.0, (matching(a, b) / filled - chance) / (1 - chance)) * MILLION + 0.5)


def linked(a: Layers, b: Layers, ts: Ts) -> bool:
    """Either fingerprint says so."""
    return any(matching(x, y) >= t for x, y, t in zip(a, b, ts, strict=True))


def similarity(a: Layers, b: Layers, over_m: bool) -> int:
    """The higher of the layers' estimates."""
    return max(millionths(x, y, over_m) for x, y in zip(a, b, strict=True))


def procedure_2(prints: Mapping[int, Layers], m: int, k: int, p: int, ts: Ts, seed: int) -> list[list[int]]:
    """The clusters of at least two pages."""
    labels = {page: page for page in prints}
    for layer, probe in ((layer, probe) for layer in range(len(ts)) for probe in probes(m, k, p, seed)):
        buckets = defaultdict(list)
        for page, found in prints.items():
            key = tuple(found[layer][place] for place in probe)
            if 0 not in key:
                buckets[key].append(page)
        for bucket in buckets.values():
            for a, b in combinations(bucket, 2):
                if labels[a] != labels[b] and matching(prints[a][layer], prints[b][layer]) >= ts[layer]:
                    old, new = labels[a], labels[b]
                    labels = {page: new if label == old else label for page, label in labels.items()}
    clusters = defaultdict(list)
    for page, label in labels.items():
        clusters[label].append(page)
    return sorted(sorted(members) for members in clusters.values() if len(members) > 1)


def sampled(members: Sequence[int]) -> list[int]:
    return sorted(members, key=lambda page: (mix(page & MASK), page))[:SAMPLE]


def shape(members: Sequence[int], prints: Mapping[int, Layers], ts: Ts, over_m: bool) -> Shape:
    sample = sampled(members)

    def mean(page: int) -> Fraction:
        others = [other for other in sample if other != page]
        return Fraction(sum(similarity(prints[page], prints[o], over_m) for o in others), len(others))

    centroid = max(sorted(members), key=mean)  # of equal ones the first
    to_centroid = {page: similarity(prints[centroid], prints[page], over_m) / MILLION for page in members}
    pairs = list(combinations(sample, 2))
    edges = sum(linked(prints[a], prints[b], ts) for a, b in pairs)
    return Shape(sorted(members), centroid, to_centroid, edges / len(pairs), 2 * edges < len(pairs))


def split(members: Sequence[int], prints: Mapping[int, Layers], ts: Ts) -> Iterator[list[int]]:
    """What is left of a cluster without the links whose ends share fewer than three of five neighbours.

    Who is then alone goes with the part it has most links to, of equal ones that of the smallest hash.
    """
    near = {a: {b for b in members if a == b or linked(prints[a], prints[b], ts)} for a in members}

    def strong(a: int, b: int) -> bool:
        return 5 * len(near[a] & near[b]) >= 3 * len(near[a] | near[b])

    left = set(members)
    parts: list[set[int]] = []
    while left:
        part: set[int] = set()
        queue = [min(left)]
        while queue:
            a = queue.pop()
            if a not in part:
                part.add(a)
                queue.extend(b for b in near[a] if strong(a, b))
        left -= part
        parts.append(part)
    bunches = [frozenset(part) for part in parts if len(part) > 1]
    if not bunches:
        yield sorted(members)
        return
    with_more = {bunch: set(bunch) for bunch in bunches}
    for (page,) in (part for part in parts if len(part) == 1):

        def links(bunch: frozenset[int], page: int = page) -> tuple[int, int]:
            return len(near[page] & bunch), -min(mix(other & MASK) for other in bunch)

        best = max(bunches, key=links)
        if near[page] & best:
            with_more[best].add(page)
    yield from map(sorted, with_more.values())


def thresholds(style: Mapping[str, Any]) -> Ts:
    return tuple(t for t in (style["t"], style["structure_t"]) if t)


def shapes(prints: Mapping[int, Layers], style: Mapping[str, Any]) -> list[Shape]:
    ts = thresholds(style)
    found = procedure_2(prints, style["m"], style["k"], style["p"], ts, style["seed"])
    shaped = [shape(members, prints, ts, style["over_m"]) for members in found]
    if style["split_worms"]:
        cut = [s for s in shaped if not s.worm]
        for worm in (s for s in shaped if s.worm):
            cut += [shape(part, prints, ts, style["over_m"]) for part in split(worm.members, prints, ts)]
        shaped = cut
    return shaped


def prints_of(run: Run) -> dict[int, Layers]:
    style = run.info["params"]["style"]
    names = ["style", "structure"][: len(thresholds(style))]
    rows = run.table("sketches", ["page", *names]).to_pylist()
    none = bytes(2 * style["m"])
    return {
        row["page"]: tuple(tuple(memoryview(row[name] or none).cast("H")) for name in names)
        for row in rows
        if any(row[name] for name in names)
    }


def ranked(run: Run) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of style_clusters (without kind, name and the figures behind them) and style_members."""
    pages = {row["page"]: row for row in run.table("pages", ["page", "url", "host", "domain"]).to_pylist()}
    clusters = []
    for s in shapes(prints_of(run), run.info["params"]["style"]):
        mean = sum(round(value * MILLION) for value in s.similarity.values()) / len(s.members) / MILLION
        domains = len({pages[page]["domain"] for page in s.members})
        clusters.append(
            {
                "cluster": s.members[0],
                "pages": len(s.members),
                "known_pages": 0,
                "hosts": len({pages[page]["host"] for page in s.members}),
                "domains": domains,
                "mean_similarity": mean,
                "score": mean * domains,
                "weight": mean * domains * math.log2(1 + len(s.members) / domains),
                "centroid": s.centroid,
                "centroid_url": pages[s.centroid]["url"],
                "cohesion": s.cohesion,
                "worm": s.worm,
                "similarity": s.similarity,
            }
        )
    clusters.sort(key=lambda row: (-row["weight"], -row["pages"], row["cluster"]))
    members = []
    for rank, row in enumerate(clusters, 1):
        row["rank"] = rank
        similarity = row.pop("similarity")
        for page in sorted(similarity, key=lambda page: (-similarity[page], page)):
            members.append(
                {
                    "rank": rank,
                    "cluster": row["cluster"],
                    "page": page,
                    "url": pages[page]["url"],
                    "similarity": similarity[page],
                }
            )
    return clusters, members
