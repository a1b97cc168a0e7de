"""Pages made of popular phrases and how few others hold those: the paper's Figures 4 to 7."""

from __future__ import annotations

from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import count, percent, plural, short
from pagekin.report.story import MARKS, TOP, Block, Data, SideBySide, empty, heading, paragraph, term


def covers(data: Data) -> list[Block]:
    """Pages made of popular phrases, and the few others that hold those too."""
    total, foreign, donors = data.row(
        """SELECT count(*), sum("foreign") / nullif(sum(popular), 0), avg(cover) FROM covers"""
    )
    min_popular = data.run.params.phrases.min_popular
    blocks: list[Block] = [heading("Pages made of popular phrases")]
    if not total:
        blocks.append(empty(f"No page has {min_popular} popular phrases or more in its sample."))
        return blocks
    blocks.append(
        paragraph(
            f"{plural(total, 'page')} have at least {min_popular} popular phrases. For each a ",
            term("cover", "a small set of other pages that together hold its popular phrases"),
            f" was sought: {count(donors)} ",
            term("donors", "the pages in a cover"),
            f" on average, and pages of other sites hold {percent(foreign)} of the phrases.",
        )
    )
    rows = data.rows(
        f"""SELECT popular, cover, "foreign" / popular, url FROM covers
        ORDER BY popular DESC, cover DESC, page LIMIT {TOP}"""
    )
    columns = [
        ShownColumn("popular phrases", "count", "popular"),
        ShownColumn("donors", "count", "cover"),
        ShownColumn(
            "from other sites",
            "percent",
            "foreign",
            "share of the popular phrases that donors of other sites hold",
            bar=True,
        ),
        ShownColumn("page", "url", "url"),
    ]
    blocks.append(
        ShownTable(
            columns,
            rows,
            total,
            "pages",
            data.show("covers"),
            "popular phrases",
            "Pages made of popular phrases",
            "covers-table",
        )
    )
    figures = [
        _bubbles(
            data,
            "covers",
            f"Half of such pages need {data.value('SELECT median(cover) FROM covers'):,.0f} donors or fewer",
            "true",
        )
    ]
    crowded = data.rows(
        "SELECT p.host, count(*) FROM covers c JOIN pages p USING (page) WHERE p.host IS NOT NULL "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1"
    )
    if crowded and crowded[0][1] > 1:
        host, many = crowded[0]
        title = f"The same on {short(host, 40)}, which has the largest: {plural(many, 'page')}"
        figures.append(
            _bubbles(data, "covers-host", title, "page IN (SELECT page FROM pages WHERE host = ?)", host)
        )
    return [*blocks, SideBySide(figures)]


def _bubbles(data: Data, key: str, title: str, where: str, *values: str) -> Figure:
    """Covers against popular phrases: a disc's area is pages, its inner disc the foreign share."""
    step = 1
    while True:
        found = data.rows(
            f"""SELECT popular // {step} * {step} AS p, cover // {step} * {step} AS c, count(*),
              sum("foreign") / sum(popular)
            FROM covers WHERE {where} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2""",
            *values,
        )
        if len(found) <= MARKS:
            break
        step *= 2
    largest = max(row[2] for row in found)
    marks = []
    for popular, cover, pages, foreign in found:
        radius = 2.5 + 13 * (pages / largest) ** 0.5
        text = (
            f"{popular} popular phrases, {plural(cover, 'donor')}: {plural(pages, 'page')}, "
            f"{percent(foreign)} from other sites"
        )
        marks.append(Mark(popular, cover, text, radius, 1, inner=radius * foreign**0.5))
    m = data.run.params.shingles.m
    low = min(data.run.params.phrases.min_popular, min(mark.x for mark in marks)) - 2
    chart = Chart(
        Axis("popular phrases of a page", low, m + 1),
        Axis.over("donors in its cover", [mark.y for mark in marks], whole=True),
    )
    chart.points(marks)
    note = (
        "A disc's area is the number of pages; the dark disc inside is the share that pages of "
        "other sites supply."
    )
    if step > 1:
        note += f" Values are put together in steps of {step}."
    columns = [
        ShownColumn("popular phrases", "count", "popular"),
        ShownColumn("donors", "count", "cover"),
        ShownColumn("pages", "count"),
        ShownColumn("from other sites", "percent", "foreign"),
    ]
    return Figure(
        key,
        title,
        chart.svg(f"Pages by popular phrases and donors. {title}."),
        columns,
        [list(r) for r in found],
        note,
    )
