"""From the crawl to sketches. `RECORDS` and `SKETCHED` are not stored: they flow between the steps."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table

DATE = pa.timestamp("us", tz="UTC")
LINK = pa.struct([pa.field("target_url", pa.string()), pa.field("target_domain", pa.string())])

_IP = Column("ip", pa.string(), "IP address the page was fetched from, if the crawl recorded it")
_STATUS = Column("status", pa.int32(), "HTTP status, if the crawl recorded it")
_DATE = Column("date", DATE, "when the page was fetched, if the crawl recorded it")
_TRUNCATED = Column(
    "truncated",
    pa.string(),
    "why the page is incomplete: `end` if its input ends inside it, else what the crawler noted; mostly null",
)
_INPUT = Column("input", pa.string(), "the input as it was named or expanded")
_OFFSET = Column(
    "offset",
    pa.int64(),
    "where the record begins in its input: byte, line or row, by format; -1 for a rest that cannot be read",
)
_REASON = Column("reason", pa.string(), "why the record is not a page")
_DETAIL = Column("detail", pa.string(), "what exactly was wrong, if known; of a redirect also where it leads")
_TEXT = Column("text", pa.string(), "visible text (docs/reference/text.md)")

RECORDS = Table(
    "records",
    "What readers yield: every record of the inputs, page or not.",
    ("page",),
    (
        PAGE,
        URL,
        _IP,
        _STATUS,
        _DATE,
        Column("content_type", pa.string(), "HTTP Content-Type as sent"),
        Column("html", pa.binary(), "the page's bytes, null for input that has only text"),
        Column("text", pa.string(), "the page's text, for input that has only text"),
        _TRUNCATED,
        _INPUT,
        _OFFSET,
        _REASON,
        _DETAIL,
    ),
)

PAGES = Table(
    "pages",
    "One row a page.",
    ("page",),
    (
        PAGE,
        URL,
        Column("host", pa.string(), "host name of the URL, lower case"),
        Column("domain", pa.string(), "registered domain by the public suffix list, else the host"),
        _IP,
        _STATUS,
        Column("charset", pa.string(), "encoding the bytes were decoded with (null for text input)"),
        Column("lossy", pa.bool_(), "decoding met malformed bytes"),
        Column("html_bytes", pa.int64(), "size of the page's bytes (null for text input)"),
        Column("noise_chars", pa.int64(), "characters of noise that count (null for text input)"),
        Column("words", pa.int64(), "words of the visible text"),
        Column("links", pa.int64(), "distinct link targets (null for text input)"),
        Column("title", pa.string(), "text of the title element"),
        Column(
            "generator",
            pa.string(),
            "what the page says made it: generator metas, joined by `; `, else a comment",
        ),
        _DATE,
        _TRUNCATED,
        _INPUT,
        _OFFSET,
    ),
    brief=("page", "url", "charset", "words", "links", "title"),
)

TEXTS = Table("texts", "The visible text of each page.", ("page",), (PAGE, URL, _TEXT))

LINKS = Table(
    "links",
    "One row for each distinct link target of a page.",
    ("page",),
    (
        PAGE,
        Column("target_url", pa.string(), "absolute URL without fragment"),
        Column("target_domain", pa.string(), "registered domain of the target, else its host"),
    ),
)

SKETCHES = Table(
    "sketches",
    "What is compared instead of whole pages: fingerprints, shingles and digests.",
    ("page",),
    (
        PAGE,
        Column(
            "style",
            pa.binary(),
            "style fingerprint: m 16-bit minima, little-endian, 0 for an empty dimension",
        ),
        Column(
            "structure",
            pa.binary(),
            "structure fingerprint: minima over each four consecutive tags with the names of their "
            "attributes and classes, as in `style`; null if it does not count",
        ),
        Column(
            "shingles",
            pa.binary(),
            "m chosen phrases of the text as a circle: 64-bit fingerprints, little-endian, one for each "
            "function; null without words",
        ),
        Column("skeleton", pa.binary(), "minima over each four consecutive tags: 32 numbers as in `style`"),
        Column("md5", pa.string(), "MD5 of the text as UTF-8, in hex"),
        Column("ssdeep", pa.string(), "ssdeep digest of the text as UTF-8"),
    ),
)

SKIPPED = Table(
    "skipped",
    "One row for each record that is not a page, with the reason.",
    ("page",),
    (PAGE, URL, _REASON, _DETAIL, _INPUT, _OFFSET),
    brief=("page", "url", "reason", "detail"),
)


def _columns(*tables: Table) -> tuple[Column, ...]:
    """The columns of several tables, each once."""
    return tuple({c.name: c for t in tables for c in t.columns}.values())


SKETCHED = Table(
    "sketched",
    "What the sketch pass yields: every record, with all that its page gave.",
    ("page",),
    (
        *_columns(PAGES, TEXTS, SKETCHES, SKIPPED),
        Column("targets", pa.list_(LINK), "the rows of links that belong to this page"),
    ),
)
