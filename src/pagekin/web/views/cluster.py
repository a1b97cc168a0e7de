"""A style cluster: its shape, pages to look at side by side, what they have in common, who they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pagekin import _core
from pagekin.index.records import record_of
from pagekin.index.reread import offsets_before, read_again
from pagekin.look.figure import Figure
from pagekin.look.graph import Graph, draw
from pagekin.look.markup import Html
from pagekin.look.table import ShownColumn
from pagekin.look.words import NO_SITE, count, percent, plain, plural, short_url, similarity
from pagekin.report.skeleton import constant_markup
from pagekin.web.context import Context
from pagekin.web.views.histogram import BINS, histogram

RANDOM = 5
DRAWN = 36
"""Pages of the graph."""
EXCERPT = 420
"""Characters of a text that a card shows."""


@dataclass(frozen=True)
class Card:
    """A page among others of its kind."""

    role: str
    page: int
    url: str
    title: str
    similarity: float | None
    words: int
    excerpt: str


@dataclass(frozen=True)
class ClusterView:
    """Everything on the page of a cluster."""

    row: dict[str, Any]
    headline: str
    cards: list[Card]
    domains: list[dict[str, Any]]
    histogram: Html
    graph: Html
    bridges: list[dict[str, Any]]
    skeleton: str
    skeleton_note: str
    url: str = field(default="")


def cluster_row(context: Context, cluster: int) -> dict[str, Any] | None:
    return context.catalog.row("SELECT * FROM clusters WHERE cluster = ?", [cluster])


def headline(row: dict[str, Any]) -> str:
    """The finding in words."""
    text = f"{plural(row['pages'], 'page')} on {plural(row['domains'], 'domain')} are made with one template"
    return f"{text}; mean similarity {similarity(row['mean_similarity'])}"


def members_to_see(context: Context, row: dict[str, Any]) -> list[tuple[str, int]]:
    """The centroid, the least similar member, and five random ones: always the same for a run."""
    places = _places(context, row["cluster"])
    drawn = _members(context, _sample(places, Random(row["cluster"]), RANDOM + 2))
    seen: list[tuple[str, int]] = [("most typical", row["centroid"])]
    for last in _members(context, places[-1:]):
        if last["page"] != row["centroid"]:
            seen.append(("least similar", last["page"]))
    shown = {page for _, page in seen}
    others = [one["page"] for one in drawn if one["page"] not in shown][:RANDOM]
    return seen + [("drawn at random", page) for page in others]


def _places(context: Context, cluster: int) -> range:
    """Where the members of a cluster stand, the most similar first.

    The table is stored in this order: so a member is found by its row number, and a cluster of 600,000 pages
    need not be sorted.
    """
    ends = context.catalog.rows(
        "SELECT min(rowid) AS first, max(rowid) AS last FROM members WHERE cluster = ?", [cluster]
    )[0]
    return range(0) if ends["first"] is None else range(ends["first"], ends["last"] + 1)


def _sample(places: range, random: Random, size: int) -> list[int]:
    return sorted(random.sample(places, min(size, len(places))))


def _members(context: Context, places: Sequence[int]) -> list[dict[str, Any]]:
    # One by one, because DuckDB looks for a list of row numbers in all rows between them.
    rows = [f"(SELECT page, url, domain FROM members WHERE rowid = {place})" for place in places]
    return context.catalog.rows(" UNION ALL ".join(rows)) if rows else []


def cards(context: Context, chosen: Sequence[tuple[str, int]]) -> list[Card]:
    """Pages side by side."""
    pages = context.catalog.pages([page for _, page in chosen])
    texts = context.texts.get([page for _, page in chosen])
    found = []
    for role, page in chosen:
        if page in pages:
            row = pages[page]
            text = " ".join(texts.get(page, "").split())
            found.append(
                Card(
                    role=role,
                    page=page,
                    url=row["url"],
                    title=plain(row["title"] or "no title"),
                    similarity=row["similarity"],
                    words=row["words"] or 0,
                    excerpt=plain(text[:EXCERPT]) + ("…" if len(text) > EXCERPT else ""),
                )
            )
    return found


def cluster_view(context: Context, cluster: int) -> ClusterView | None:
    """The page of a cluster; None if there is none of that number."""
    row = cluster_row(context, cluster)
    if row is None:
        return None
    chosen = members_to_see(context, row)
    skeleton, note = context.keep(("skeleton", cluster), lambda: _skeleton(context, chosen))
    graph, bridges = context.keep(("graph", cluster), lambda: _graph(context, row))
    return ClusterView(
        row=row,
        headline=headline(row),
        cards=cards(context, chosen),
        domains=context.catalog.rows(
            "SELECT domain, pages, similarity, first FROM cluster_domains WHERE cluster = ? "
            "ORDER BY pages DESC, domain LIMIT 25",
            [cluster],
        ),
        histogram=_histogram(context, row),
        graph=graph,
        bridges=bridges,
        skeleton=skeleton,
        skeleton_note=note,
        url=row["centroid_url"],
    )


def _histogram(context: Context, row: dict[str, Any]) -> Html:
    bins = context.catalog.rows(
        "SELECT bin, pages AS number FROM cluster_shape WHERE cluster = ? ORDER BY bin", [row["cluster"]]
    )
    min_similarity = bins[0]["bin"] / BINS if bins else 0.0
    return histogram(
        bins,
        key="similarities",
        title=f"Members are {similarity(row['mean_similarity'])} similar to the most typical, "
        f"at least {min_similarity:.2f}",
        axis="similarity to the most typical page",
        noun="page",
    )


def _graph(context: Context, row: dict[str, Any]) -> tuple[Html, list[dict[str, Any]]]:
    """Some of the pages, linked where their styles are, and the pages without which they would fall apart."""
    cluster, centroid = row["cluster"], row["centroid"]
    drawn = _members(context, _sample(_places(context, cluster), Random(~cluster), DRAWN))
    if all(one["page"] != centroid for one in drawn):
        drawn += context.catalog.rows("SELECT page, url, domain FROM pages WHERE page = ?", [centroid])
    pages = [one["page"] for one in drawn]
    style = context.run.params.style
    layers = [(context.styles.get(pages), style.t)]
    if style.structure_t:
        layers.append((context.structures.get(pages), style.structure_t))
    drawn = [one for one in drawn if any(one["page"] in prints for prints, _ in layers)]

    def linked(a: int, b: int) -> bool:
        """By noise or by structure."""
        return any(
            a in prints and b in prints and _core.style_matches(prints[a], prints[b])[0] >= t
            for prints, t in layers
        )

    edges = [
        (a, b) for a in range(len(drawn)) for b in range(a) if linked(drawn[a]["page"], drawn[b]["page"])
    ]
    centre = next((n for n, one in enumerate(drawn) if one["page"] == row["centroid"]), None)
    graph = Graph(
        [one["domain"] or NO_SITE for one in drawn], edges, [short_url(one["url"]) for one in drawn], centre
    )
    pairs = len(drawn) * (len(drawn) - 1) // 2
    shown = f"{count(len(edges))} of {count(pairs)} pairs of the {len(drawn)} pages drawn are linked directly"
    figure = Figure(
        key="graph",
        title=shown,
        svg=draw(graph, shown),
        columns=[
            ShownColumn("page", "id", "page"),
            ShownColumn("URL", "url", "url"),
            ShownColumn("domain", "text", "domain"),
        ],
        rows=[(one["page"], one["url"], one["domain"]) for one in drawn],
        note="A dot is a page; its colour and shape are its domain. The large dot is the most typical page.",
    ).html()
    cut = cut_points(len(drawn), edges)
    return figure, [drawn[node] for node in cut]


def cut_points(size: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Nodes without which what is connected would fall apart (Hopcroft and Tarjan), in order."""
    near: list[list[int]] = [[] for _ in range(size)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    depth, low = [-1] * size, [0] * size
    found: set[int] = set()
    for root in range(size):
        if depth[root] >= 0:
            continue
        depth[root] = low[root] = 0
        stack: list[tuple[int, int, int]] = [(root, -1, 0)]
        branches = 0
        while stack:
            node, parent, at = stack.pop()
            if at < len(near[node]):
                stack.append((node, parent, at + 1))
                other = near[node][at]
                if depth[other] < 0:
                    depth[other] = low[other] = depth[node] + 1
                    branches += node == root
                    stack.append((other, node, 0))
                elif other != parent:
                    low[node] = min(low[node], depth[other])
            elif parent >= 0:
                low[parent] = min(low[parent], low[node])
                if parent != root and low[node] >= depth[parent]:
                    found.add(parent)
        if branches > 1:
            found.add(root)
    return sorted(found)


def html_of(context: Context, page: int) -> str:
    """The decoded HTML of a page, read again from its input.

    Raises:
        InputError: it is not there any more.
    """
    row = context.catalog.row(offsets_before([page]))
    record = record_of(context.run, page, row["offset"] if row else None)
    html, _, _ = _core.decode(record.html or b"", record.content_type)
    return html


def _skeleton(context: Context, chosen: Sequence[tuple[str, int]]) -> tuple[str, str]:
    """The markup that the most typical page shares with every other page on the screen."""
    wanted = [page for _, page in chosen]
    rows = context.catalog.rows(offsets_before(wanted))
    read = read_again(context.run, wanted, {row["page"]: row["offset"] for row in rows})
    pages = [read[page] for page in wanted if page in read]
    if len(pages) < len(wanted):
        return (
            "",
            "The markup is not compared: the pages' input is not there any more, or takes long to read.",
        )
    style = context.run.params.style
    noise = _core.noise(pages[0], style.content)
    kept = bytearray(b"\1") * len(noise)
    for other in pages[1:]:
        shared = bytearray(len(noise))
        for low, high in _core.shared_spans(pages[0], other, style.n, style.content):
            shared[low:high] = b"\1" * (high - low)
        kept = bytearray(a & b for a, b in zip(kept, shared, strict=True))
    note = (
        f"{percent(sum(kept) / max(len(noise), 1))} of the noise of the most typical page (its HTML without "
        f"letters and digits) is in all {len(pages)} pages shown. The markup that they share; … stands for "
        "what differs:"
    )
    return constant_markup(pages), note
