"""Popular phrases, covers, sites."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table

CIRCLE = "the text wraps around, so its last words together with its first make phrases too"
"""What shingles are made of, in either profile."""
ROUND = "(texts wrap around)"
"""The same, for columns beside one that says it in full."""

DONOR = pa.struct(
    [
        pa.field("page", pa.int64()),
        pa.field("url", pa.string()),
        pa.field("shingles", pa.int64()),
        pa.field("foreign", pa.bool_()),
    ]
)

PHRASES = Table(
    "phrases",
    "Popular phrases: those that many pages have among their shingles.",
    ("-pages", "phrase", "fingerprint"),
    (
        Column("phrase", pa.string(), f"its words, case-folded; {CIRCLE}"),
        Column("pages", pa.int64(), f"pages that hold it as a shingle, under any function {ROUND}"),
        Column("hosts", pa.int64(), f"hosts of those pages {ROUND}"),
        Column(
            "domains", pa.int64(), f"domains of those pages, by the server map where one is given {ROUND}"
        ),
        Column("kind", pa.string(), "a hint: `counting`, `legal`, `navigation`, `template` or `idiom`"),
        Column("functions", pa.int64(), f"functions under which it is popular {ROUND}"),
        Column("example_url", pa.string(), f"the first page that holds it {ROUND}"),
        Column("fingerprint", pa.int64(), "its 64 bits, as in the shingles of `sketches`"),
    ),
    brief=("phrase", "pages", "hosts", "domains", "kind", "example_url"),
)

POPULAR_COLUMN = Column("popular", pa.int64(), f"shingles of the page that are popular; {CIRCLE}")

POPULAR = Table(
    "popular",
    "How many shingles of each page are popular; representatives of duplicate classes only.",
    ("page",),
    (PAGE, URL, POPULAR_COLUMN),
)

COVERS = Table(
    "covers",
    "Pages with many popular shingles, and the few other pages that hold those too.",
    ("page",),
    (
        PAGE,
        URL,
        POPULAR_COLUMN,
        Column("cover", pa.int64(), f"donors: pages that together hold the popular shingles {ROUND}"),
        Column("foreign", pa.int64(), f"popular shingles that donors of other sites hold {ROUND}"),
        Column(
            "donors",
            pa.list_(DONOR),
            f"in order of choice: page, its URL, shingles it is the first to cover {ROUND}, foreign",
        ),
    ),
    brief=("url", "popular", "cover", "foreign", "donors"),
)

SITES = Table(
    "sites",
    "Popular shingles by site; those that look like a farm have a rank.",
    ("-pages", "site"),
    (
        Column("site", pa.string(), "host, domain or IP address, as `--site` says"),
        Column("pages", pa.int64(), "its pages, representatives of duplicate classes only"),
        Column("mean_popular", pa.float64(), f"mean of popular shingles per page; {CIRCLE}"),
        Column("std_popular", pa.float64(), f"their standard deviation {ROUND}"),
        Column(
            "originality",
            pa.float64(),
            "own_grams / grams, added up over its pages (see `originality`); null before quilts ran",
        ),
        Column(
            "rank", pa.int64(), f"by pages, among sites of many popular shingles and small deviation {ROUND}"
        ),
    ),
)
