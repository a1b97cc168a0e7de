"""How much of the text of each site is its own: from the counts of its pages, added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.sites import read_server_map, server_names
from pagekin.tables import SITES

SITED = pa.schema([("page", pa.int64()), ("site", pa.string())])
SUMS = pa.schema(
    [field for field in SITES.schema if field.name != "originality"]
    + [("grams", pa.int64()), ("own_grams", pa.int64())]
)

# Copies of other pages are left out, as they are from everything in `sites`.
ADD_UP = """
    SELECT t.site, t.pages, t.mean_popular, t.std_popular, t.rank, s.grams, s.own_grams
    FROM sites t LEFT JOIN (
        SELECT p.site, CAST(sum(o.grams) AS BIGINT) AS grams, CAST(sum(o.own_grams) AS BIGINT) AS own_grams
        FROM pages p JOIN originality o ON o.page = p.page
        WHERE p.site IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM duplicates d WHERE d.page = p.page AND d.page <> d.representative
        )
        GROUP BY p.site
    ) s ON s.site = t.site
"""


@dataclass(frozen=True)
class Sited:
    """Pages with their site: host, IP address, or the server that the map names."""

    site: str
    server_map: dict[str, str]
    schema: pa.Schema = SITED

    def open(self, threads: int) -> BatchFunction:
        def sited(batch: Batch) -> Batch:
            by_server = self.site == "domain"
            site = server_names(batch, self.server_map) if by_server else batch[self.site]
            return pa.record_batch([batch["page"], site], schema=self.schema)

        return sited


@dataclass(frozen=True)
class Shares:
    """The rows of `sites`, from their sums."""

    schema: pa.Schema = SITES.schema

    def open(self, threads: int) -> BatchFunction:
        def shares(batch: Batch) -> Batch:
            grams = pc.if_else(pc.equal(batch["grams"], 0), None, batch["grams"])
            share = pc.divide(batch["own_grams"].cast(pa.float64()), grams.cast(pa.float64()))
            columns = [share if name == "originality" else batch[name] for name in self.schema.names]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return shares


def with_originality(run: Run, engine: Engine, sites: Any, grams: Any, params: Params) -> Any:
    """The table `sites` with the share of each site's grams that no other page has.

    `grams` has the counts of its pages (`page`, `grams`, `own_grams`). A gram on two pages of a site counts
    twice.
    """
    pages = engine.load(run, "pages", ["page", "host", "domain", "ip"])
    sited = engine.map(pages, Sited(params.phrases.site, read_server_map(params.servers.map)))
    if "duplicates" in run.tables:
        copies = engine.load(run, "duplicates", ["page", "representative"])
    else:
        copies = engine.table(pa.schema([("page", pa.int64()), ("representative", pa.int64())]).empty_table())
    rows = engine.sql(ADD_UP, SUMS, sites=sites, pages=sited, originality=grams, duplicates=copies)
    return engine.map(rows, Shares())
