"""Every page that shares enough with a quilt: the parent of a text is often hidden behind its copies."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.quilts.dates import dates_of
from pagekin.run import Run
from pagekin.tables import ALL_SOURCES

KNOWN = ["page", "url", "date"]


def all_sources(
    runs: Sequence[Run], holders: pa.Table, quilts: pa.Table, sources: pa.Table, dates: pa.Table | None
) -> pa.Table:
    """The table: `holders` with what the other tables know of them."""
    pages = _pages(runs, pa.chunked_array([*holders["page"].chunks, *holders["source"].chunks], pa.int64()))
    if dates is not None:
        date = dates_of(pages["url"].combine_chunks(), pages["date"].combine_chunks(), dates)
        pages = pages.set_column(2, "date", date)
    grams = quilts["grams"].take(pc.index_in(holders["page"], quilts["page"].combine_chunks()))
    page, source = (pages.take(pc.index_in(holders[n], pages["page"].combine_chunks())) for n in ("page", "source"))
    shared = pc.divide(pc.cast(holders["shared_grams"], pa.float64()), pc.cast(grams, pa.float64()))
    place = pc.index_in(_pair(holders), _pair(sources).combine_chunks())
    columns = {name: holders[name] for name in ("page", "source", "rank", "shared_grams", "foreign")} | {
        "url": page["url"],
        "source_url": source["url"],
        "shared_fraction": shared,
        "cover_rank": sources["rank"].take(place),
        "date": source["date"],
    }
    return pa.table([columns[name] for name in ALL_SOURCES.names], schema=ALL_SOURCES.schema)


def _pages(runs: Sequence[Run], wanted: pa.ChunkedArray) -> pa.Table:
    """What `pages` says of these."""
    lookup = _core.KeyLookup(wanted.combine_chunks())
    found = [
        batch.filter(lookup.contains(batch["page"])) for run in runs for batch in run.batches("pages", KNOWN)
    ]
    schema = runs[-1].dataset("pages").schema
    return pa.Table.from_batches(found, pa.schema([schema.field(name) for name in KNOWN]))


def _pair(rows: pa.Table) -> pa.ChunkedArray:
    """A quilt and a page, in one string."""
    page, source = (pc.cast(rows[name], pa.string()) for name in ("page", "source"))
    return pc.binary_join_element_wise(page, source, " ")
