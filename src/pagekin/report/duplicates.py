"""Duplicate classes in the report."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.report.blocks import Bars, Facts, Grid, Section
from pagekin.run import Run

TOP = 15
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


def duplicates(run: Run) -> Section:
    """The classes, the largest of them, and how like their representatives the copies are."""
    rows = run.table("duplicates")
    copies = rows.filter(pc.not_equal(rows["page"], rows["representative"]))
    exact = pc.sum(pc.equal(copies["kind"], "exact")).as_py() or 0
    pages = run.info["counts"]["pages"]
    facts = Facts(
        [
            ("classes", pc.count_distinct(rows["class"]).as_py()),
            ("pages that are copies of another", copies.num_rows),
            ("of these exact", exact),
            ("share of all pages that are copies", round(copies.num_rows / max(pages, 1), 4)),
        ]
    )
    first = rows.filter(pc.equal(rows["page"], rows["representative"])).select(["class", "url"])
    sizes = rows.group_by("class").aggregate([("page", "count"), ("jaccard", "min")])
    largest = sizes.sort_by([("page_count", "descending"), ("class", "ascending")]).slice(0, TOP)
    place = pc.index_in(largest["class"], value_set=first["class"].combine_chunks())
    grid = Grid.of(
        pa.table(
            {
                "pages": largest["page_count"],
                "least Jaccard": largest["jaccard_min"],
                "representative": first["url"].combine_chunks().take(place.combine_chunks()),
            }
        )
    )
    near = copies.filter(pc.equal(copies["kind"], "near"))["jaccard"].drop_null().to_pylist()
    bars = []
    for low, high in zip(EDGES, [*EDGES[1:], 2.0], strict=True):
        label = f"{low:g} to {high:g}" if high <= 1 else "1 (same phrases, other text)"
        bars.append((label, sum(low <= jaccard < high for jaccard in near)))
    return Section(
        "Duplicates",
        "Classes of exact and near copies, the largest first; below, near copies by the Jaccard coefficient "
        "of their phrases with their representative's.",
        [facts, grid, Bars(bars)],
    )
