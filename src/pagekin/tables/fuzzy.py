"""Exact and fuzzy duplicates."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table

FUZZY = Table(
    "fuzzy",
    "Pages whose texts are copies of each other: the same MD5, or ssdeep digests that score high; with "
    "--against, new ones and their representatives.",
    ("class", "page"),
    (
        Column("class", pa.int64(), "the smallest page id of the class, which may be of a known run"),
        PAGE,
        URL,
        Column("kind", pa.string(), "`exact`: the same text as the representative; else `near`"),
        Column("representative", pa.int64(), "the page that stands for the class: its smallest"),
        Column("representative_url", pa.string(), "its URL"),
        Column("score", pa.int32(), "ssdeep score against the representative, 0 to 100"),
        Column(
            "chain",
            pa.bool_(),
            "the score is below the threshold: other members connect the page to the class",
        ),
        Column(
            "similarity",
            pa.float64(),
            "phrases in common with the representative, of all of either; exact (null if not verified). "
            "Phrases begin and end in the text, in either profile",
        ),
        Column("md5", pa.string(), "MD5 of the text as UTF-8, in hex"),
        Column("ssdeep", pa.string(), "ssdeep digest of the text as UTF-8"),
    ),
    brief=("url", "kind", "score", "similarity", "representative_url"),
)

DUPLICATE_RATES = Table(
    "duplicate_rates",
    "Which URLs and which software give duplicates, and why.",
    ("-duplicates", "site", "pattern", "cluster"),
    (
        Column("site", pa.string(), "registered domain of the pages, else their host"),
        Column("pattern", pa.string(), "host, path shape and query keys of the pages' URLs"),
        Column("cluster", pa.int64(), "style cluster of the pages; null for none, or without styles"),
        Column("software", pa.string(), "the `name` of the style cluster"),
        Column("pages", pa.int64(), "pages of this site, pattern and cluster"),
        Column(
            "duplicates",
            pa.int64(),
            "exact and near duplicates among them: pages of a class of `fuzzy`, without its representative",
        ),
        Column("exact", pa.int64(), "exact duplicates among them"),
        Column("near", pa.int64(), "near duplicates among them"),
        Column("rate", pa.float64(), "duplicates / pages"),
        Column("cause", pa.string(), "what makes most of the duplicates, where it shows in the URLs"),
        Column("detail", pa.string(), "the query parameter, the other host, or what a redirect changed"),
        Column("caused", pa.int64(), "duplicates with this cause and detail"),
        Column("url", pa.string(), "one of them"),
        Column("of_url", pa.string(), "the page it repeats"),
    ),
    brief=("pattern", "software", "cluster", "pages", "exact", "near", "cause", "detail", "caused"),
)

URL_PARAMETERS = Table(
    "url_parameters",
    "Which query parameters change what a page says, and which never do, by URLs that differ in one.",
    ("-repeats", "host", "parameter"),
    (
        Column("host", pa.string(), "host name, lower case"),
        Column("parameter", pa.string(), "query key, or a key in the path like `;jsessionid=`"),
        Column("role", pa.string(), "what its name suggests: session id, print view, sort order, ..."),
        Column("urls", pa.int64(), "URLs, ignoring this parameter, that were met more than once"),
        Column("pages", pa.int64(), "pages with those URLs, one for each value of the parameter"),
        Column("contents", pa.int64(), "different contents for each URL, added up"),
        Column("repeats", pa.int64(), "pages minus contents"),
        Column(
            "verdict",
            pa.string(),
            "`never matters`, `sometimes matters`, `always matters` or `too few to say`",
        ),
    ),
    brief=("host", "parameter", "role", "pages", "repeats", "verdict"),
)
