"""Sites: which pages belong to each, and how many popular phrases those have.

pages without copies → sites ─┐
popular shingles of pages ────┴→ by site: integer sums → mean and deviation → rank
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.phrases.popular import SITES as SITE_KEYS
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.params import Params, PhraseParams
from pagekin.run import Run
from pagekin.sites import read_server_map, server_names
from pagekin.tables import DUPLICATES, PAGES, SITES, TABLES

_READ = ["page", "url", "host", "domain", "ip"]
SITE_PAGES = pa.schema([PAGES.schema.field(name) for name in _READ]).append(pa.field("server", pa.string()))
SUMS = pa.schema([("site", pa.string()), *((name, pa.int64()) for name in ("pages", "total", "squares"))])
MEANS = pa.schema(
    [
        ("site", pa.string()),
        ("pages", pa.int64()),
        ("mean_popular", pa.float64()),
        ("std_popular", pa.float64()),
        ("listed", pa.int64()),
    ]
)

SUM_QUERY = """
    SELECT p.{site} AS site, count(*) AS pages, CAST(sum(c.popular) AS BIGINT) AS total,
        CAST(sum(c.popular * c.popular) AS BIGINT) AS squares
    FROM covered c JOIN pages p ON p.page = c.page WHERE p.{site} IS NOT NULL GROUP BY p.{site}
"""
RANK_QUERY = """
    SELECT m.site, m.pages, m.mean_popular, m.std_popular, CAST(NULL AS DOUBLE) AS originality,
        r.place AS rank
    FROM means m LEFT JOIN (
        SELECT site, row_number() OVER (ORDER BY pages DESC NULLS LAST, site ASC NULLS LAST) AS place
        FROM means WHERE listed = 1
    ) r ON r.site = m.site
"""


@dataclass(frozen=True)
class Servers:
    """Adds the server that each page belongs to: its domain, or what the user's map says."""

    server_map: dict[str, str]
    schema: pa.Schema = SITE_PAGES

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: batch.append_column("server", server_names(batch, self.server_map))


@dataclass(frozen=True)
class SiteKeys:
    """What stands for host, server and IP address of each page."""

    schema: pa.Schema = SITE_KEYS

    def open(self, threads: int) -> BatchFunction:
        def keys(batch: Batch) -> Batch:
            names = [_core.name_keys(batch.column(name)) for name in ("host", "server", "ip")]
            return pa.RecordBatch.from_arrays([batch.column("page"), *names], schema=SITE_KEYS)

        return keys


@dataclass(frozen=True)
class Means:
    """Mean and deviation from integer sums, and whether the paper's rule lists the site."""

    params: PhraseParams
    schema: pa.Schema = MEANS

    def open(self, threads: int) -> BatchFunction:
        def means(batch: Batch) -> Batch:
            n, total, squares = (batch.column(name) for name in ("pages", "total", "squares"))
            spread = pc.subtract(pc.multiply(n, squares), pc.multiply(total, total))
            pages = n.cast(pa.float64())
            mean = pc.divide(total.cast(pa.float64()), pages)
            deviation = pc.divide(pc.sqrt(spread.cast(pa.float64())), pages)
            many = pc.greater_equal(n, self.params.site_pages)
            full = pc.greater_equal(mean, self.params.site_mean)
            even = pc.less(deviation, self.params.site_deviation)
            listed = pc.and_(pc.and_(many, full), even).cast(pa.int64())
            return pa.RecordBatch.from_arrays(
                [batch.column("site"), n, mean, deviation, listed], schema=MEANS
            )

        return means


def representatives(run: Run, engine: Engine, table: str, columns: list[str]) -> Any:
    """The rows of a table for one page of each duplicate class and all other pages."""
    data = engine.load(run, table, columns)
    if DUPLICATES.name not in run.tables:
        return data
    query = f"""
        SELECT {", ".join(f"t.{name}" for name in columns)} FROM data t WHERE NOT EXISTS (
            SELECT 1 FROM copies c WHERE c.page = t.page AND c.page <> c.representative
        )
    """
    schema = pa.schema([TABLES[table].schema.field(name) for name in columns])
    return engine.sql(
        query, schema, data=data, copies=engine.load(run, "duplicates", ["page", "representative"])
    )


def site_pages(run: Run, engine: Engine, params: Params) -> Any:
    """Pages that are no copies of another, with the server that each belongs to."""
    return engine.map(
        representatives(run, engine, "pages", _READ), Servers(read_server_map(params.servers.map))
    )


def site_rows(engine: Engine, covered: Any, pages: Any, params: PhraseParams) -> Any:
    """Mean and deviation by site, and the ranking that found the paper's farm."""
    site = {"host": "host", "domain": "server", "ip": "ip"}[params.site]
    sums = engine.sql(SUM_QUERY.format(site=site), SUMS, covered=covered, pages=pages)
    return engine.sql(RANK_QUERY, SITES.schema, means=engine.keep(engine.map(sums, Means(params))))
