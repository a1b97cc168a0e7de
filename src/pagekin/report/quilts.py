"""Quilts in the report, and the curves of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.params import QuiltParams
from pagekin.report.blocks import Bars, Facts, Grid, Picture, Section
from pagekin.report.figures import svg, write_plot
from pagekin.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 20

NAMES = {"k": "words in a gram (k)", "m": "most pages of a patch gram (m)"} | {
    "c": "least sources (c)",
    "theta": "least fraction (θ)",
}


def quilts(run: Run) -> Section:
    """Which pages are made of others' text, and of whose."""
    found = run.table("quilts")
    sources = run.table("quilt_sources", ["page", "source_url", "share", "attributed"])
    params = run.params.quilts
    pages = run.info["counts"]["pages"]
    facts = Facts(
        [
            ("pages that are quilts", found.num_rows),
            ("of all pages", found.num_rows / pages if pages else 0.0),
            ("mean sources of a quilt", pc.mean(found["sources"]).as_py()),
            ("mean attributed share", pc.mean(found["attributed_share"]).as_py()),
            ("k, m, c, θ", f"{params.k}, {params.m}, {params.c}, {params.theta:g}"),
            ("sources must be on another", params.foreign),
            ("expected collisions of hashes", run.info.get("quilts", {}).get("expected_collisions")),
        ]
    )
    note = (
        f"{found.num_rows:,} pages consist mostly of text that other pages have too, from several of them. "
        "An attributed source is one that the quilt links to."
    )
    order = [("sources", "descending"), ("page", "ascending")]
    columns = ["url", "sources", "foreign_sources", "covered_fraction", "patch_fraction", "attributed_share"]
    largest = Grid.of(found.sort_by(order).select(columns).slice(0, TOP))
    return Section("Quilts", note, [facts, *_figures(found), largest, _hosts(sources)])


def _figures(found: pa.Table) -> list[Picture]:
    if found.num_rows == 0:
        return []
    fraction, sources = found["covered_fraction"].to_pylist(), found["sources"].to_pylist()

    def draw_fraction(axes: Axes) -> None:
        axes.hist(fraction, bins=[n / 20 for n in range(21)], color="#4477aa")
        axes.set_xlabel("covered fraction")
        axes.set_ylabel("quilts")

    def draw_sources(axes: Axes) -> None:
        ordered = sorted(sources, reverse=True)
        axes.loglog(range(1, len(ordered) + 1), [max(n, 0.5) for n in ordered], color="#4477aa")
        axes.set_xlabel("quilts, by their number of sources")
        axes.set_ylabel("sources")

    return [
        Picture(svg(draw_fraction), "Quilts by covered fraction."),
        Picture(svg(draw_sources), "Quilts by their number of sources."),
    ]


def _hosts(sources: pa.Table) -> Bars:
    """The hosts that most quilts take from."""
    from pagekin import _core

    hosts: dict[str, set[int]] = {}
    for page, url in zip(sources["page"].to_pylist(), sources["source_url"].to_pylist(), strict=True):
        hosts.setdefault((url and _core.host(url)) or "unknown", set()).add(page)
    counts = [(f"taken from: {host}", len(pages)) for host, pages in hosts.items()]
    return Bars(sorted(counts, key=lambda row: (-row[1], row[0]))[:TOP])


def originality(run: Run) -> Section:
    """How much of the pages' text is their own."""
    values = run.table("originality", ["originality"])["originality"].drop_null()
    rows = []
    for low in range(10):
        inside = pc.and_(pc.greater_equal(values, low / 10), pc.less(values, (low + 1) / 10))
        rows.append((f"{low * 10} to {low * 10 + 9}%", pc.sum(inside).as_py() or 0))
    rows.append(("all of it", pc.sum(pc.equal(values, 1.0)).as_py() or 0))
    note = "Pages by the share of their grams that no other page holds."
    return Section("Originality", note, [Bars(rows)])


def write_sweep_plot(path: Path, points: pa.Table, pivot: QuiltParams) -> None:
    """The paper's Figure 3: quilts as each parameter varies; the pivot is marked."""

    def draw(axes: Axes) -> None:
        made = axes.figure
        axes.remove()
        for place, name in enumerate(NAMES, start=1):
            mine = points.filter(pc.equal(points["swept"], name)).sort_by(name)
            part = made.add_subplot(1, 4, place)
            x, y = mine[name].to_pylist(), mine["quilted"].to_pylist()
            other = "patch" if pivot.share == "covered" else "covered"
            part.plot(x, y, color="#4477aa", marker=".", label=f"by {pivot.share} grams")
            part.plot(x, mine[f"by_{other}"].to_pylist(), color="#bbbbbb", label=f"by {other} grams")
            at = [(a, b) for a, b in zip(x, y, strict=True) if a == getattr(pivot, name)]
            part.plot([a for a, _ in at], [b for _, b in at], "o", color="#cc3311")
            part.set_xlabel(NAMES[name])
            part.set_ylim(bottom=0)
            if place == 1:
                part.set_ylabel("quilts")
                part.legend(frameon=False, fontsize="small")

    write_plot(path, draw, (13, 3))
