"""Duplicate classes."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table

DUPLICATES = Table(
    "duplicates",
    "Pages that are exact or near copies of each other, one row a page.",
    ("class", "page"),
    (
        Column(
            "class",
            pa.int64(),
            "the class: the smallest page id in it. Pages are linked by phrases, counted as in `jaccard`; by "
            "the paper's rule (similarity 0) by shingles, of texts that wrap around",
        ),
        PAGE,
        URL,
        Column("kind", pa.string(), "`exact`: the representative's text, byte for byte; `near`: almost"),
        Column("representative", pa.int64(), "the page that stands for the class: its first"),
        Column("representative_url", pa.string(), "its URL"),
        Column(
            "jaccard",
            pa.float64(),
            "phrases in common with the representative, of all of either; exact. Phrases begin and end in "
            "the text; with duplicates.wrap, as in the paper, they go on from its end to its beginning",
        ),
    ),
    brief=("url", "kind", "jaccard", "representative_url"),
)
