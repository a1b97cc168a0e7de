"""Graphs of style similarity: a sample of all pages (the paper's Figure 3), or one cluster."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.errors import UsageError
from pagekin.look.figure import Figure
from pagekin.look.graph import MAX_EDGES, Graph, draw
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import NO_SITE, count, percent, plural, short_url, similarity
from pagekin.params import StyleParams
from pagekin.report.bins import pages_on
from pagekin.report.story import TOP, Block, Data, Section, facts, heading, paragraph
from pagekin.run import Run

SAMPLE = 240
"""Pages in a drawing: more would be a blot."""


def sample_figure(data: Data) -> Figure | None:
    """The pages of a sample, linked where their styles are similar; None where nothing is."""
    if not data.has("sketches", "pages"):
        return None
    min_noise = data.run.params.style.n
    rows = data.rows("SELECT page FROM pages WHERE noise_chars >= ? ORDER BY page", min_noise)
    graph, urls = _graph(data.run, _spread(pa.array([page for (page,) in rows], pa.int64())), None)
    if not graph.edges:
        return None
    parts = [part for part in graph.components() if len(part) > 1]
    alone = len(graph.pages) - sum(map(len, parts))
    groups = "1 group is" if len(parts) == 1 else f"{len(parts):,} groups are"
    title = f"In a sample of {count(len(graph.pages))} pages, {groups} written alike"
    note = (
        f"Each mark is a page, a line links two pages of similar style; colours and shapes are domains, the "
        f"most frequent ones. {plural(alone, 'page')} like no other of the sample "
        f"{'is' if alone == 1 else 'are'} not drawn.{_thinned(graph)}"
    )
    return _figure("style-graph", title, *_linked(graph, urls), note)


def _linked(graph: Graph, urls: list[str]) -> tuple[Graph, list[str]]:
    """The pages that have an edge, and their URLs."""
    kept = sorted({page for edge in graph.edges for page in edge})
    place = {page: at for at, page in enumerate(kept)}
    edges = [(place[a], place[b]) for a, b in graph.edges]
    titles = [graph.titles[page] for page in kept]
    return Graph([graph.pages[page] for page in kept], edges, titles), [urls[page] for page in kept]


def cluster(data: Data, rank: int) -> Section:
    """One cluster: its figures, its members (the paper's Table 2), and a drawing of it."""
    total = data.value("SELECT count(*) FROM style_clusters") if data.has("style_clusters") else 0
    if not 1 <= rank <= total:
        known = f"they go from 1 to {total:,}" if total else "there is no cluster"
        raise UsageError(f"{data.run.path} has no style cluster of rank {rank}: {known}")
    pages, domains, alike, cohesion, kind, name, centroid = data.row(
        """SELECT pages, domains, mean_similarity, cohesion, kind, name, centroid FROM style_clusters
        WHERE rank = ?""",
        rank,
    )
    members = "SELECT similarity, url FROM style_members WHERE rank = ?"
    near = data.rows(f"{members} ORDER BY similarity DESC, page LIMIT {TOP}", rank)
    far = data.rows(f"{members} ORDER BY similarity, page LIMIT {TOP}", rank)
    columns = [
        ShownColumn("similarity", "similarity", "similarity", "to the most typical page"),
        ShownColumn("page", "url", "url"),
    ]
    rest = data.show("style_members", f"--where 'rank = {rank}'")
    what = name or kind or "no name"
    blocks: list[Block] = [
        paragraph(f"{what}: {pages_on(pages, domains)}."),
        facts(
            [
                ("mean similarity", similarity(alike)),
                ("linked pairs of all pairs", percent(cohesion)),
                ("kind", kind or "not known"),
                ("name", name or "none"),
            ]
        ),
        heading("The most typical pages"),
        ShownTable(
            columns, near, pages, "pages", rest, key=f"cluster-{rank}-near", label="The most typical pages"
        ),
    ]
    if pages > TOP and far[0][0] < near[-1][0]:
        blocks += [
            heading("The least typical pages"),
            ShownTable(
                columns, far, pages, "pages", rest, key=f"cluster-{rank}-far", label="The least typical pages"
            ),
        ]
    rows = data.rows("SELECT page FROM style_members WHERE rank = ? ORDER BY page", rank)
    sample = _spread(pa.array([page for (page,) in rows], pa.int64()))
    if (centroid,) in rows and centroid not in sample.to_pylist():
        sample = pa.concat_arrays([sample.slice(0, SAMPLE - 1), pa.array([centroid], pa.int64())])
    graph, urls = _graph(data.run, sample, centroid)
    if graph.pages:
        pairs = len(graph.pages) * (len(graph.pages) - 1) / 2
        title = f"{percent(len(graph.edges) / pairs) if pairs else '0%'} of the pairs of its pages are linked"
        shown = plural(len(graph.pages), "page")
        note = (
            f"{shown} of {pages:,}; colours and shapes are domains, the large dot is the "
            f"most typical page.{_thinned(graph)}"
        )
        blocks.append(_figure(f"cluster-{rank}-graph", title, graph, urls, note))
    return Section(f"cluster-{rank}", f"Style cluster {rank}", f"Style cluster {rank}: {what}", blocks)


def _thinned(graph: Graph) -> str:
    return f" {MAX_EDGES:,} of {len(graph.edges):,} links are drawn." if len(graph.edges) > MAX_EDGES else ""


def _figure(key: str, title: str, graph: Graph, urls: list[str], note: str) -> Figure:
    degree = [0] * len(graph.pages)
    for a, b in graph.edges:
        degree[a] += 1
        degree[b] += 1
    rows = [[url, domain, linked] for url, domain, linked in zip(urls, graph.pages, degree, strict=True)]
    columns = [
        ShownColumn("page", "url", "url"),
        ShownColumn("domain", "text", "domain", width=40),
        ShownColumn("linked pages", "count", "linked"),
    ]
    alt = f"{title}. {plural(len(graph.edges), 'link')} among {plural(len(graph.pages), 'page')}."
    return Figure(key, title, draw(graph, alt), columns, rows, note)


def _spread(pages: pa.Array) -> pa.Array:
    """So many of the pages, by a hash of their ids: the same ones every time, and no tidy pattern."""
    low = pc.bit_wise_and(pc.multiply(pc.bit_wise_and(pages, 0xFFFF_FFFF), 0x9E37_79B1), 0xFFFF_FFFF)
    key = pc.bit_wise_xor(low, pc.shift_right(low, 15))
    return pages.take(pc.sort_indices(key)[:SAMPLE]).sort()


def _graph(run: Run, pages: pa.Array, centroid: int | None) -> tuple[Graph, list[str]]:
    """The edges among these pages, the domains to colour them by, and their URLs."""
    rows = run.page_columns("sketches", ["page", "style", "structure"], pages)
    sites = run.page_columns("pages", ["page", "url", "domain"], pages)
    known = {row["page"]: row for row in sites.to_pylist()}
    found = rows.filter(pc.or_(pc.is_valid(rows["style"]), pc.is_valid(rows["structure"])))
    ids: list[int] = found["page"].to_pylist()
    edges = sorted(_edges(found, "style", run.params.style) | _edges(found, "structure", run.params.style))
    centre = ids.index(centroid) if centroid in ids else None
    urls = [known[page]["url"] or "" for page in ids]
    domains = [known[page]["domain"] or NO_SITE for page in ids]
    return Graph(domains, edges, [short_url(url) for url in urls], centre), urls


def _edges(rows: pa.Table, kind: str, params: StyleParams) -> set[tuple[int, int]]:
    """Pairs of rows that match in enough dimensions of one kind of fingerprint, the smaller first."""
    t = params.t if kind == "style" else params.structure_t
    if not t:
        return set()
    none = bytes(2 * params.m)
    prints = pc.fill_null(rows[kind].combine_chunks(), none)
    matrix = _core.StyleMatrix(1, params.m, params.over_m)
    matrix.push(pa.record_batch({"page": rows["page"].combine_chunks(), "style": prints}))
    edges = set()
    for a, one in enumerate(prints.to_pylist()):
        matching = matrix.scan(one).column("matching")
        similar = pc.indices_nonzero(pc.greater_equal(matching, t)).to_pylist()
        edges |= {(b, a) for b in similar if b < a}
    return edges
