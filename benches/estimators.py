"""The paper's Figure 1 on real pages: matching dimensions against the exact similarity of the noises."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, islice
from random import Random

from corpus import corpus
from harness import Row, cache_folder, publish

import pagekin
from pagekin import _core
from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis, thinned
from pagekin.look.table import ShownColumn
from pagekin.report.figures import write_plot

PAIRS, ESTIMATES = 500, 2500
"""In each tenth of the similarity; fewer pairs have more estimates each."""
LARGE = 4000
"""N-grams in either page that make the m minima as good as independent: with fewer, m is a good part of
them all, and a sample without return errs less than the theory says."""


def main() -> None:
    """Bias and error of both estimates, by tenths."""
    pages = [_core.decode(page.html)[0] for page in pagekin.read(corpus().warc) if page.html][::4]
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
        bias = abs(sum(errors)) / len(errors)
        rows.append(Row(f"{label}: bias of ours ({len(mine)} estimates)", bias, "", at_most=0.005))
        rows.append(Row(f"{label}: bias of Sim_b", abs(sum(paper)) / len(paper), ""))
        ratio = rmse / expected
        rows.append(Row(f"{label}: error of ours, to theory", rmse, "", ratio, at_least=0.9, at_most=1.1))
    write_plot(cache_folder() / "results" / "estimators.png", drawn(found))
    publish("estimators", rows)


def pairs(pages: list[str]) -> list[tuple[float, float, float, int]]:
    """Exact Jaccard, our estimate, Sim_b and filled dimensions of pairs of all similarities."""
    random = Random(1)
    # Pages of one kind are near each other in few of all pairs: look where fingerprints say there are some.
    made = ((number, _core.fingerprint(page)) for number, page in enumerate(pages))
    prints = {number: minima for number, minima in made if minima is not None}
    chosen: dict[int, list[tuple[int, int]]] = defaultdict(list)
    tried = random.sample(list(prints), min(len(prints), 2500))
    for a, b in combinations(tried, 2):
        matching, filled, _, _ = _core.style_matches(prints[a], prints[b])
        chosen[min(10 * matching // max(filled, 1), 9)].append((a, b))
    found = []
    for _, group in sorted(chosen.items()):
        large = ((pair, _exact(pages, *pair)) for pair in random.sample(group, len(group)))
        kept = list(islice(((a, b, exact) for (a, b), exact in large if exact is not None), PAIRS))
        for a, b, exact in kept:
            # Each pair under seeds of its own. The one that chose it would be biased by the choice; and pairs
            # of one template under the same seeds would err together.
            for seed in random.sample(range(1, 2**40), ESTIMATES // len(kept)):
                one, two = (_core.fingerprint(pages[page], seed=seed) for page in (a, b))
                assert one is not None
                assert two is not None
                matching, filled, estimate, _ = _core.style_matches(one, two)
                found.append((exact, estimate, 2 * matching / len(one), filled))
    return found


def _exact(pages: list[str], a: int, b: int) -> float | None:
    """The similarity of two pages; None for small ones, and for strangers and twins, which have no error."""
    own, other, both = _core.style_overlap(pages[a], pages[b])
    either = own + other - both
    return None if either < LARGE or both in (0, either) else both / either


def drawn(found: list[tuple[float, float, float, int]]) -> Figure:
    """Estimates of pairs against the truth; of many, some."""
    shown = thinned(found, 3000)
    chart = Chart(
        Axis("exact similarity", 0, 1), Axis("estimate", 0, 1), legend=["ours", "Sim_b"], swatch="dot"
    )
    chart.points([Mark(exact, sim_b, radius=1.5, series=2) for exact, _, sim_b, _ in shown])
    chart.points([Mark(exact, estimate, radius=1.5) for exact, estimate, _, _ in shown])
    title = "Estimates against the exact similarity"
    columns = [ShownColumn("exact"), ShownColumn("ours"), ShownColumn("Sim_b"), ShownColumn("filled")]
    return Figure("estimators", title, chart.svg(title), columns, shown)


if __name__ == "__main__":
    main()
