"""Popular phrases, the covers of pages made of them, and sites that live off them (Fetterly et al. 2005).

pages, duplicates → pages without copies → sites
sketches, sites → (phrase, function, page) → popular phrases, each with some of its holders
sketches, popular, sites → popular shingles of each page → covers
popular, texts → phrases in words
popular shingles of pages → by site: mean, deviation, rank
"""

from __future__ import annotations

from pagekin.detect.phrases.covers import PhraseCoverFlow
from pagekin.detect.phrases.donors import named_donors
from pagekin.detect.phrases.originality import with_originality
from pagekin.detect.phrases.popular import Popular
from pagekin.detect.phrases.quotes import phrase_rows
from pagekin.detect.phrases.sites import SiteKeys, representatives, site_pages, site_rows
from pagekin.engines.base import Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.tables import COVERS, PHRASES, POPULAR, SITES

PAPERS_PAGES = 150_000_000
"""The paper asked for five pages in collections of this size."""

POPULAR_QUERY = "SELECT c.page, p.url, c.popular FROM covered c LEFT JOIN pages p ON p.page = c.page"
COVER_QUERY = """
    SELECT c.page, p.url, c.popular, c.cover, c.foreign, d.donors
    FROM covered c LEFT JOIN pages p ON p.page = c.page LEFT JOIN donors d ON d.page = c.page
    WHERE c.cover IS NOT NULL
"""


def advised_popular(pages: int) -> int:
    """How many pages should hold a phrase in a corpus of so many: what chance repeats grows with the corpus.

    Examples:
        >>> advised_popular(20_000), advised_popular(600_000_000)
        (5, 20)
    """
    return max(5, -(-5 * pages // PAPERS_PAGES))


def find_phrases(run: Run, engine: Engine, params: Params) -> None:
    """Shingles of representatives → popular phrases → covers → phrases, popular, covers, sites."""
    wanted = params.phrases
    pages = engine.keep(site_pages(run, engine, params))
    where = engine.keep(engine.map(pages, SiteKeys()))
    sketches = representatives(run, engine, "sketches", ["page", "shingles"])
    popular = engine.keep(engine.flow(Popular(wanted), sites=where, sketches=sketches))
    covered = engine.keep(
        engine.flow(PhraseCoverFlow(wanted), sites=where, popular=popular, sketches=sketches)
    )
    texts = engine.load(run, "texts", ["page", "text"])
    sites = site_rows(engine, covered, pages, wanted)
    if "originality" in run.tables:
        grams = engine.load(run, "originality", ["page", "grams", "own_grams"])
        sites = with_originality(run, engine, sites, grams, params)
    engine.publish(
        run,
        "phrases",
        {
            PHRASES: phrase_rows(engine, popular, pages, texts, params.shingles),
            POPULAR: engine.sql(POPULAR_QUERY, POPULAR.schema, covered=covered, pages=pages),
            COVERS: engine.sql(
                COVER_QUERY,
                COVERS.schema,
                covered=covered,
                pages=pages,
                donors=named_donors(engine, covered, pages),
            ),
            SITES: sites,
        },
    )
