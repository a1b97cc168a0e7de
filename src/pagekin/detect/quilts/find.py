"""Quilts: pages made of other pages' text, and their sources (Najork 2012).

    texts, sites, dates, copies ─cover→ covered pages ─┬→ originality ─sum→ sites
                                                       ├→ sources, links ─join→ quilt_sources ─sum→ quilts
                                                       └→ holders ─join→ all_sources

`flow.py` has the flow behind `cover`, `attribution.py` the joins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from pagekin.detect.phrases.originality import with_originality
from pagekin.detect.quilts.attribution import all_sources, attribute, named_pages
from pagekin.detect.quilts.dates import read_dates
from pagekin.detect.quilts.flow import QuiltCoverFlow
from pagekin.detect.quilts.inputs import check_sites, quilt_inputs
from pagekin.detect.quilts.rows import Fractions, Listed, Quilts
from pagekin.detect.quilts.verify import verify
from pagekin.engines.base import Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.sites import read_server_map
from pagekin.tables import ALL_SOURCES, ORIGINALITY, QUILT_SOURCES, QUILTS, SITES

COUNTED = ("pairs", "spilled_pairs", "shared_pairs", "shared_grams", "verified")
"""Figures that the flow leaves among the engine's."""

OWN = "SELECT c.page, p.url, c.grams, c.own_grams FROM covered c JOIN pages p ON p.page = c.page"
OWN_ROWS = pa.schema([field for field in ORIGINALITY.schema if field.name != "originality"])


def find_quilts(run: Run, engine: Engine, params: Params) -> None:
    """Texts → grams → patches → covers → quilts, quilt_sources, all_sources, originality.

    With `scan --against` the texts of the known runs take part, and the rows are those of the new pages.
    """
    wanted = params.quilts
    check_sites(run, engine, wanted)
    server_map = read_server_map(params.servers.map)
    # As long as people make files.
    said = engine.table(read_dates(wanted.dates))
    inputs = quilt_inputs(run, engine, wanted, server_map, said)
    index = str(gram_index_path(run)) if wanted.keep_grams else ""
    covered = engine.keep(engine.flow(QuiltCoverFlow(wanted, run.first_page, index), **inputs))
    if wanted.verify:
        engine.metrics["verified"] = verify(engine, inputs["texts"], wanted)
    pages = named_pages(run, engine, server_map, said)
    quilts = engine.keep(engine.map(covered, Quilts()))
    listed = engine.map(covered, Listed("sources"))
    classes = not wanted.keep_duplicates
    sources, completed = attribute(run, engine, listed, quilts, pages, server_map, classes)
    sources = engine.keep(sources)
    everyone = all_sources(engine, engine.map(covered, Listed("holders")), sources, pages)
    own = engine.keep(originality(engine, covered, pages))
    tables = {QUILTS: completed, QUILT_SOURCES: sources, ALL_SOURCES: everyone, ORIGINALITY: own}
    if run.is_done("phrases"):  # they left the column `originality` empty
        # A stopped attempt may have left no `sites` in place; what it staged is complete.
        staged = run.is_staged("quilts")
        sites = engine.table(SITES.schema.empty_table()) if staged else engine.load(run, SITES.name)
        tables[SITES] = with_originality(run, engine, sites, own, params)
    engine.publish(run, "quilts", tables)
    if counted := gram_metrics(engine):  # else a stopped attempt had counted
        run.update(quilts=counted)


def gram_metrics(engine: Engine) -> dict[str, Any]:
    """What was counted, and how many pairs of different grams one expects to have the same 64-bit hash."""
    found = {name: engine.metrics.pop(name) for name in COUNTED if name in engine.metrics}
    if "pairs" not in found:
        return found
    distinct = found["pairs"] - found["shared_pairs"] + found["shared_grams"]
    return found | {"expected_collisions": float(distinct) * float(distinct) / 2.0**65}


def gram_index_path(run: Run) -> Path:
    """Where a run keeps the index of all its grams, if it does."""
    return run.path / "grams.index"


def originality(engine: Engine, covered: Any, pages: Any) -> Any:
    """How much of each page is its own."""
    rows = engine.sql(OWN, OWN_ROWS, covered=covered, pages=pages)
    return engine.map(rows, Fractions((("originality", "own_grams", "grams"),), ORIGINALITY.schema))
