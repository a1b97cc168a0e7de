"""What other tables know of quilts and their sources: URLs, links, dates."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.joins import lookup
from pagekin.run import Run
from pagekin.sites import server_names
from pagekin.tables import QUILT_SOURCES, QUILTS
from pagekin.tables.lookup import TableLookup

KNOWN = ["page", "url", "host", "domain", "date", "links"]

SLICE = 1 << 16
"""Sources that are compared with links at once: each may have many copies."""


def attribute(
    run: Run, sources: pa.Table, quilts: pa.Table, server_map: dict[str, str], classes: bool
) -> tuple[pa.Table, pa.Table]:
    """The tables `quilt_sources` and `quilts`, completed. The quilts are pages of this run.

    With `classes` a source stands for its duplicate class: a link to a copy of it is a link to it.
    """
    copies = _classes(run.lineage if classes else [], sources["source"])
    wanted = [*quilts["page"].chunks, *sources["source"].chunks, *copies["page"].chunks]
    pages = _pages(run, pa.chunked_array(wanted, pa.int64()).unique(), copies, server_map)
    known = TableLookup(pages)
    quilt, source = known.rows(sources["page"]), known.rows(sources["source"])
    sources = sources.append_column("url", quilt["url"])
    sources = sources.append_column("source_url", source["url"])
    asked = pa.table({"page": sources["page"], "own": quilt["server"], "class": source["class"]})
    attributed = _linked(run, asked, pages, server_map)
    # Text input has no links to look at.
    sources = sources.append_column("attributed", pc.if_else(pc.is_valid(quilt["links"]), attributed, None))
    sources = sources.append_column("first", _first(quilt["date"], source["date"]))
    quilts = quilts.append_column("url", known.column("url", quilts["page"]))
    quilts = _added_up(quilts, sources)
    order = [("covered_fraction", "descending"), ("page", "ascending")]
    return sources.select(QUILT_SOURCES.names), quilts.select(QUILTS.names).sort_by(order)


def _classes(runs: Sequence[Run], sources: pa.ChunkedArray) -> pa.Table:
    """The pages of the sources' classes: page, class."""
    known = [
        run.table("duplicates", ["page", "representative"]) for run in runs if "duplicates" in run.tables
    ]
    if not known:
        return pa.table({"page": pa.array([], pa.int64()), "class": pa.array([], pa.int64())})
    rows = pa.concat_tables(known).rename_columns(["page", "class"])
    wanted = rows["class"].filter(pc.is_in(rows["page"], sources.unique())).unique()
    return rows.filter(pc.is_in(rows["class"], wanted))


def _pages(run: Run, wanted: pa.ChunkedArray, classes: pa.Table, server_map: dict[str, str]) -> pa.Table:
    """What is known of these pages, each with its site and class."""
    pages = run.page_columns("pages", KNOWN, wanted)
    pages = pages.append_column("server", server_names(pages, server_map))
    own_class = lookup(pages["page"], classes, "page", "class")
    return pages.append_column("class", pc.coalesce(own_class, pages["page"].combine_chunks()))


def _linked(run: Run, asked: pa.Table, pages: pa.Table, server_map: dict[str, str]) -> pa.ChunkedArray:
    """Whether a quilt links to a page of the source's class, or to such a page's site if not its own."""
    pages = pages.filter(pc.is_in(pages["class"], asked["class"].unique()))
    known_urls, known_servers = (TableLookup(pages.select([name]), name) for name in ("url", "server"))
    urls, sites = [], []
    for links in run.batches("links", pages=asked["page"].combine_chunks()):
        if links.num_rows:
            urls.append(_among(links["page"], links["target_url"], known_urls))
            sites.append(_among(links["page"], _target_servers(links, server_map), known_servers))
    exact = _holds(asked, urls, _names(pages, "url"))
    return pc.or_(exact, _holds(asked, sites, _names(pages, "server"), foreign=True))


def _target_servers(links: pa.RecordBatch, server_map: dict[str, str]) -> pa.Array:
    if not server_map:
        return links["target_domain"]
    host = pa.array([_core.host(url) for url in links["target_url"].to_pylist()], pa.string())
    return server_names(
        pa.table({"host": host, "domain": links["target_domain"]}), server_map
    ).combine_chunks()


def _among(page: pa.Array, name: pa.Array, wanted: TableLookup) -> pa.Table:
    """Links to what has one of the wanted names."""
    return pa.table({"page": page, "name": name}).filter(wanted.contains(name))


def _names(pages: pa.Table, column: str) -> pa.Table:
    """The distinct names of each class."""
    names = pages.select(["class", column]).rename_columns(["class", "name"])
    return names.filter(pc.is_valid(names["name"])).group_by(["class", "name"]).aggregate([])


def _holds(asked: pa.Table, found: list[pa.Table], names: pa.Table, foreign: bool = False) -> pa.ChunkedArray:
    """Whether the page of each row links to a name of the row's class; `foreign`: to one not its own."""
    if not found:
        return pa.chunked_array([pa.repeat(False, len(asked))])
    links = pa.concat_tables(found)
    names = names.filter(pc.is_in(names["name"], links["name"].unique()))
    held = _keys(links).unique()
    rows = asked.append_column("row", pa.array(range(len(asked)), pa.int64()))
    hits = []
    for begin in range(0, len(rows), SLICE):
        pairs = rows.slice(begin, SLICE).join(names, "class", join_type="inner")
        if foreign:
            pairs = pairs.filter(pc.fill_null(pc.not_equal(pairs["name"], pairs["own"]), True))
        hits += pairs["row"].filter(pc.is_in(_keys(pairs), held)).chunks
    return pc.is_in(rows["row"], pa.chunked_array(hits, pa.int64()).unique())


def _keys(rows: pa.Table) -> pa.ChunkedArray:
    """A page and a name as one value."""
    return pc.binary_join_element_wise(pc.cast(rows["page"], pa.string()), rows["name"], " ")


def _first(quilt: pa.ChunkedArray, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """A hint and no more: a crawler may meet the copy before the original."""
    earlier = pc.if_else(pc.less(source, quilt), "source", None)
    return pc.if_else(pc.greater(source, quilt), "quilt", earlier)


def _added_up(quilts: pa.Table, sources: pa.Table) -> pa.Table:
    """The quilts with sums over their sources."""
    named = pc.if_else(sources["attributed"], sources["new_grams"], 0)
    rows = pa.table(
        {
            "page": sources["page"],
            "foreign_sources": pc.cast(sources["foreign"], pa.int64()),
            "new_grams": sources["new_grams"],
            "attributed": named,
        }
    )
    sums = rows.group_by("page").aggregate(
        [("foreign_sources", "sum"), ("new_grams", "sum"), ("attributed", "sum")]
    )
    mine = TableLookup(sums).rows(quilts["page"])
    quilts = quilts.append_column("foreign_sources", pc.fill_null(mine["foreign_sources_sum"], 0))
    share = pc.divide(
        pc.cast(mine["attributed_sum"], pa.float64()), pc.cast(mine["new_grams_sum"], pa.float64())
    )
    return quilts.append_column("attributed_share", share)
