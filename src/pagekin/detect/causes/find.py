"""Which URLs and which software make duplicates, and why, as far as URLs tell.

fuzzy, pages, skipped → copies, each with its reason ─┐
pages, style_members ─────────────────────────────────┼→ by site, pattern and cluster → duplicate_rates
                                                      └→ by host and parameter ───────→ url_parameters
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.causes.copies import find_copies
from pagekin.detect.causes.parameters import CONTENTS, find_parameters
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.tables import DUPLICATE_RATES, STYLE_CLUSTERS, STYLE_MEMBERS, URL_PARAMETERS, Table

_COPY = [("kind", pa.string()), ("cause", pa.string()), ("detail", pa.string()), ("of_url", pa.string())]
LABELLED = pa.schema(
    [
        *((name, pa.int64()) for name in ("page", "words", "content", "style")),
        ("url", pa.string()),
        ("domain", pa.string()),
        *_COPY,
    ]
)
PATTERNED = pa.schema([*LABELLED, ("site", pa.string()), ("pattern", pa.string())])
COUNTED = pa.schema(
    [
        ("site", pa.string()),
        ("pattern", pa.string()),
        ("style", pa.int64()),
        ("software", pa.string()),
        *((name, pa.int64()) for name in ("pages", "exact", "near", "caused")),
        *((name, pa.string()) for name in ("cause", "detail", "url", "of_url")),
    ]
)

NO_STYLE = -1
"""Instead of null, which joins would leave out."""

LABEL_QUERY = f"""
    SELECT p.page, p.words, coalesce(c.content, p.page) AS content, coalesce(m.cluster, {NO_STYLE}) AS style,
        p.url, p.domain, c.kind, c.cause, c.detail, c.of_url
    FROM pages p LEFT JOIN copies c ON c.page = p.page LEFT JOIN styles m ON m.page = p.page
"""
COUNT_QUERY = """
    WITH cells AS (
        SELECT site, pattern, style, count(*) AS pages,
            count(CASE WHEN kind = 'exact' THEN 1 END) AS exact,
            count(CASE WHEN kind = 'near' THEN 1 END) AS near
        FROM labelled GROUP BY site, pattern, style
    ), reasons AS (
        SELECT site, pattern, style, cause, detail, count(*) AS caused, min(page) AS example
        FROM labelled WHERE cause IS NOT NULL GROUP BY site, pattern, style, cause, detail
    ), ranked AS (
        SELECT site, pattern, style, cause, detail, caused, example, row_number() OVER (
            PARTITION BY site, pattern, style
            ORDER BY caused DESC NULLS LAST, cause DESC NULLS LAST, detail DESC NULLS LAST
        ) AS place
        FROM reasons
    )
    SELECT c.site, c.pattern, c.style, s.name AS software, c.pages, c.exact, c.near,
        coalesce(r.caused, 0) AS caused, r.cause, r.detail, e.url, e.of_url
    FROM cells c
    LEFT JOIN ranked r ON r.site = c.site AND r.pattern = c.pattern AND r.style = c.style AND r.place = 1
    LEFT JOIN labelled e ON e.page = r.example
    LEFT JOIN clusters s ON s.cluster = c.style
"""
CONTENTS_QUERY = "SELECT url, content FROM labelled WHERE words > 0"


@dataclass(frozen=True)
class Patterns:
    """Adds site and pattern of each page (crates/core/src/causes/parameters.rs)."""

    schema: pa.Schema = PATTERNED

    def open(self, threads: int) -> BatchFunction:
        def patterned(batch: Batch) -> Batch:
            found = _core.url_patterns(batch)
            return pa.RecordBatch.from_arrays([*batch.columns, *found.columns], schema=PATTERNED)

        return patterned


@dataclass(frozen=True)
class Rates:
    schema: pa.Schema = DUPLICATE_RATES.schema

    def open(self, threads: int) -> BatchFunction:
        def rates(batch: Batch) -> Batch:
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            style, detail, pages = (columns[name] for name in ("style", "detail", "pages"))
            duplicates = pc.add(columns["exact"], columns["near"])
            columns |= {
                "cluster": pc.if_else(pc.equal(style, NO_STYLE), None, style),
                "duplicates": duplicates,
                "rate": pc.divide(duplicates.cast(pa.float64()), pages.cast(pa.float64())),
                "detail": pc.if_else(pc.equal(detail, ""), None, detail),
            }
            return pa.RecordBatch.from_arrays([columns[n] for n in self.schema.names], schema=self.schema)

        return rates


def find_causes(run: Run, engine: Engine, params: Params) -> None:
    """Fuzzy, pages, skipped, style_members, style_clusters → duplicate_rates, url_parameters."""
    labelled = engine.sql(
        LABEL_QUERY,
        LABELLED,
        pages=engine.load(run, "pages", ["page", "url", "domain", "words"]),
        copies=find_copies(run, engine),
        styles=_if_there(run, engine, STYLE_MEMBERS, ["page", "cluster"]),
    )
    patterned = engine.keep(engine.map(labelled, Patterns()))
    clusters = _if_there(run, engine, STYLE_CLUSTERS, ["cluster", "name"])
    counted = engine.sql(COUNT_QUERY, COUNTED, labelled=patterned, clusters=clusters)
    contents = engine.sql(CONTENTS_QUERY, CONTENTS, labelled=patterned)
    tables = {
        DUPLICATE_RATES: engine.map(counted, Rates()),
        URL_PARAMETERS: find_parameters(engine, contents),
    }
    engine.publish(run, "causes", tables)


def _if_there(run: Run, engine: Engine, table: Table, columns: list[str]) -> Any:
    """A table of an optional detector; without rows if that did not run."""
    if table.name in run.tables:
        return engine.load(run, table.name, columns)
    return engine.table(pa.schema([table.schema.field(name) for name in columns]).empty_table())
