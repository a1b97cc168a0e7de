"""What other tables know of quilts and their sources: addresses, links, dates."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.run import Run
from pagekin.tables import QUILT_SOURCES, QUILTS

KNOWN = ["page", "url", "domain", "date", "links"]


def attribute(runs: Sequence[Run], sources: pa.Table, quilts: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The tables `quilt_sources` and `quilts`, completed. The quilts are pages of the last run."""
    pages = _known(runs, sources, quilts)
    quilt, source = _rows_of(pages, sources["page"]), _rows_of(pages, sources["source"])
    sources = sources.append_column("url", quilt["url"])
    sources = sources.append_column("source_url", source["url"])
    attributed = _linked(runs[-1], sources, source["domain"])
    # Text input has no links to look at.
    sources = sources.append_column("attributed", pc.if_else(pc.is_valid(quilt["links"]), attributed, None))
    sources = sources.append_column("first", _first(quilt["date"], source["date"]))
    quilts = quilts.append_column("url", _rows_of(pages, quilts["page"])["url"])
    quilts = _added_up(quilts, sources)
    return sources.select(QUILT_SOURCES.names), quilts.select(QUILTS.names)


def _known(runs: Sequence[Run], sources: pa.Table, quilts: pa.Table) -> pa.Table:
    """The pages that are quilts or sources."""
    wanted = pa.chunked_array([*quilts["page"].chunks, *sources["source"].chunks], pa.int64()).unique()
    found = []
    for run in runs:
        for batch in run.dataset("pages").to_batches(columns=KNOWN):
            found.append(batch.filter(pc.is_in(batch["page"], wanted)))
    return pa.Table.from_batches(found)


def _rows_of(pages: pa.Table, wanted: pa.ChunkedArray) -> pa.Table:
    return pages.take(pc.index_in(wanted, pages["page"].combine_chunks()))


def _linked(run: Run, sources: pa.Table, domain: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether the quilt links to the source, or to the source's domain where that is not its own."""
    page = sources["page"]
    exact = _keys(page, sources["source_url"])
    site = _keys(page, pc.if_else(sources["foreign"], domain, None))
    quilts = page.unique()
    found_exact, found_site = [], []
    for batch in run.dataset("links").to_batches():
        links = batch.filter(pc.is_in(batch["page"], quilts))
        if links.num_rows:
            found_exact.append(_among(_keys(links["page"], links["target_url"]), exact))
            found_site.append(_among(_keys(links["page"], links["target_domain"]), site))
    held_exact = pa.chunked_array(found_exact, pa.string()).unique()
    held_site = pa.chunked_array(found_site, pa.string()).unique()
    return pc.or_(pc.is_in(exact, held_exact), pc.is_in(site, held_site))


def _keys(page: pa.Array, name: pa.Array) -> pa.Array:
    """A page and a name as one value; null where there is no name."""
    return pc.binary_join_element_wise(pc.cast(page, pa.string()), name, " ")


def _among(keys: pa.Array, wanted: pa.ChunkedArray) -> pa.Array:
    keys = keys.drop_null()
    return keys.filter(pc.is_in(keys, wanted.combine_chunks()))


def _first(quilt: pa.ChunkedArray, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """A hint and no more: a crawler may meet the copy before the original."""
    earlier = pc.if_else(pc.less(source, quilt), "source", None)
    return pc.if_else(pc.greater(source, quilt), "quilt", earlier)


def _added_up(quilts: pa.Table, sources: pa.Table) -> pa.Table:
    """The quilts with what their sources amount to."""
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
    mine = sums.take(pc.index_in(quilts["page"], sums["page"].combine_chunks()))
    quilts = quilts.append_column("foreign_sources", pc.fill_null(mine["foreign_sources_sum"], 0))
    share = pc.divide(
        pc.cast(mine["attributed_sum"], pa.float64()), pc.cast(mine["new_grams_sum"], pa.float64())
    )
    return quilts.append_column("attributed_share", share)
