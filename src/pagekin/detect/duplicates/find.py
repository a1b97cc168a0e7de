"""Duplicate classes: pages that are exact or near copies of each other (Fetterly et al. 2005).

    sketches, texts ─flow→ (class, page, exact, jaccard) ─urls of both pages→ duplicates

The flow between is drawn in `flow.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from pagekin.detect.duplicates.banding import Banding, choose_banding
from pagekin.detect.duplicates.flow import SKETCHES, TEXTS, DuplicateMembers
from pagekin.detect.sketch import shingler
from pagekin.engines.base import EDGES, BatchFunction, Engine
from pagekin.params import Params, ShingleParams
from pagekin.run import Run
from pagekin.tables import DUPLICATES

URLS = ["page", "url"]


@dataclass(frozen=True)
class Shingle:
    """Shingles of another number of functions than the sketches have, from the texts."""

    params: ShingleParams
    schema: pa.Schema = SKETCHES

    def open(self, threads: int) -> BatchFunction:
        kernel = shingler(self.params)
        return lambda texts: kernel.shingles_of(texts, threads, digests=True).select(SKETCHES.names)


def find_duplicates(run: Run, engine: Engine, params: Params) -> None:
    """Sketches, texts → members of classes → duplicates.

    With `scan --against` the pages of the known runs take part, and the rows are those of the new pages and
    of their representatives.
    """
    wanted = params.duplicates
    banding = Banding(wanted.bands, wanted.length)
    if wanted.similarity:
        banding = choose_banding(wanted.similarity, params.shingles.m)
        engine.metrics.update(bands=banding.bands, length=banding.rows, recall=round(banding.recall, 6))
    texts = engine.concat(*(engine.load(old, "texts", TEXTS.names) for old in run.lineage))
    if banding.functions <= params.shingles.m:
        sketches = engine.concat(*(engine.load(old, "sketches", SKETCHES.names) for old in run.lineage))
    else:
        sketches = engine.map(texts, Shingle(replace(params.shingles, m=banding.functions)))
    flow = DuplicateMembers(banding, run.first_page, params.shingles, wanted.wrap)
    inputs = {"known": known_classes(run, engine), "sketches": sketches}
    if wanted.similarity or not wanted.unchecked:
        inputs["texts"] = texts
    members = engine.keep(engine.flow(flow, **inputs))
    pages = engine.concat(*(engine.load(old, "pages", URLS) for old in run.lineage))
    rows = engine.sql(ROWS, DUPLICATES.schema, members=members, pages=pages)
    engine.publish(run, "duplicates", {DUPLICATES: rows})


def known_classes(run: Run, engine: Engine) -> Any:
    """Edges from the pages of earlier runs to the first of their class."""
    none = engine.table(EDGES.empty_table())
    tables = (
        engine.load(old, "duplicates", ["page", "class"])
        for old in run.lineage[:-1]
        if "duplicates" in old.tables
    )
    query = "SELECT page, class AS other FROM classes WHERE page <> class"
    return engine.concat(none, *(engine.sql(query, EDGES, classes=table) for table in tables))


# A representative is a member too. So one join with all pages is enough for both URLs.
ROWS = """
    WITH named AS (SELECT members.*, pages.url FROM members LEFT JOIN pages ON members.page = pages.page)
    SELECT named.label AS class, named.page, named.url,
        CASE WHEN named.exact THEN 'exact' ELSE 'near' END AS kind,
        named.label AS representative, heads.url AS representative_url, named.jaccard
    FROM named LEFT JOIN named heads ON named.label = heads.page
"""
