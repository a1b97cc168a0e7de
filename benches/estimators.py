"""The paper's Figure 1 on real pages: matching dimensions against the exact similarity of the noises."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from random import Random

from corpus import corpus
from harness import Row, cache_folder, publish

import pagekin
from pagekin import _core
from pagekin.report.figures import write_plot

PAIRS = 400
"""In each tenth of the exact similarity, over all seeds."""
SEEDS = (1, 2, 3, 4)
LARGE = 2000
"""N-grams that fill all dimensions."""


def main() -> None:
    """Bias and error of both estimates, by tenths."""
    pages = [_core.decode(page.html)[0] for page in pagekin.read(corpus().warc) if page.html][::8]
    found = pairs(pages)
    rows = []
    for tenth in range(10):
        mine = [f for f in found if min(int(f[0] * 10), 9) == tenth]
        if not mine:
            continue
        errors = [estimate - exact for exact, estimate, _, _ in mine]
        paper = [sim_b - exact for exact, _, sim_b, _ in mine]
        rmse = math.sqrt(sum(e * e for e in errors) / len(errors))
        expected = math.sqrt(sum(x * (1 - x) / filled for x, _, _, filled in mine) / len(mine))
        label = f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}"
        rows.append(Row(f"{label}: bias of ours ({len(mine)} estimates)", sum(errors) / len(errors), ""))
        rows.append(Row(f"{label}: bias of Sim_b", sum(paper) / len(paper), ""))
        rows.append(
            Row(f"{label}: error of ours, to theory", rmse, "", rmse / expected if expected else None)
        )
    write_plot(cache_folder() / "results" / "estimators.png", lambda axes: draw(axes, found))
    publish("estimators", rows)


def pairs(pages: list[str]) -> list[tuple[float, float, float, int]]:
    """Exact Jaccard, our estimate, Sim_b and filled dimensions of pairs of all similarities."""
    random = Random(1)
    # Pages of one kind are near each other in few of all pairs: look where fingerprints say there are some.
    made = ((number, _core.fingerprint(page)) for number, page in enumerate(pages))
    prints = {number: minima for number, minima in made if minima is not None}
    chosen: dict[int, list[tuple[int, int]]] = defaultdict(list)
    tried = random.sample(list(prints), min(len(prints), 1500))
    for a, b in combinations(tried, 2):
        matching, filled, _, _ = _core.style_matches(prints[a], prints[b])
        tenth = min(10 * matching // max(filled, 1), 9)
        if matching and len(chosen[tenth]) < PAIRS // len(SEEDS):
            chosen[tenth].append((a, b))
    found = []
    for a, b in (pair for group in chosen.values() for pair in group):
        own, other, both = _core.style_overlap(pages[a], pages[b])
        exact = both / (own + other - both)
        if min(own, other) < LARGE and both == 0:
            continue
        # Seeds that did not choose the pair: its own would be biased by the choice.
        for seed in SEEDS:
            one, two = (_core.fingerprint(pages[page], seed=seed) for page in (a, b))
            assert one is not None
            assert two is not None
            matching, filled, estimate, _ = _core.style_matches(one, two)
            found.append((exact, estimate, 2 * matching / len(one), filled))
    return found


def draw(axes: object, found: list[tuple[float, float, float, int]]) -> None:
    """A point for each pair."""
    plot = axes.scatter  # type: ignore[attr-defined]
    plot([f[0] for f in found], [f[2] for f in found], s=3, label="Sim_b")
    plot([f[0] for f in found], [f[1] for f in found], s=3, label="ours")
    axes.set_xlabel("exact Jaccard")  # type: ignore[attr-defined]
    axes.set_ylabel("estimate")  # type: ignore[attr-defined]
    axes.legend()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
