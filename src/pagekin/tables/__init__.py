"""Every table of a run folder, with a line on each column: the map of the flow.

A `Table` is a name, a row order and columns. The Arrow schema, the Parquet files, the reference pages and the
checks in `Run.table` all come from here. Each detector's tables are in a file of their own.
"""

from __future__ import annotations

from pagekin.tables.base import Column, Table
from pagekin.tables.crawl import LINKS, PAGES, RECORDS, SKETCHED, SKETCHES, SKIPPED, TEXTS
from pagekin.tables.duplicates import DUPLICATES
from pagekin.tables.fuzzy import DUPLICATE_RATES, FUZZY, URL_PARAMETERS
from pagekin.tables.phrases import COVERS, PHRASES, POPULAR, SITES
from pagekin.tables.quilts import ALL_SOURCES, ORIGINALITY, QUILT_SOURCES, QUILTS
from pagekin.tables.styles import STYLE_CLUSTERS, STYLE_MEMBERS

__all__ = [
    "ALL_SOURCES",
    "COVERS",
    "DUPLICATES",
    "DUPLICATE_RATES",
    "FUZZY",
    "LINKS",
    "ORIGINALITY",
    "PAGES",
    "PHRASES",
    "POPULAR",
    "QUILTS",
    "QUILT_SOURCES",
    "RECORDS",
    "SITES",
    "SKETCHED",
    "SKETCHES",
    "SKIPPED",
    "STYLE_CLUSTERS",
    "STYLE_MEMBERS",
    "TABLES",
    "TEXTS",
    "URL_PARAMETERS",
    "Column",
    "Table",
]

TABLES: dict[str, Table] = {
    t.name: t
    for t in (
        PAGES,
        TEXTS,
        LINKS,
        SKETCHES,
        SKIPPED,
        DUPLICATES,
        STYLE_CLUSTERS,
        STYLE_MEMBERS,
        QUILTS,
        QUILT_SOURCES,
        ALL_SOURCES,
        ORIGINALITY,
        FUZZY,
        PHRASES,
        POPULAR,
        COVERS,
        SITES,
        DUPLICATE_RATES,
        URL_PARAMETERS,
    )
}
"""In the order in which they come about."""
