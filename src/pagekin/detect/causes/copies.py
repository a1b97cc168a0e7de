"""Every page that is not the first of its class, with the reason that its URL gives.

    fuzzy, pages → members → the first LOOK_BACK of each class ─┐
    redirects ──────────────────────────────────────────────────┴→ by class and chunk: copies

A class of very many pages is cut into chunks. The pages that others are compared with go to each of them, so
no place holds the URLs of a whole class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.causes.redirects import redirected
from pagekin.detect.native import NativeKernel
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run

LOOK_BACK = 50
"""Pages of a class with which its later pages' URLs are compared: the first so many."""

CHUNK = 4096
"""About so many pages of a class are in one chunk."""

_TEXTS = [(name, pa.string()) for name in ("url", "kind", "domain", "ip")]
LISTED = pa.schema([("class_", pa.int64()), ("page", pa.int64()), *_TEXTS, ("chunk", pa.int64())])
MEMBERS = LISTED.append(pa.field("key", pa.int64()))
COMPARED = pa.schema(
    [
        *((name, pa.int64()) for name in ("key", "class_", "compared", "page")),
        *_TEXTS,
        ("redirect", pa.int64()),
    ]
)
COPIES = pa.schema(
    [
        ("page", pa.int64()),
        ("kind", pa.string()),
        ("content", pa.int64()),
        ("cause", pa.string()),
        ("detail", pa.string()),
        ("of_url", pa.string()),
    ]
)

# Page ids of a class may lie at regular distances: prime numbers scatter them over the chunks.
LISTED_QUERY = f"""
    WITH sizes AS (SELECT class, count(*) AS members FROM fuzzy GROUP BY class)
    SELECT f.class AS class_, f.page, f.url, f.kind, p.domain, p.ip,
        ((((f.page % 1000003) * 7919) % 65537)
            % CAST(1 + (s.members - s.members % {CHUNK}) / {CHUNK} AS BIGINT)) AS chunk
    FROM fuzzy f JOIN sizes s ON s.class = f.class LEFT JOIN sites p ON p.page = f.page
"""
# Two chunks may share a key: the kernel tells classes apart.
COMPARED_QUERY = """
    SELECT m.class_ + m.chunk * 1000003 AS key, m.class_, CAST(1 AS BIGINT) AS compared, m.page,
        m.url, m.kind, m.domain, m.ip, j.redirect
    FROM members m LEFT JOIN joined j ON j.page = m.page
    UNION ALL
    SELECT e.class_ + c.chunk * 1000003 AS key, e.class_, CAST(0 AS BIGINT) AS compared, e.page,
        e.url, e.kind, e.domain, e.ip, CAST(NULL AS BIGINT) AS redirect
    FROM earlier e JOIN (SELECT DISTINCT class_, chunk FROM members) c ON c.class_ = e.class_
"""


@dataclass(frozen=True)
class UrlKeys:
    """Adds what redirects know each URL by."""

    schema: pa.Schema = MEMBERS

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: batch.append_column("key", _core.url_keys(batch.column("url")))


@dataclass(frozen=True)
class FirstOfClass:
    max_rows: int
    schema: pa.Schema = MEMBERS

    def open(self, threads: int) -> BatchFunction:
        def first(batch: Batch) -> Batch:
            return batch.filter(_core.first_of_groups(batch.column("class_"), self.max_rows))

        return first


def find_copies(run: Run, engine: Engine) -> Any:
    """Fuzzy, pages, skipped → copies."""
    fuzzy = engine.load(run, "fuzzy", ["class", "page", "url", "kind"])
    sites = engine.concat(*(engine.load(known, "pages", ["page", "domain", "ip"]) for known in run.lineage))
    listed = engine.sql(LISTED_QUERY, LISTED, fuzzy=fuzzy, sites=sites)
    members = engine.keep(engine.map(listed, UrlKeys()))
    first = FirstOfClass(LOOK_BACK)
    earlier = engine.keep(engine.exchange(members, "class_", first, order=("page",), combine=first))
    joined = redirected(run, engine, members, earlier)
    rows = engine.sql(COMPARED_QUERY, COMPARED, members=members, earlier=earlier, joined=joined)
    return engine.exchange(
        rows, "key", NativeKernel("copy_reasons", COPIES), order=("class_", "compared", "page")
    )
