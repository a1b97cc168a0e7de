"""Exact and fuzzy duplicates: MD5 and ssdeep of the plain text (Figuerola et al. 2011).

    sketches, texts ─flow→ (class, page, exact, score, similarity) ─urls, digests→ fuzzy

The flow between is drawn in `flow.py`.
"""

from __future__ import annotations

from pagekin.detect.fuzzy.flow import SKETCHES, TEXTS, WORDLESS, FuzzyMembers
from pagekin.engines.base import Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.tables import FUZZY


def find_fuzzy(run: Run, engine: Engine, params: Params) -> None:
    """Sketches, texts → members of classes → fuzzy.

    With `scan --against` the digests of the known runs take part, and the rows are those of the new pages and
    of their representatives.
    """
    sketches = engine.concat(*(engine.load(known, "sketches", SKETCHES.names) for known in run.lineage))
    pages = engine.concat(*(engine.load(known, "pages", ["page", "url", "words"]) for known in run.lineage))
    wordless = engine.sql("SELECT page FROM pages WHERE words = 0", WORDLESS, pages=pages)
    inputs = {"wordless": wordless, "sketches": sketches}
    if params.fuzzy.similarity:
        inputs["texts"] = engine.concat(*(engine.load(known, "texts", TEXTS.names) for known in run.lineage))
    members = engine.keep(engine.flow(FuzzyMembers(params.fuzzy, params.shingles), **inputs))
    query = ROWS.format(first=run.first_page, threshold=params.fuzzy.threshold)
    rows = engine.sql(query, FUZZY.schema, members=members, pages=pages, sketches=sketches)
    engine.publish(run, "fuzzy", {FUZZY: rows})


ROWS = """
    SELECT members.label AS class, members.page, own.url,
        CASE WHEN members.exact THEN 'exact' ELSE 'near' END AS kind,
        members.label AS representative, head.url AS representative_url, members.score,
        members.score < {threshold} AS chain, members.similarity, sketches.md5, sketches.ssdeep
    FROM members
    JOIN (SELECT DISTINCT label FROM members WHERE page >= {first}) fresh ON members.label = fresh.label
    LEFT JOIN pages own ON members.page = own.page
    LEFT JOIN pages head ON members.label = head.page
    LEFT JOIN sketches ON members.page = sketches.page
    WHERE members.page >= {first} OR members.page = members.label
"""
"""The members that are new, and the representatives of their classes."""
