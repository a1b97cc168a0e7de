"""Exact and fuzzy duplicates."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table

FUZZY = Table(
    "fuzzy",
    "Pages whose texts are copies of each other: the same MD5, or ssdeep digests that score high.",
    "class, then page",
    (
        Column("class", pa.int64(), "the smallest page id of the class"),
        PAGE,
        URL,
        Column("kind", pa.string(), "`exact`: the same text as the representative; else `near`"),
        Column("representative", pa.int64(), "the page that stands for the class: its smallest"),
        Column("score", pa.int32(), "ssdeep score against the representative, 0 to 100"),
        Column("md5", pa.string(), "MD5 of the text as UTF-8, in hex"),
        Column("ssdeep", pa.string(), "ssdeep digest of the text as UTF-8"),
    ),
    brief=("class", "page", "url", "kind", "score"),
)
