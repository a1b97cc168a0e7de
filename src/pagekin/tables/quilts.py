"""What the search of quilts writes."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table
from pagekin.tables.crawl import DATE

QUILTS = Table(
    "quilts",
    "One row for each quilt: a page made mostly of other pages' text.",
    ("-covered_fraction", "page"),
    (
        PAGE,
        URL,
        Column("grams", pa.int64(), "distinct grams of the page; they begin and end in the text"),
        Column("covered_grams", pa.int64(), "of those, how many the named sources cover"),
        Column("covered_fraction", pa.float64(), "covered_grams / grams"),
        Column("patch_grams", pa.int64(), "of those, how many 2 to m pages hold"),
        Column("patch_fraction", pa.float64(), "patch_grams / grams"),
        Column("sources", pa.int64(), "pages in the cover"),
        Column("foreign_sources", pa.int64(), "of those, how many are on another domain"),
        Column("uncovered", pa.int64(), "patch grams that no source covers: patch_grams - covered_grams"),
        Column(
            "attributed_share",
            pa.float64(),
            "of the covered patch grams, the share from attributed sources (null for text input)",
        ),
    ),
    brief=("url", "grams", "covered_fraction", "sources", "foreign_sources", "attributed_share"),
)

QUILT_SOURCES = Table(
    "quilt_sources",
    "One row for each source of a quilt.",
    ("page", "rank"),
    (
        PAGE,
        URL,
        Column("source", pa.int64(), "page id of the source"),
        Column("source_url", pa.string(), "its URL"),
        Column("rank", pa.int64(), "its place in the order of choice, from 1"),
        Column("new_grams", pa.int64(), "patch grams it holds and no source before it"),
        Column("shared_grams", pa.int64(), "patch grams it holds"),
        Column("share", pa.float64(), "new_grams / patch_grams of the quilt"),
        Column("foreign", pa.bool_(), "it is on another domain than the quilt"),
        Column(
            "attributed",
            pa.bool_(),
            "the quilt links to the source, a copy of it, or their domain if foreign (null for text input)",
        ),
        Column(
            "first",
            pa.string(),
            "which was first, source or quilt, when fetched or by `quilts.dates` (null if unknown)",
        ),
    ),
    brief=("url", "rank", "source_url", "share", "foreign", "attributed", "first"),
)

ALL_SOURCES = Table(
    "all_sources",
    "Every possible source of a quilt that holds enough of its grams, in its cover or not.",
    ("page", "rank"),
    (
        PAGE,
        URL,
        Column("source", pa.int64(), "page id of the other page"),
        Column("source_url", pa.string(), "its URL"),
        Column("rank", pa.int64(), "its place by shared_grams, from 1; of equal ones the smaller id"),
        Column("shared_grams", pa.int64(), "patch grams of the quilt that it holds"),
        Column(
            "shared_fraction", pa.float64(), "shared_grams / grams of the quilt, at least quilts.min_shared"
        ),
        Column("cover_rank", pa.int64(), "its rank in quilt_sources (null if it adds nothing to the others)"),
        Column("foreign", pa.bool_(), "it is on another domain than the quilt"),
        Column("date", DATE, "when it was fetched or written, if known"),
    ),
    brief=("url", "rank", "source_url", "shared_fraction", "cover_rank", "date"),
)

ORIGINALITY = Table(
    "originality",
    "How much of each page's text no other page has.",
    ("page",),
    (
        PAGE,
        URL,
        Column("grams", pa.int64(), "distinct grams of the page; they begin and end in the text"),
        Column("own_grams", pa.int64(), "of those, how many no other page holds"),
        Column("originality", pa.float64(), "own_grams / grams (null for a page without grams)"),
    ),
)
