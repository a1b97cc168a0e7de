"""Style clusters in the report: their ranking, their sizes, and the similarity graph."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from pagekin import _core
from pagekin.errors import UsageError
from pagekin.report.blocks import Bars, Block, Facts, Grid, Picture, Section
from pagekin.report.figures import svg
from pagekin.report.graph import Graph, draw
from pagekin.run import Run

TOP = 20
SAMPLE = 400
"""Pages in a drawing: more would be a blot."""

SIZES = (2, 3, 5, 10, 30, 100, 300, 1000, 10_000, 100_000)
SHOWN = (
    "rank", "pages", "domains", "mean_similarity", "score", "cohesion", "kind", "name", "centroid_url",
)  # fmt: skip


def styles(run: Run) -> Section:
    """The ranking (the paper's Table 1), cluster sizes, kinds, and the graph of a sample (its Figure 3)."""
    clusters = run.table("style_clusters")
    sizes = clusters["pages"]
    pages = run.info["counts"]["pages"]
    clustered = run.dataset("style_members").count_rows()
    note = (
        f"{clusters.num_rows:,} clusters hold {clustered:,} of {pages:,} pages. "
        f"The {min(TOP, clusters.num_rows)} with the highest mean similarity × domains:"
    )
    blocks: list[Block] = [Grid.of(clusters.slice(0, TOP).select(list(SHOWN)))]
    blocks += [Bars(_by_size(sizes)), Bars(_by_kind(clusters))] if clusters.num_rows else []
    graph = _sample_graph(run)
    if graph.links:
        blocks.append(_picture(graph, _says(graph)))
    return Section("Style clusters", note, blocks)


def cluster(run: Run, rank: int) -> Section:
    """One cluster: its figures, its members (the paper's Table 2), and a drawing of it."""
    clusters = run.table("style_clusters")
    if not 1 <= rank <= clusters.num_rows:
        known = f"they go from 1 to {clusters.num_rows:,}" if clusters.num_rows else "there is no cluster"
        raise UsageError(f"{run.path} has no style cluster of rank {rank}: {known}")
    (row,) = clusters.slice(rank - 1, 1).to_pylist()
    data = run.dataset("style_members")
    with run.reading("style_members"):
        members = data.to_table(filter=ds.field("rank") == rank)
    facts = Facts([(name, row[name]) for name in clusters.column_names if row[name] is not None])
    shown = members.select(["similarity", "url"])
    blocks: list[Block] = [facts, Grid.of(shown.slice(0, TOP))]
    if len(shown) > 2 * TOP:
        blocks.append(Grid.of(shown.slice(len(shown) - TOP)))
    elif len(shown) > TOP:
        blocks[-1] = Grid.of(shown)
    sample = _hash_smallest(members["page"].combine_chunks())
    if row["centroid"] in members["page"].to_pylist() and row["centroid"] not in sample.to_pylist():
        sample = pa.concat_arrays([sample.slice(0, SAMPLE - 1), pa.array([row["centroid"]], pa.int64())])
    graph = _graph(run, sample, row["centroid"])
    if graph.pages:
        blocks.append(_picture(graph, _says(graph)))
    note = "Similarity is to the centroid: the most alike members, then the least alike, then a drawing."
    return Section(f"Style cluster {rank}", note, blocks)


def _by_size(sizes: pa.ChunkedArray) -> list[tuple[str, int]]:
    rows = []
    for low, high in zip(SIZES, [*SIZES[1:], None], strict=True):
        inside = pc.greater_equal(sizes, low)
        if high is not None:
            inside = pc.and_(inside, pc.less(sizes, high))
        alone = high is not None and high == low + 1
        label = f"{low:,}" if alone else f"{low:,} or more" if high is None else f"{low:,} to {high - 1:,}"
        rows.append((f"clusters of {label} pages", pc.sum(inside).as_py() or 0))
    while len(rows) > 1 and rows[-1][1] == 0:
        rows.pop()
    return rows


def _by_kind(clusters: pa.Table) -> list[tuple[str, int]]:
    counts = pc.value_counts(clusters["kind"].combine_chunks()).to_pylist()
    rows = [
        (entry["values"] or "kind not known: duplicates did not run", entry["counts"]) for entry in counts
    ]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _sample_graph(run: Run) -> Graph:
    data = run.dataset("sketches")
    with run.reading("sketches"):
        pages = data.to_table(columns=["page"], filter=ds.field("style").is_valid())["page"]
    return _graph(run, _hash_smallest(pages.combine_chunks()), None)


def _hash_smallest(pages: pa.Array) -> pa.Array:
    """So many of the pages, by a hash of their ids: the same ones every time, and no tidy pattern."""
    low = pc.bit_wise_and(pc.multiply(pc.bit_wise_and(pages, 0xFFFF_FFFF), 0x9E37_79B1), 0xFFFF_FFFF)
    key = pc.bit_wise_xor(low, pc.shift_right(low, 15))
    return pages.take(pc.sort_indices(key)[:SAMPLE]).sort()


def _graph(run: Run, pages: pa.Array, centroid: int | None) -> Graph:
    """The links among these pages, and the domains to colour them by."""
    rows = _rows(run, "sketches", ["page", "style"], pages)
    domains = _rows(run, "pages", ["page", "domain"], pages)
    domain = dict(zip(domains["page"].to_pylist(), domains["domain"].to_pylist(), strict=True))
    params = run.params.style
    matrix = _core.StyleMatrix(1, params.m)
    for batch in rows.to_batches():
        matrix.push(batch)
    found = rows.filter(pc.is_valid(rows["style"]))
    ids: list[int] = found["page"].to_pylist()
    links = []
    for a, style in enumerate(found["style"].to_pylist()):
        matching = matrix.scan(style).column("matching")
        similar = pc.indices_nonzero(pc.greater_equal(matching, params.t)).to_pylist()
        links += [(b, a) for b in similar if b < a]
    centre = ids.index(centroid) if centroid in ids else None
    return Graph([domain[page] or "?" for page in ids], links, centre)


def _rows(run: Run, table: str, columns: list[str], pages: pa.Array) -> pa.Table:
    data = run.dataset(table)
    with run.reading(table):
        rows: pa.Table = data.to_table(columns=columns, filter=ds.field("page").isin(pages))
    return rows.sort_by("page")


def _picture(graph: Graph, says: str) -> Picture:
    def drawn(axes: Any) -> None:
        draw(graph, axes)
        axes.set_title(says, fontsize=8)

    return Picture(svg(drawn, (8, 5.5)), says)


def _says(graph: Graph) -> str:
    parts = [part for part in graph.components() if len(part) > 1]
    alone = len(graph.pages) - sum(map(len, parts))
    return (
        f"Similarity graph of {len(graph.pages):,} pages: {len(graph.links):,} links, "
        f"{len(parts):,} groups, {alone:,} pages alone; colours are domains"
    )
