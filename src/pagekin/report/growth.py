"""The growth curve: unique pages and duplicates as the crawl went on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pagekin.look.chart import Chart
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis, thinned
from pagekin.look.table import ShownColumn
from pagekin.look.words import percent, plural
from pagekin.report.story import Block, Data, Finding, Section, empty, paragraph

POINTS = 200
KINDS = {"unique": "unique pages", "exact": "exact duplicates", "near": "near duplicates"}


def growth_figure(curve: Sequence[dict[str, Any]], title: str, note: str = "") -> Figure:
    """Draws rows with fetched, unique, exact and near."""
    drawn = thinned(list(curve), POINTS)
    if len(drawn) < len(curve):
        note = f"{note} {len(drawn)} of {len(curve):,} points are drawn.".strip()
    top = max((row[kind] for row in drawn for kind in KINDS), default=1)
    last = max((row["fetched"] for row in drawn), default=1)
    chart = Chart(
        Axis.over("pages fetched", [last], whole=True),
        Axis.over("pages", [top], whole=True),
        legend=list(KINDS.values()),
    )
    for series, kind in enumerate(KINDS, 1):
        chart.line([(0, 0), *((row["fetched"], row[kind]) for row in drawn)], series=series)
    chart.bands([(row["fetched"], _told(row)) for row in drawn])
    columns = [
        ShownColumn("pages fetched", "count", "fetched"),
        *(ShownColumn(words, "count", kind) for kind, words in KINDS.items()),
    ]
    rows = [[row["fetched"], *(row[kind] for kind in KINDS)] for row in drawn]
    return Figure(
        "growth-curve",
        title,
        chart.svg(f"Unique pages and duplicates by pages fetched. {title}."),
        columns,
        rows,
        note,
    )


def _told(row: dict[str, Any]) -> str:
    return f"After {plural(row['fetched'], 'page')}:\n" + "\n".join(
        f"{row[kind]:,} {words}" for kind, words in KINDS.items()
    )


def growth_of(data: Data) -> list[dict[str, int]]:
    """The curve over a run's pages, in the order of the crawl, at no more than about `POINTS` places.

    A page whose text was there before is an exact duplicate. One that the table `fuzzy` puts into the class
    of an earlier page is a near duplicate. Pages without words are left out.
    """
    worded = data.value("SELECT count(*) FROM pages WHERE words > 0")
    step = max(1, -(-worded // POINTS))
    fuzzy = (
        "SELECT page, kind FROM fuzzy WHERE page <> representative"
        if data.has("fuzzy")
        else "SELECT 0 AS page, '' AS kind WHERE false"
    )
    found = data.rows(
        f"""WITH seen AS (
          SELECT s.page, row_number() OVER (PARTITION BY s.md5 ORDER BY s.page) > 1 AS again
          FROM sketches s JOIN pages p ON p.page = s.page WHERE p.words > 0
        ), told AS (
          SELECT row_number() OVER (ORDER BY seen.page) AS place,
            CASE WHEN again THEN 'exact' ELSE coalesce(f.kind, 'unique') END AS kind
          FROM seen LEFT JOIN ({fuzzy}) f ON f.page = seen.page
        )
        SELECT max(place), count(*) FILTER (kind = 'unique'), count(*) FILTER (kind = 'exact'),
          count(*) FILTER (kind = 'near')
        FROM told GROUP BY (place - 1) // {step} ORDER BY 1"""
    )
    rows, so_far = [], [0, 0, 0]
    for fetched, *more in found:
        so_far = [a + b for a, b in zip(so_far, more, strict=True)]
        rows.append({"fetched": fetched, **dict(zip(KINDS, so_far, strict=True))})
    return rows


def growth(data: Data) -> Section:
    """How unique pages and duplicates grew."""
    curve = growth_of(data) if data.has("pages", "sketches") else []
    lead = paragraph(
        "Pages in the order in which the crawl stored them. A curve of unique pages that has gone "
        "flat is a crawl that was "
        "done: what came last was known already.",
        lead=True,
    )
    blocks: list[Block] = [lead]
    if not curve:
        blocks.append(empty("No page has words, so there is nothing to count."))
        return Section("growth", "Growth", "No page has words", blocks)
    last, before = curve[-1], _before(curve)
    fetched = last["fetched"] - before["fetched"]
    new = (last["unique"] - before["unique"]) / fetched
    title = f"In the last tenth of the crawl {percent(new)} of the pages were new"
    if not data.has("fuzzy"):
        blocks.append(paragraph("Near duplicates are not known: the scan ran without fuzzy."))
    ended = (
        f"{plural(last['unique'], 'unique page')}, {plural(last['exact'], 'exact duplicate')} and "
        f"{plural(last['near'], 'near duplicate')} of {last['fetched']:,}"
    )
    blocks.append(growth_figure(curve, f"{ended} in the end"))
    return Section(
        "growth",
        "Growth",
        title,
        blocks,
        Finding(percent(new), "of the pages in the last tenth of the crawl were new."),
    )


def _before(curve: Sequence[dict[str, int]]) -> dict[str, int]:
    """Where the last tenth begins."""
    start: dict[str, int] = {"fetched": 0, **dict.fromkeys(KINDS, 0)}
    earlier = [row for row in curve if row["fetched"] <= 0.9 * curve[-1]["fetched"]]
    return earlier[-1] if earlier else start
