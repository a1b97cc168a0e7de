"""Style clusters in the report: what they are, how wide they reach, and what their pages share."""

from __future__ import annotations

import math
from typing import Any

from pagekin.look.chart import Chart, Mark
from pagekin.look.drawings import bars
from pagekin.look.figure import Figure
from pagekin.look.markup import Html, tag
from pagekin.look.scales import Axis, log_bins
from pagekin.look.table import ShownColumn, ShownTable, copied
from pagekin.look.words import count, percent, plural, short, short_url, similarity
from pagekin.report.bins import pages_on, sizes_figure
from pagekin.report.skeleton import constant_text, markup_of
from pagekin.report.story import (
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
from pagekin.report.style_graph import sample_figure

LOOKED_AT = 5
"""Clusters that are shown in detail, and pages of each that are compared."""

NAMED = 4
"""The best ranked clusters, whose discs get a name where there is room."""

KINDS = {
    "template": "pages that one template wrote, each with its own text",
    "link farm": "pages of many sites that mostly link to each other",
    "mirror": "copies of the same pages on several hosts",
    "copy/paste": "the same piece of text or markup on sites that share no template",
    "stock page": "parked, default, error and challenge pages, which nobody wrote",
}
MANY = {
    "template": "templates", "link farm": "link farms", "mirror": "mirrors", "copy/paste": "copy and paste",
    "stock page": "stock pages",
}  # fmt: skip


RANKED = {
    "weight": "by similarity × sites × log2(1 + pages / sites)",
    "score": "by similarity × sites",
}
"""What the clusters are ranked by, in the words of the table's columns."""


def styles(data: Data) -> Section:
    """The ranking (the paper's Table 1), how far clusters reach, their sizes, kinds, and a graph."""
    if not data.has("style_clusters", "style_members"):
        return not_run("styles", "Style clusters", "styles")
    clusters, wide, pages = data.row(
        """SELECT count(*), count(*) FILTER (domains > 1), coalesce(sum(pages - known_pages), 0)::BIGINT
        FROM style_clusters"""
    )
    structure = (
        (" or of their ", term("structure", "tags in a row, with the names of attributes and classes"))
        if data.run.params.style.structure_t
        else ()
    )
    explained = paragraph(
        "Pages are grouped by how their HTML is written, not by what they say. Pages that share enough of "
        "their ",
        term("noise", "what is left of the HTML without letters and digits"),
        *structure,
        " form a ",
        term("style cluster", "pages that the same template or program seems to have written"),
        ". Clusters over many sites with almost equal pages are parked domains, link farms, mirrors, or "
        "popular software.",
        lead=True,
    )
    if not clusters:
        text = (
            "No two pages are written alike. (Pages need enough markup to be compared; text-only "
            "input has none.)"
        )
        return Section(
            "styles",
            "Style clusters",
            "No template is shared",
            [explained, empty(text)],
            Finding("0", "templates are shared: no two pages are written alike."),
        )
    top = _ranking(data)
    widest = max(top, key=lambda row: (row["domains"], -row["rank"]))
    share = percent(pages / max(data.pages, 1))
    if wide:
        title = (
            f"{plural(wide, 'template')} {'reaches' if wide == 1 else 'reach'} more than one "
            f"site; the widest covers {widest['domains']:,}"
        )
        says = (
            f"{'template is' if wide == 1 else 'templates are'} shared by more than one site; "
            f"the widest covers {plural(widest['domains'], 'site')}{_called(widest)}."
        )
        finding = Finding(count(wide), says)
    else:
        title = f"{plural(clusters, 'template')}, none of them on more than one site"
        finding = Finding(
            "0", f"templates are shared between sites; {clusters:,} are each used within one site."
        )
    blocks: list[Block] = [
        explained,
        paragraph(f"{plural(clusters, 'cluster')} hold {pages:,} pages ({share} of those read)."),
        _reach(data, clusters),
        heading("Clusters over the most sites with the most similar pages"),
        paragraph(f"Ranked {RANKED[data.run.params.style.rank]}."),
        _table(data, top, clusters),
        *_looked_at(data, top[:LOOKED_AT]),
        heading("How large they are, and of what kind"),
        SideBySide([_sizes(data), _kinds(data)]),
    ]
    graph = sample_figure(data)
    blocks += [graph] if graph else []
    return Section("styles", "Style clusters", title, blocks, finding)


def _called(row: dict[str, Any]) -> str:
    what = row["name"] or (row["kind"] if row["kind"] not in (None, "template") else None)
    return f" ({short(what, 40)})" if what else ""


def _ranking(data: Data) -> list[dict[str, Any]]:
    names = (
        "rank",
        "pages",
        "domains",
        "mean_similarity",
        "cohesion",
        "kind",
        "name",
        "centroid_url",
        "centroid",
    )
    found = data.rows(f"SELECT {', '.join(names)} FROM style_clusters ORDER BY rank LIMIT {TOP}")
    return [dict(zip(names, row, strict=True)) for row in found]


def _table(data: Data, top: list[dict[str, Any]], total: int) -> ShownTable:
    columns = [
        ShownColumn("rank", "count", "rank", RANKED[data.run.params.style.rank]),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("sites", "count", "domains", "different registered domains"),
        ShownColumn(
            "similarity",
            "similarity",
            "mean_similarity",
            "mean similarity of its pages to the most typical one",
        ),
        ShownColumn("kind", "tag", "kind"),
        ShownColumn("name", "text", "name", "what the pages give themselves away as", width=36),
        ShownColumn("most typical page", "url", "centroid_url"),
    ]
    keys = ("rank", "pages", "domains", "mean_similarity", "kind", "name", "centroid_url")
    rows = [[row[key] for key in keys] for row in top]
    return ShownTable(
        columns,
        rows,
        total,
        "clusters",
        data.show("style_clusters"),
        key="style-clusters",
        label="Style clusters by rank",
    )


def _reach(data: Data, clusters: int) -> Figure:
    """Every cluster by sites and similarity; many that fall together become one disc."""
    # Of many clusters, more fall together.
    few = clusters <= MARKS
    widest = data.value("SELECT max(domains) FROM style_clusters")
    edges = [low for low, _ in log_bins([widest], 12 if few else 8)]
    steps = 50 if few else 20
    cases = " ".join(f"WHEN domains >= {low} THEN {low}" for low in reversed(edges))
    found = data.rows(
        f"""SELECT CASE {cases} ELSE 1 END AS sites, floor(mean_similarity * {steps}) / {steps} AS alike,
          count(*), sum(pages)::BIGINT, arg_min(centroid_url, rank), arg_min(coalesce(name, kind, ''), rank),
          min(rank), arg_min(mean_similarity, rank), arg_min(domains, rank),
          coalesce(kind = 'link farm', false) AS farm
        FROM style_clusters GROUP BY ALL ORDER BY sum(pages) DESC, min(rank) LIMIT {MARKS}"""
    )
    largest = max(row[3] for row in found)
    marks, rows = [], []
    for sites, alike, many, pages, url, name, rank, exact, domains, farm in sorted(found, key=lambda r: r[6]):
        x, y = (domains, exact) if many == 1 else (sites, alike + 0.5 / steps)
        what = short(name or "no name", 40) if many == 1 else f"{many:,} clusters"
        label = ""
        if rank <= NAMED and domains > 1:
            label = f"{short(name if many == 1 and name else what, 26)}, {plural(pages, 'page')}"
        title = f"{what}: {pages_on(pages, domains)}, similarity {similarity(y)}\n{short_url(url or '')}"
        marks.append(Mark(x, min(y, 1.0), title, 2.5 + 17 * math.sqrt(pages / largest), 1, bool(farm), label))
        rows.append([domains, exact, many, pages, name or None, url])
    low = min(0.9, math.floor((min(mark.y for mark in marks) - 0.03) * 10) / 10)
    chart = Chart(
        Axis("sites", 0.85, max(10.0, *(1.15 * mark.x for mark in marks)), log=True, first=1),
        Axis("similarity of a cluster's pages", low, 1.0, form=lambda value: f"{value:.1f}"),
    )
    chart.points(marks)
    note = "Each disc is a cluster; its area is the number of pages. Link farms are red."
    drawn = sum(row[2] for row in rows)
    if clusters > len(rows):
        note += (
            f" {drawn:,} clusters make {len(rows):,} discs: those with about as many sites and the same "
            "similarity are one."
        )
    if drawn < clusters:
        note += f" {clusters - drawn:,} with the fewest pages are left out."
    columns = [
        ShownColumn("sites", "count", "domains"),
        ShownColumn("similarity", "similarity", "mean_similarity"),
        ShownColumn("clusters", "count"),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("name of the best ranked", "text", "name", width=40),
        ShownColumn("its most typical page", "url", "centroid_url"),
    ]
    beyond = data.value("SELECT count(*) FROM style_clusters WHERE domains >= 10")
    title = (
        f"{beyond:,} of {clusters:,} clusters reach ten sites or more"
        if beyond
        else "No cluster reaches ten sites"
    )
    alt = (
        f"Clusters by number of sites (logarithmic) and similarity. {title}; the widest has "
        f"{max(r[0] for r in rows):,} sites."
    )
    return Figure("clusters-reach", title, chart.svg(alt), columns, rows, note)


def _sizes(data: Data) -> Figure:
    counts = data.rows("SELECT pages, count(*) FROM style_clusters GROUP BY pages ORDER BY pages")
    total, small = sum(n for _, n in counts), sum(n for size, n in counts if size < 10)
    title = f"{percent(small / total)} of the clusters have fewer than ten pages"
    return sizes_figure(
        "cluster-sizes",
        title,
        counts,
        of="clusters",
        size="pages in a cluster",
        alt=f"Histogram of cluster sizes, log axes. {title}; the largest has {max(s for s, _ in counts):,}.",
    )


def _kinds(data: Data) -> Figure:
    found = data.rows(
        "SELECT kind, count(*), sum(pages)::BIGINT FROM style_clusters GROUP BY kind ORDER BY 2 DESC, 1"
    )
    names = [kind or "not known (duplicates were not looked for)" for kind, _, _ in found]
    drawn = [
        (name, clusters, f"{name}: {clusters:,} clusters, {pages:,} pages. {KINDS.get(name, '')}")
        for name, (_, clusters, pages) in zip(names, found, strict=True)
    ]
    alt = "Clusters by kind: " + ", ".join(f"{name} {n:,}" for name, n, _ in drawn) + "."
    note = "; ".join(f"{kind}: {KINDS[kind]}" for kind, _, _ in found if kind in KINDS)
    columns = [
        ShownColumn("kind", "text", "kind"),
        ShownColumn("clusters", "count"),
        ShownColumn("pages", "count", "pages"),
    ]
    rows = [[name, clusters, pages] for name, (_, clusters, pages) in zip(names, found, strict=True)]
    note = note[:1].upper() + note[1:] + "." if note else ""
    first, many = names[0], sum(clusters for _, clusters, _ in found)
    said = MANY.get(first, f"of a kind that is {first}")
    title = f"{found[0][1]:,} of {plural(many, 'cluster')} are {said}"
    return Figure("cluster-kinds", title, bars(drawn, alt), columns, rows, note)


def _looked_at(data: Data, top: list[dict[str, Any]]) -> list[Html]:
    """The first clusters: example pages from the most to the least typical, and what all of them say."""
    ranks = ", ".join(str(row["rank"]) for row in top)
    found = data.rows(
        f"""SELECT rank, page, url, similarity FROM (
          SELECT *, row_number() OVER (PARTITION BY rank ORDER BY similarity DESC, page) AS place,
            count(*) OVER (PARTITION BY rank) AS many
          FROM style_members WHERE rank IN ({ranks})
        ) WHERE place IN (1, many // 4, many // 2, 3 * many // 4, many) ORDER BY rank, place"""
    )
    groups = {rank: [row[1] for row in found if row[0] == rank] for rank in sorted({r[0] for r in found})}
    texts, markup = constant_text(data.run, groups), markup_of(data, groups)
    parts = [heading("What their pages look like")]
    for row in top:
        pages = [(url, alike) for rank, _, url, alike in found if rank == row["rank"]]
        name = row["name"] or row["kind"] or "cluster"
        head = f"{row['rank']}. {short(name, 50)}: {pages_on(row['pages'], row['domains'])}"
        items = [tag("li", copied(url), f" similarity {similarity(alike)}") for url, alike in pages]
        inside = [tag("p", "From the most to the least typical page:"), tag("ul", *items)]
        if row["rank"] in texts:
            inside += [
                tag("p", "What all of these say, in order; … stands for text that differs:"),
                texts[row["rank"]],
            ]
        elif len(pages) > 1:
            inside.append(tag("p", "No three words in a row are on all of these pages."))
        if row["rank"] in markup:
            inside += [
                tag("p", "The skeleton, markup that all of these have; … stands for what differs:"),
                tag(
                    "pre", markup[row["rank"]], class_="skeleton", tabindex="0", aria_label="common skeleton"
                ),
            ]
        parts.append(tag("details", tag("summary", head), *inside, class_="block", open=row is top[0]))
    return parts
