"""What other tables know of quilts and their sources: URLs, links, dates.

sources, pages, duplicates ─→ asked: is the quilt's class of this source linked to?
links of quilts ─→ pages and sites that they link to ─join→ quilt_sources ─sum→ quilts
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.quilts.inputs import COPIES, of_lineage
from pagekin.detect.quilts.inputs import classes as duplicate_classes
from pagekin.detect.quilts.rows import Fractions
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run
from pagekin.sites import server_names
from pagekin.tables import ALL_SOURCES, LINKS, PAGES, QUILT_SOURCES, QUILTS
from pagekin.tables.crawl import DATE

NAMED = pa.schema(
    [
        ("page", pa.int64()),
        ("url", pa.string()),
        ("server", pa.string()),
        ("date", DATE),
        ("links", pa.int64()),
    ]
)
READ = pa.schema([PAGES.schema.field(name) for name in ("page", "url", "host", "domain", "date", "links")])
ASKED = pa.schema(
    [(name, pa.int64()) for name in ("page", "source", "rank", "new_grams", "shared_grams", "patch_grams")]
    + [("foreign", pa.bool_()), ("url", pa.string()), ("source_url", pa.string())]
    + [("own", pa.string()), ("links", pa.int64()), ("first", pa.string()), ("kin", pa.int64())]
)
LINKED = pa.schema([("page", pa.int64()), ("target_url", pa.string()), ("server", pa.string())])
PAIR = pa.schema([("page", pa.int64()), ("source", pa.int64())])

WITH_DATES = """
    SELECT p.page, p.url, p.host, p.domain, coalesce(s.date, p.date) AS date, p.links
    FROM pages p LEFT JOIN said s ON s.url = p.url
"""

# A hint and no more: a crawler may meet the copy before the original.
FIRST = "CASE WHEN o.date < q.date THEN 'source' WHEN o.date > q.date THEN 'quilt' END"

ASK = f"""
    SELECT s.page, s.source, s.rank, s.new_grams, s.shared_grams, s.patch_grams, s.foreign,
        q.url, o.url AS source_url, q.server AS own, q.links, {FIRST} AS first,
        coalesce(c.representative, s.source) AS kin
    FROM sources s JOIN pages q ON q.page = s.page JOIN pages o ON o.page = s.source
    LEFT JOIN classes c ON c.page = s.source
"""

LINKS_OF_QUILTS = """
    SELECT DISTINCT l.page, l.target_url, l.target_domain
    FROM links l JOIN quilts q ON q.page = l.page
"""

# By URL: the quilt links to a page of the source's class. By site: to the site of one, if it is not its own.
ATTRIBUTE = """
    WITH kin AS (
        SELECT coalesce(c.representative, p.page) AS kin, p.url, p.server
        FROM pages p LEFT JOIN classes c ON c.page = p.page
        JOIN (SELECT DISTINCT kin FROM asked) w ON w.kin = coalesce(c.representative, p.page)
    )
    SELECT a.page, a.source
    FROM asked a JOIN (
        SELECT DISTINCT l.page, k.kin FROM linked l JOIN kin k ON k.url = l.target_url
    ) t ON t.page = a.page AND t.kin = a.kin
    UNION
    SELECT a.page, a.source
    FROM asked a
    JOIN (SELECT DISTINCT page, server FROM linked) l ON l.page = a.page
    JOIN (SELECT DISTINCT kin, server FROM kin) k ON k.kin = a.kin AND k.server = l.server
    WHERE a.own IS NULL OR a.own <> k.server
"""

# Text input has no links to look at.
SOURCES = """
    SELECT a.page, a.url, a.source, a.source_url, a.rank, a.new_grams, a.shared_grams, a.patch_grams,
        a.foreign, CASE WHEN a.links IS NULL THEN NULL ELSE t.page IS NOT NULL END AS attributed, a.first
    FROM asked a LEFT JOIN attributed t ON t.page = a.page AND t.source = a.source
"""
SOURCE_ROWS = pa.schema(
    [field for field in QUILT_SOURCES.schema if field.name != "share"] + [pa.field("patch_grams", pa.int64())]
)

ADD_UP = """
    SELECT q.page, p.url, q.grams, q.covered_grams, q.patch_grams, q.sources, q.uncovered,
        coalesce(s.foreign_sources, 0) AS foreign_sources, s.new_grams, s.named_grams
    FROM quilts q JOIN pages p ON p.page = q.page
    LEFT JOIN (
        SELECT r.page, CAST(sum(CASE WHEN r.foreign THEN 1 ELSE 0 END) AS BIGINT) AS foreign_sources,
            CAST(sum(r.new_grams) AS BIGINT) AS new_grams,
            CAST(sum(CASE WHEN r.attributed THEN r.new_grams WHEN NOT r.attributed THEN 0 END) AS BIGINT)
                AS named_grams
        FROM sources r GROUP BY r.page
    ) s ON s.page = q.page
"""
FRACTIONS = (
    ("covered_fraction", "covered_grams", "grams"),
    ("patch_fraction", "patch_grams", "grams"),
    ("attributed_share", "named_grams", "new_grams"),
)
QUILT_ROWS = pa.schema(
    [field for field in QUILTS.schema if field.name not in {name for name, _, _ in FRACTIONS}]
    + [("new_grams", pa.int64()), ("named_grams", pa.int64())]
)

EVERYONE = """
    SELECT h.page, q.url, h.source, o.url AS source_url, h.rank, h.shared_grams, h.grams,
        s.rank AS cover_rank, h.foreign, o.date
    FROM holders h JOIN pages q ON q.page = h.page JOIN pages o ON o.page = h.source
    LEFT JOIN sources s ON s.page = h.page AND s.source = h.source
"""
HOLDER_ROWS = pa.schema(
    [field for field in ALL_SOURCES.schema if field.name != "shared_fraction"] + [("grams", pa.int64())]
)


@dataclass(frozen=True)
class Named:
    """Pages with the site that each belongs to."""

    server_map: dict[str, str]
    schema: pa.Schema = NAMED

    def open(self, threads: int) -> BatchFunction:
        def named(batch: Batch) -> Batch:
            columns = {name: batch[name] for name in ("page", "url", "date", "links")}
            columns["server"] = server_names(batch, self.server_map)
            return pa.record_batch([columns[name] for name in self.schema.names], schema=self.schema)

        return named


@dataclass(frozen=True)
class Targets:
    """Links with the site that each leads to."""

    server_map: dict[str, str]
    schema: pa.Schema = LINKED

    def open(self, threads: int) -> BatchFunction:
        def targets(batch: Batch) -> Batch:
            server = batch["target_domain"]
            if self.server_map:
                host = pa.array([_core.host(url) for url in batch["target_url"].to_pylist()], pa.string())
                sites = pa.record_batch({"host": host, "domain": server})
                server = server_names(sites, self.server_map)
            return pa.record_batch([batch["page"], batch["target_url"], server], schema=self.schema)

        return targets


def named_pages(run: Run, engine: Engine, server_map: dict[str, str], said: Any) -> Any:
    """The pages of a run and those it was made against, with their sites; dates in `said` count more."""
    pages = of_lineage(run, engine, "pages", READ.names)
    dated = engine.sql(WITH_DATES, READ, pages=pages, said=said)
    return engine.keep(engine.map(dated, Named(server_map)))


def attribute(
    run: Run, engine: Engine, sources: Any, quilts: Any, pages: Any, server_map: dict[str, str], classes: bool
) -> tuple[Any, Any]:
    """The tables `quilt_sources` and `quilts`. The quilts are pages of this run.

    With `classes` a source stands for its duplicate class: a link to a copy of it is a link to it.
    """
    no_classes = engine.table(COPIES.empty_table())
    kin = duplicate_classes(run, engine, "page IS NOT NULL", newest=False) if classes else no_classes
    asked = engine.keep(engine.sql(ASK, ASKED, sources=sources, pages=pages, classes=kin))
    links = engine.load(run, "links", LINKS.names)
    linked = engine.sql(LINKS_OF_QUILTS, LINKS.schema, links=links, quilts=quilts)
    linked = engine.keep(engine.map(linked, Targets(server_map)))
    attributed = engine.sql(ATTRIBUTE, PAIR, asked=asked, linked=linked, pages=pages, classes=kin)
    rows = engine.keep(engine.sql(SOURCES, SOURCE_ROWS, asked=asked, attributed=attributed))
    shares = Fractions((("share", "new_grams", "patch_grams"),), QUILT_SOURCES.schema)
    sums = engine.sql(ADD_UP, QUILT_ROWS, quilts=quilts, pages=pages, sources=rows)
    return engine.map(rows, shares), engine.map(sums, Fractions(FRACTIONS, QUILTS.schema))


def all_sources(engine: Engine, holders: Any, sources: Any, pages: Any) -> Any:
    """The table: every page that shares enough. The parent of a text is often hidden behind its copies."""
    rows = engine.sql(EVERYONE, HOLDER_ROWS, holders=holders, sources=sources, pages=pages)
    return engine.map(rows, Fractions((("shared_fraction", "shared_grams", "grams"),), ALL_SOURCES.schema))
