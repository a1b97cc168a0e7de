"""Quilts in the report: pages made of other pages' text, whose text it is, and how original pages are."""

from __future__ import annotations

from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import NO_SITE, count, percent, plural
from pagekin.report.bins import log_ranks, ranks_figure, shares_figure
from pagekin.report.story import (
    FEW,
    MARKS,
    TOP,
    Block,
    Data,
    Finding,
    Section,
    SideBySide,
    empty,
    heading,
    not_run,
    paragraph,
    term,
)

COPIED = "covered_fraction"
"""The share of a quilt's grams that its sources hold."""

FOREIGN = {"none": "", "host": " on other hosts", "domain": " on other sites", "ip": " on other servers"}


def quilts(data: Data) -> Section:
    """Which pages are made of others' text, and of whose."""
    if not data.has("quilts", "quilt_sources"):
        return not_run("quilts", "Quilts", "quilts")
    params = data.run.params.quilts
    where = FOREIGN.get(params.foreign, "")
    total, sources, credited, copied = data.row(
        f"SELECT count(*), avg(sources), avg(attributed_share), avg({COPIED}) FROM quilts"
    )
    blocks: list[Block] = [
        paragraph(
            "A ",
            term(
                "quilt",
                f"a page of which at least {params.theta:.0%} is text that other pages have too, "
                f"from at least {params.c} of them",
            ),
            " is stitched together. Text is compared by ",
            term("grams", f"{params.k} words in a row"),
            "; a gram that 2 to ",
            f"{params.m} pages hold is a ",
            term("patch gram", "shared, but not so common that it is nobody's"),
            ". The ",
            term("sources", f"the fewest pages{where} that together hold a quilt's patch grams"),
            " are named in the order of how much they give. They need not be the original authors.",
            lead=True,
        )
    ]
    if not total:
        blocks.append(
            empty(
                f"No page is a quilt (needs {params.theta:.0%} of its text from at least "
                f"{params.c} pages{where})."
            )
        )
        title, finding = (
            "No page is stitched together",
            Finding("0", "pages are stitched together from other pages' text."),
        )
    else:
        share = percent(total / max(data.pages, 1))
        title = (
            f"{plural(total, 'page')} ({share}) {'is' if total == 1 else 'are'} stitched together "
            "from other pages' text"
        )
        credit = "" if credited is None else f"; they link to the sources of {percent(credited)} of it"
        says = (
            f"of the pages ({total:,}) are stitched together from other pages' text, from "
            f"{_mean_sources(sources)}."
        )
        finding = Finding(share, says)
        blocks.append(
            paragraph(
                f"{percent(copied)} of a quilt's text is in named sources, {_mean_sources(sources)}{credit}."
            )
        )
        if total >= FEW:
            blocks += [SideBySide([_shares(data, total), _sources(data, total)]), _cloud(data, total)]
        blocks += [
            heading("Quilts with the most copied text"),
            _table(data, total),
            heading("Where the text is found"),
            _hosts(data),
        ]
    blocks += _originality(data)
    return Section("quilts", "Quilts", title, blocks, finding)


def _mean_sources(mean: float) -> str:
    return f"{count(mean)} sources on average" if mean % 1 else f"{plural(int(mean), 'source')} each"


def _shares(data: Data, total: int) -> Figure:
    found = dict(
        data.rows(
            "SELECT least(floor(covered_fraction * 20), 19)::INT, count(*) FROM quilts GROUP BY 1 ORDER BY 1"
        )
    )
    covered = sum(many for step, many in found.items() if step >= 16)
    title = f"{percent(covered / total)} of the quilts share at least 80% of their text"
    return shares_figure(
        "quilt-shares",
        title,
        found,
        steps=20,
        of="quilts",
        share="text that other pages have too",
        alt=f"Histogram of quilts by shared text. {title}.",
        note="The covered fraction: grams that the named sources hold, of all grams.",
    )


def _sources(data: Data, total: int) -> Figure:
    ranks = log_ranks(total)
    rows = data.rows(
        """SELECT place, sources
          FROM (SELECT sources, row_number() OVER (ORDER BY sources DESC, page) AS place FROM quilts)
        WHERE place IN (SELECT unnest(?)) ORDER BY place""",
        ranks,
    )
    maximum, middle = data.row("SELECT max(sources), median(sources) FROM quilts")
    title = f"Half of the quilts have {middle:,.0f} sources or more; the most is {maximum:,}"
    return ranks_figure(
        "quilt-sources",
        title,
        rows,
        rank="quilt by its number of sources",
        value="sources",
        total=total,
        alt=f"Sources of each quilt by rank, log axes. {title}.",
    )


def _cloud(data: Data, total: int) -> Figure:
    """Copied share against sources; quilts that fall together become one disc."""
    found = data.rows(
        f"""SELECT least(sources, 200) AS n, least(floor({COPIED} * 50), 49) / 50 + 0.01 AS share, count(*),
          arg_min(url, page), avg(attributed_share)
        FROM quilts GROUP BY 1, 2 HAVING share IS NOT NULL ORDER BY 3 DESC, 1, 2 LIMIT {MARKS}"""
    )
    largest = max((row[2] for row in found), default=1)
    marks = [
        Mark(
            n,
            share,
            f"{plural(many, 'quilt')}: {plural(n, 'source')}, about {share:.0%} copied\n{url}",
            3 + 9 * (many / largest) ** 0.5,
        )
        for n, share, many, url, _ in found
    ]
    low = min([0.9, *(mark.y - 0.01 for mark in marks)])
    chart = Chart(
        Axis.over("sources", [1, *(mark.x for mark in marks)], log=True),
        Axis("text found in the sources", int(low * 10) / 10, 1, form=lambda value: f"{value:.0%}"),
    )
    chart.points(marks)
    columns = [
        ShownColumn("sources", "count"),
        ShownColumn("copied text", "percent"),
        ShownColumn("quilts", "count"),
        ShownColumn("one of them", "url", "url"),
        ShownColumn("linked to", "percent", "attributed_share"),
    ]
    low_share, high_share, low_sources, high_sources = data.row(
        f"""SELECT quantile_cont({COPIED}, 0.25), quantile_cont({COPIED}, 0.75), quantile_disc(sources, 0.25),
          quantile_disc(sources, 0.75) FROM quilts"""
    )
    title = (
        f"Half of the quilts take {low_share:.0%} to {high_share:.0%} of their text from {low_sources:,} to "
        f"{high_sources:,} pages"
    )
    drawn = sum(row[2] for row in found)
    note = (
        "Each disc stands for quilts with as many sources and the same share, to 2%; its area is "
        f"their number. {drawn:,} of {total:,} quilts make {plural(len(found), 'disc')}."
    )
    return Figure(
        "quilt-cloud",
        title,
        chart.svg(f"{total:,} quilts by sources (logarithmic) and copied text."),
        columns,
        [list(r) for r in found],
        note,
    )


def _table(data: Data, total: int) -> ShownTable:
    rows = data.rows(
        f"""SELECT {COPIED} AS copied, sources, foreign_sources, attributed_share, grams, url FROM quilts
        ORDER BY copied DESC NULLS LAST, sources DESC, page LIMIT {TOP}"""
    )
    columns = [
        ShownColumn(
            "copied text",
            "percent",
            "covered_fraction",
            "share of its grams that the sources hold",
            bar=True,
        ),
        ShownColumn("sources", "count", "sources"),
        ShownColumn("on other sites", "count", "foreign_sources"),
        ShownColumn(
            "linked to",
            "percent",
            "attributed_share",
            "share of the copied text whose source the page links to",
        ),
        ShownColumn("grams", "count", "grams", "distinct sequences of words: the length of the page"),
        ShownColumn("page", "url", "url"),
    ]
    return ShownTable(
        columns,
        rows,
        total,
        "quilts",
        data.show("quilts"),
        "copied text",
        "Quilts with the most copied text",
        "quilts-table",
    )


def _hosts(data: Data) -> ShownTable:
    """The sites that most quilts take from."""
    found = data.rows(
        f"""SELECT coalesce(p.domain, '{NO_SITE}'), count(DISTINCT s.page), count(*),
          avg(s.attributed::INT), count(*) OVER ()
          FROM quilt_sources s
        JOIN pages p ON p.page = s.source GROUP BY p.domain ORDER BY 2 DESC, 3 DESC, 1 LIMIT {TOP}"""
    )
    columns = [
        ShownColumn("site", "text", "domain", width=44),
        ShownColumn("quilts with its text", "count"),
        ShownColumn("times named as source", "count"),
        ShownColumn("linked to", "percent", "attributed", "how often the quilt links to it"),
    ]
    total = found[0][4] if found else 0
    return ShownTable(
        columns,
        [row[:4] for row in found],
        total,
        "sites",
        data.show("quilt_sources"),
        "quilts with its text",
        "Sites whose text is in quilts",
        "quilt-sites",
    )


def _originality(data: Data) -> list[Block]:
    if not data.has("originality"):
        return []
    found = dict(
        data.rows(
            """SELECT least(floor(originality * 20), 19)::INT, count(*) FROM originality
            WHERE originality IS NOT NULL GROUP BY 1 ORDER BY 1"""
        )
    )
    total = sum(found.values())
    if not total:
        return []
    own = sum(many for step, many in found.items() if step >= 18)
    title = f"{percent(own / total)} of the pages are at least 90% their own"
    figure = shares_figure(
        "originality",
        title,
        found,
        steps=20,
        of="pages",
        share="text that no other page has",
        alt=f"Histogram of pages by originality. {title}.",
        note="Originality: the share of a page's grams that no other page of the crawl holds. "
        f"{total:,} pages have grams.",
    )
    return [heading("How original the pages are"), figure]
