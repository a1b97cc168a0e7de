"""From texts to covered pages, in two ways that give the same rows.

    texts, copies ─→ (gram, page) ─by gram→ ┬ counts of pages ─sum→ pages that may be quilts ──────────┐
                                            └ postings of patch grams ─join→ holders of these pages ───┤
    sites, dates, copies ─→ members ─by class→ the few that decide ─join→ holders that may be sources ─┤
                                                                                     covers ←─by page ─┘

A gram that more than m pages of a batch hold travels as one row (crates/core/src/quilts/gram_rows.rs), and a
class of whatever size as the few members of which one is named (class_members.rs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.native import NativeKernel
from pagekin.detect.quilts.rows import (
    ALLOWED,
    ASKED,
    COUNTS,
    COVER,
    COVERED,
    GRAMS,
    HELD,
    LISTS,
    MARKED,
    MEMBERS,
    PAIRS,
    PATCHES,
    SITES,
    Candidates,
    Others,
    Padded,
)
from pagekin.engines.base import Batch, Engine, Resources
from pagekin.errors import ParamsError
from pagekin.fs import TEMP_SUFFIX
from pagekin.params import QuiltParams

TOTALS = pa.schema([(name, pa.int64()) for name in ("pairs", "shared_pairs", "shared_grams")])

MARK = """
    SELECT t.page, t.text, c.page IS NOT NULL AS copy
    FROM texts t LEFT JOIN copies c ON c.page = t.page
"""

COUNT = """
    SELECT t.page, coalesce(s.grams, 0) AS grams, coalesce(s.shared, 0) AS shared,
        coalesce(s.patch, 0) AS patch, c.page IS NOT NULL AS copy
    FROM texts t LEFT JOIN copies c ON c.page = t.page
    LEFT JOIN (
        SELECT page, CAST(sum(grams) AS BIGINT) AS grams, CAST(sum(shared) AS BIGINT) AS shared,
            CAST(sum(patch) AS BIGINT) AS patch
        FROM patches WHERE page IS NOT NULL GROUP BY page
    ) s ON s.page = t.page
    WHERE t.page >= {first}
"""

TOTAL = """
    SELECT CAST(coalesce(sum(CASE WHEN page IS NOT NULL THEN grams ELSE 0 END), 0) AS BIGINT) AS pairs,
        CAST(coalesce(sum(CASE WHEN page IS NOT NULL THEN shared ELSE 0 END), 0) AS BIGINT) AS shared_pairs,
        CAST(coalesce(sum(CASE WHEN page IS NULL THEN shared ELSE 0 END), 0) AS BIGINT) AS shared_grams
    FROM patches
"""

HOLDERS = """
    SELECT h.page, l.holders, l.grams
    FROM held h JOIN wanted w ON w.page = h.page JOIN patches l ON l.posting = h.posting
"""

CLASSES = """
    SELECT coalesce(c.representative, s.page) AS holder, s.page AS member, s.host, s.domain, s.ip, d.date
    FROM sites s LEFT JOIN copies c ON c.page = s.page LEFT JOIN dates d ON d.page = s.page
"""

ASK = """
    SELECT a.page, a.holder, m.member, m.host, m.domain, m.ip, m.date,
        s.host AS page_host, s.domain AS page_domain, s.ip AS page_ip, d.date AS page_date
    FROM (SELECT DISTINCT page, holder FROM pairs) a
    JOIN members m ON m.holder = a.holder JOIN sites s ON s.page = a.page
    LEFT JOIN dates d ON d.page = a.page
"""


@dataclass(frozen=True)
class QuiltCoverFlow:
    """Texts, sites, dates and copies to one row for each page of the run.

    Inputs: `sites` (page, url, host, domain, ip), `dates` (page, date; none if dates do not matter), `copies`
    (page, representative; a page once), `texts` (page, text).
    """

    params: QuiltParams
    first: int = 0
    """Pages before this one are of earlier runs: they may be sources, and have no rows."""
    index: str = ""
    """Where to keep an index of all grams; only `whole` can."""
    schema: pa.Schema = COVERED

    def held_bytes(self, size: int) -> int:
        # Counts, site and class of each page. An index comes of `whole` alone, however much that holds.
        return 0 if self.index else size // 32

    def whole(self, resources: Resources) -> QuiltReducer:
        return QuiltReducer(self, resources)

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        if self.index:
            raise ParamsError("--keep-grams needs --engine local: only that engine writes grams.index")
        copies, texts = inputs["copies"], inputs["texts"]
        patches = engine.keep(self._patches(engine, texts, copies))
        # One row, whatever the crawl.
        engine.metrics.update(engine.collect(engine.sql(TOTAL, TOTALS, patches=patches)).to_pylist()[0])
        count = COUNT.format(first=self.first)
        counts = engine.keep(engine.sql(count, COUNTS, texts=texts, copies=copies, patches=patches))
        c, theta = self.params.c, self.params.theta
        wanted = engine.keep(engine.map(counts, Candidates(c, theta)))
        held = engine.map(patches, NativeKernel("posting_pages", HELD, growth=4))
        lists = engine.keep(engine.sql(HOLDERS, LISTS, held=held, wanted=wanted, patches=patches))
        allowed = self._allowed(engine, lists, inputs["sites"], inputs["dates"], copies)
        rows = engine.concat(*(engine.map(part, Padded(COVER)) for part in (wanted, lists, allowed)))
        covers = engine.exchange(rows, "page", NativeKernel("cover_rows", COVERED, self._rules()))
        return engine.concat(engine.map(counts, Others(c, theta)), covers)

    def _patches(self, engine: Engine, texts: Any, copies: Any) -> Any:
        k, seed, m = self.params.k, self.params.seed, self.params.m
        marked = engine.sql(MARK, MARKED, texts=texts, copies=copies)
        grams = engine.map(marked, NativeKernel("gram_rows", GRAMS, (k, seed, m), growth=3))
        return engine.exchange(grams, "gram", NativeKernel("patch_rows", PATCHES, (m,)), order=("page",))

    def _allowed(self, engine: Engine, lists: Any, sites: Any, dates: Any, copies: Any) -> Any:
        """Who may be a source of whom, among those that hold something."""
        rule = (self.params.foreign,)
        numbers = engine.keep(engine.map(sites, NativeKernel("quilt_sites", SITES)))
        classes = engine.sql(CLASSES, MEMBERS, sites=numbers, copies=copies, dates=dates)
        few = NativeKernel("deciding_members", MEMBERS, rule)
        members = engine.exchange(classes, "holder", few, order=("member",), combine=few)
        pairs = engine.map(lists, NativeKernel("holder_pairs", PAIRS, growth=4))
        asked = engine.sql(ASK, ASKED, pairs=pairs, members=members, sites=numbers, dates=dates)
        return engine.map(asked, NativeKernel("allowed_members", ALLOWED, rule))

    def _rules(self) -> tuple[int, float, float, bool, float]:
        p = self.params
        return p.c, p.theta, p.min_share, p.share == "covered", p.min_shared


class QuiltReducer:
    """The flow in shared memory (crates/core/src/quilts/collection.rs)."""

    def __init__(self, flow: QuiltCoverFlow, resources: Resources) -> None:
        self.flow = flow
        self.resources = resources
        params = flow.params
        # The rest is for texts on their way in and rows on their way out.
        quilter = _core.GramCollection(
            resources.threads, resources.memory // 2, str(resources.spill), params.k, params.seed
        )
        self.quilter = quilter
        self.takes = {
            "sites": quilter.push_sites,
            "dates": quilter.push_dates,
            "copies": quilter.push_copies,
            "texts": quilter.push,
        }

    def push(self, name: str, batch: Batch) -> None:
        self.takes[name](batch)

    def count(self, m: int) -> _core.CountedGrams:
        """Counts the grams, once all rows are there."""
        foreign = self.flow.params.foreign
        if self.flow.index:
            path = Path(self.flow.index)
            unfinished = path.with_name(f".{path.name}{TEMP_SUFFIX}")
            counted = self.quilter.count(m, foreign, str(unfinished))
            unfinished.replace(path)
        else:
            counted = self.quilter.count(m, foreign)
        for name, value in counted.metrics().items():
            self.resources.note(name, value)
        return counted

    def finish(self) -> Iterator[Batch]:
        p = self.flow.params
        covers = self.count(p.m).covers(p.m, p.c, p.theta, p.min_share, p.share == "covered", p.min_shared)
        yield from rows_from(self.flow.first, covers)


def rows_from(first: int, batches: Iterable[Batch]) -> Iterator[Batch]:
    """The rows of this page and those behind it."""
    for batch in batches:
        all_are = batch.num_rows and batch["page"][0].as_py() >= first
        yield batch if all_are else batch.filter(pc.greater_equal(batch["page"], first))
