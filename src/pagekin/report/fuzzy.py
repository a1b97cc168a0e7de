"""Exact and fuzzy duplicates in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from pagekin.report.blocks import Facts, Grid, Section
from pagekin.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pagekin.studies.calibrate import Calibration

TOP = 20


def fuzzy(run: Run) -> Section:
    """How many pages repeat others."""
    table = run.table("fuzzy", ["class", "page", "kind"])
    copies = table.filter(pc.not_equal(table["class"], table["page"]))
    exact = pc.sum(pc.equal(copies["kind"], "exact")).as_py() or 0
    facts = Facts(
        [
            ("pages", run.info["counts"]["pages"]),
            ("classes", table.num_rows - copies.num_rows),
            ("exact duplicates", exact),
            ("near duplicates", copies.num_rows - exact),
        ]
    )
    note = "Pages whose text is that of an earlier page (MD5), or nearly so (ssdeep)."
    return Section("Exact and fuzzy duplicates", note, [facts])


def causes(run: Run) -> Section:
    """Which software and which addresses make the duplicates."""
    rates = run.table("duplicate_rates")
    rates = rates.filter(pc.greater(rates["duplicates"], 0))
    names = ["site", "pattern", "software", "cluster", "pages", "exact", "near", "cause", "detail", "caused"]
    parameters = run.table("url_parameters")
    parameters = parameters.filter(pc.equal(parameters["verdict"], "never matters"))
    said = Facts(
        [
            (
                f"{row['host']}: `{row['parameter']}` never matters ({row['role']})",
                row["pages"] - row["addresses"],
            )
            for row in parameters.slice(0, TOP).to_pylist()
        ]
    )
    note = (
        "Sites, patterns of addresses and style clusters with the most duplicates, and what makes most of "
        "them, where it shows; then query parameters that change nothing, with the pages they add."
    )
    return Section("Where duplicates come from", note, [Grid.of(rates.select(names).slice(0, TOP)), said])


def draw_scores(axes: Axes, found: Calibration, similarity: float) -> None:
    """Exact similarity against score, a point a pair."""
    axes.scatter([p.score for p in found.pairs], [p.similarity for p in found.pairs], s=8, alpha=0.5)
    middles = [(part.low + part.high) / 2 for part in found.ranges]
    axes.plot(middles, [part.mean for part in found.ranges], color="black", label="mean")
    axes.axhline(similarity, linestyle=":", color="gray", label="similar enough")
    if found.suggested is not None:
        axes.axvline(found.suggested.score, linestyle="--", color="gray", label="suggested threshold")
    axes.set(xlabel="ssdeep score", ylabel="phrases in common", xlim=(0, 101), ylim=(0, 1.02))
    axes.legend(loc="upper left", frameon=False)


def draw_audit(axes: Axes, curve: list[dict[str, float]]) -> None:
    """Results of each kind up to each rank, mean over queries: the paper's figure 4."""
    ranks = [at["rank"] for at in curve]
    for kind, colour in (("unique", "tab:blue"), ("near", "tab:orange"), ("exact", "tab:red")):
        axes.plot(ranks, [at[kind] for at in curve], color=colour, label=kind)
    axes.set(xlabel="rank", ylabel="results so far, mean over queries", xlim=(0, None), ylim=(0, None))
    axes.legend(loc="upper left", frameon=False)
