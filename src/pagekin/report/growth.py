"""The growth curve: unique pages and duplicates as the crawl went on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.report.blocks import Block, Facts, Picture, Section
from pagekin.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pagekin.report.figures import Draw

POINTS = 1000
LINES = (
    ("unique", "unique pages", "#2a7"),
    ("exact", "exact duplicates", "#c33"),
    ("near", "near duplicates", "#e90"),
)


def draw_curve(curve: pa.Table) -> Draw:
    """Draws a table with the columns fetched, unique, exact and near."""

    def draw(axes: Axes) -> None:
        fetched = curve["fetched"].to_pylist()
        for name, label, color in LINES:
            axes.plot(fetched, curve[name].to_pylist(), label=label, color=color)
        axes.set_xlabel("pages fetched")
        axes.set_ylabel("pages")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)

    return draw


def growth_of(run: Run) -> pa.Table:
    """The curve over a run's pages, in the order of the crawl.

    A page whose text was there before is an exact duplicate. One that the table `fuzzy` puts into the class
    of an earlier page is a near duplicate. Pages without words are left out.
    """
    pages = run.table("sketches", ["page", "md5"])
    worded = run.table("pages", ["words"])["words"].to_pylist()
    copies: dict[int, str] = {}
    if "fuzzy" in run.tables:
        fuzzy = run.table("fuzzy", ["page", "representative", "kind"])
        fuzzy = fuzzy.filter(pc.not_equal(fuzzy["page"], fuzzy["representative"]))
        copies = dict(zip(fuzzy["page"].to_pylist(), fuzzy["kind"].to_pylist(), strict=True))
    seen: set[str] = set()
    counts = {"fetched": 0, "unique": 0, "exact": 0, "near": 0}
    step = max(1, pages.num_rows // POINTS)
    rows: list[dict[str, int]] = []
    for page, md5, words in zip(pages["page"].to_pylist(), pages["md5"].to_pylist(), worded, strict=True):
        if not words:
            continue
        kind = "exact" if md5 in seen else copies.get(page, "unique")
        seen.add(md5)
        counts[kind] += 1
        counts["fetched"] += 1
        if counts["fetched"] % step == 0:
            rows.append(dict(counts))
    if not rows or rows[-1]["fetched"] < counts["fetched"]:
        rows.append(dict(counts))
    return pa.Table.from_pylist(rows)


def growth(run: Run) -> Section:
    """How unique pages and duplicates grew."""
    from pagekin.report.figures import svg

    curve = growth_of(run)
    last = curve.slice(curve.num_rows - 1).to_pylist()[0]
    blocks: list[Block] = [
        Facts([(label, last[name]) for name, label, _ in LINES]),
        Picture(svg(draw_curve(curve)), "Unique pages and duplicates by pages fetched."),
    ]
    note = "In the order in which the crawl stored them. A curve that has gone flat is a crawl that was done."
    if "fuzzy" not in run.tables:
        note += " Near duplicates are not known: the run has no table `fuzzy`."
    return Section("Growth", note, blocks)
