"""What the search of quilts reads: texts, sites, dates and copies of a run and those it was made against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.errors import ParamsError
from pagekin.params import QuiltParams
from pagekin.run import Run
from pagekin.sites import apply_server_map
from pagekin.tables import PAGES
from pagekin.tables.crawl import DATE as TIMESTAMP

SITE_COLUMNS = ["page", "url", "host", "domain", "ip"]
COPIES = pa.schema([("page", pa.int64()), ("representative", pa.int64())])
DATED = pa.schema([("page", pa.int64()), ("date", TIMESTAMP)])
DATES = pa.schema([("page", pa.int64()), ("date", pa.int64())])

DATE = "SELECT p.page, coalesce(s.date, p.date) AS date FROM pages p LEFT JOIN said s ON s.url = p.url"


@dataclass(frozen=True)
class Mapped:
    """Pages with the names of a server map as host, domain and IP address."""

    server_map: dict[str, str]
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: apply_server_map(batch, self.server_map)


@dataclass(frozen=True)
class DateNumbers:
    schema: pa.Schema = DATES

    def open(self, threads: int) -> BatchFunction:
        def numbers(batch: Batch) -> Batch:
            return pa.record_batch([batch["page"], pc.cast(batch["date"], pa.int64())], schema=self.schema)

        return numbers


def quilt_inputs(
    run: Run, engine: Engine, params: QuiltParams, server_map: dict[str, str], said: Any
) -> dict[str, Any]:
    """The inputs of `QuiltCoverFlow`, in its order. `said` is the user's file of dates."""
    sites = of_lineage(run, engine, "pages", SITE_COLUMNS)
    if server_map:
        schema = pa.schema([PAGES.schema.field(name) for name in SITE_COLUMNS])
        sites = engine.map(sites, Mapped(server_map, schema))
    dates = engine.table(DATES.empty_table())
    if params.earlier_only:
        pages = of_lineage(run, engine, "pages", ["page", "url", "date"])
        dates = engine.keep(engine.map(engine.sql(DATE, DATED, pages=pages, said=said), DateNumbers()))
    texts = of_lineage(run, engine, "texts", ["page", "text"])
    return {"sites": sites, "dates": dates, "copies": copies(run, engine, params), "texts": texts}


def of_lineage(run: Run, engine: Engine, table: str, columns: list[str]) -> Any:
    """A table of the run and those that it was made against."""
    return engine.concat(*(engine.load(known, table, columns) for known in run.lineage))


def copies(run: Run, engine: Engine, params: QuiltParams) -> Any:
    """The pages that are so much like their representative that they take no part; without figures, all."""
    if params.keep_duplicates:
        return engine.table(COPIES.empty_table())
    alike = f"jaccard IS NULL OR jaccard >= CAST('{params.copies!r}' AS DOUBLE)"
    return classes(run, engine, f"page <> representative AND ({alike})", newest=True)


def classes(run: Run, engine: Engine, where: str, *, newest: bool) -> Any:
    """Pages with their representatives, each once: as the newest run says that lists it, or the oldest."""
    known = [one for one in run.lineage if "duplicates" in one.tables]
    if not known:
        return engine.table(COPIES.empty_table())
    listed = " UNION ALL ".join(
        f"SELECT page, representative, {age} AS age FROM d{age} WHERE {where}" for age in range(len(known))
    )
    way = "DESC" if newest else "ASC"
    query = f"""
        SELECT page, representative
        FROM (
            SELECT page, representative,
                row_number() OVER (PARTITION BY page ORDER BY age {way} NULLS LAST) AS place
            FROM ({listed}) l
        ) r WHERE place = 1
    """
    columns = ["page", "representative", "jaccard"]
    tables = {f"d{age}": engine.load(one, "duplicates", columns) for age, one in enumerate(known)}
    return engine.keep(engine.sql(query, COPIES, **tables))


def check_sites(run: Run, engine: Engine, params: QuiltParams) -> None:
    """Fails when no page has the IP address by which foreign pages are to be told."""
    if params.foreign != "ip":
        return
    pages = engine.load(run, "pages", ["ip"])
    known = engine.sql(
        "SELECT count(ip) AS known FROM pages", pa.schema([("known", pa.int64())]), pages=pages
    )
    # One row, whatever the crawl.
    if not engine.collect(known)["known"][0].as_py():
        raise ParamsError("foreign = ip: the crawl recorded no IP address of any page; take host or domain")
