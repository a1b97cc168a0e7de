"""Every page that shares enough with a quilt: the parent of a text is often hidden behind its copies."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.joins import lookup
from pagekin.detect.quilts.dates import dates_of
from pagekin.run import Run
from pagekin.tables import ALL_SOURCES


def all_sources(
    run: Run, holders: pa.Table, quilts: pa.Table, sources: pa.Table, dates: pa.Table | None
) -> pa.Table:
    """The table: `holders` with what the other tables know of them."""
    source = run.page_columns("pages", ["url", "date"], holders["source"])
    date = source["date"].combine_chunks()
    if dates is not None:
        date = dates_of(source["url"].combine_chunks(), date, dates)
    grams = pc.cast(lookup(holders["page"], quilts, "page", "grams"), pa.float64())
    chosen = sources.append_column("pair", _pair(sources))
    columns = {name: holders[name] for name in ("page", "source", "rank", "shared_grams", "foreign")} | {
        "url": run.page_columns("pages", ["url"], holders["page"])["url"],
        "source_url": source["url"],
        "shared_fraction": pc.divide(pc.cast(holders["shared_grams"], pa.float64()), grams),
        "cover_rank": lookup(_pair(holders), chosen, "pair", "rank"),
        "date": date,
    }
    return pa.table([columns[name] for name in ALL_SOURCES.names], schema=ALL_SOURCES.schema)


def _pair(rows: pa.Table) -> pa.ChunkedArray:
    """A quilt and a page, in one string."""
    page, source = (pc.cast(rows[name], pa.string()) for name in ("page", "source"))
    return pc.binary_join_element_wise(page, source, " ")
