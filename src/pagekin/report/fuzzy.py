"""Exact and fuzzy duplicates in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pagekin.calibrate import Calibration


def draw_scores(axes: Axes, found: Calibration, similarity: float) -> None:
    """Exact similarity against score, a point a pair."""
    axes.scatter([p.score for p in found.pairs], [p.similarity for p in found.pairs], s=8, alpha=0.5)
    middles = [(part.low + part.high) / 2 for part in found.ranges]
    axes.plot(middles, [part.mean for part in found.ranges], color="black", label="mean")
    axes.axhline(similarity, linestyle=":", color="gray", label="similar enough")
    if found.suggested is not None:
        axes.axvline(found.suggested, linestyle="--", color="gray", label="suggested threshold")
    axes.set(xlabel="ssdeep score", ylabel="phrases in common", xlim=(0, 101), ylim=(0, 1.02))
    axes.legend(loc="upper left", frameon=False)


def draw_audit(axes: Axes, curve: list[dict[str, float]]) -> None:
    """Results of each kind up to each rank, mean over queries: the paper's figure 4."""
    ranks = [at["rank"] for at in curve]
    for kind, colour in (("unique", "tab:blue"), ("near", "tab:orange"), ("exact", "tab:red")):
        axes.plot(ranks, [at[kind] for at in curve], color=colour, label=kind)
    axes.set(xlabel="rank", ylabel="results so far, mean over queries", xlim=(0, None), ylim=(0, None))
    axes.legend(loc="upper left", frameon=False)
