"""From sketches and texts to the members of duplicate classes.

    sketches ─→ (md5, first page) ─────────────────────────────→ copies: page → first of the same text
       │ without copies                                                        │
       └─→ (band, page, tags) ─by band→ candidates ─texts→ near ──┐            │
    known classes of earlier runs, of pages on an edge ───────────┴─components─┴─→ (class, page)
                                                                                      │
    texts of (page, first of its class) ─compared→ jaccard ───────────────────────────┴─→ members

By the paper's rule a key is a pair of bands, and pages that share one are near duplicates: there is nothing
to verify. A band that very many pages share offers each of them 40 others
(crates/core/src/duplicates/bands.rs).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from pagekin import _core
from pagekin.detect.duplicates.banding import Banding
from pagekin.detect.duplicates.compare import compared
from pagekin.detect.sketch import shingler
from pagekin.engines.base import EDGES, Batch, BatchFunction, Engine, Reducer, Resources
from pagekin.params import ShingleParams

SKETCHES = pa.schema([("page", pa.int64()), ("shingles", pa.binary()), ("md5", pa.string())])
TEXTS = pa.schema([("page", pa.int64()), ("text", pa.string())])
SHINGLES = pa.schema([("page", pa.int64()), ("shingles", pa.binary())])
JACCARD = pa.schema([("page", pa.int64()), ("other", pa.int64()), ("jaccard", pa.float64())])
MEMBERS = pa.schema(
    [("label", pa.int64()), ("page", pa.int64()), ("exact", pa.bool_()), ("jaccard", pa.float64())]
)
"""The members of classes: a class is labelled by its first page."""


@dataclass(frozen=True)
class BandRows:
    """One row for each key of each page (crates/core/src/duplicates/bands.rs)."""

    growth: ClassVar[int] = 3  # a page has its tags with each of its keys
    banding: Banding

    @property
    def schema(self) -> pa.Schema:
        keys = pa.schema([("key", pa.int64()), ("page", pa.int64())])
        return keys.append(pa.field("tags", pa.binary())) if self.banding.similarity else keys

    def open(self, threads: int) -> BatchFunction:
        chosen = self.banding
        return lambda rows: _core.band_rows(rows, chosen.bands, chosen.rows, chosen.similarity)


@dataclass(frozen=True)
class BandEdges:
    """What the pages that share a key amount to."""

    banding: Banding
    first_new: int
    schema: pa.Schema = EDGES

    def open(self, threads: int) -> BatchFunction:
        chosen = self.banding
        return lambda rows: _core.band_edges(
            rows, chosen.bands, chosen.rows, chosen.similarity, self.first_new
        )


@dataclass(frozen=True)
class DuplicateMembers:
    """The flow. Inputs: `known` (known pages, the first of their class), `sketches`, `texts` to compare."""

    banding: Banding
    first_new: int
    shingles: ShingleParams
    wrap: bool
    schema: pa.Schema = MEMBERS

    def held_bytes(self, size: int) -> int:
        return size // 32  # the class of each page

    def whole(self, resources: Resources) -> Reducer:
        return WholeDuplicates(self, resources)

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        sketches, texts = engine.keep(inputs["sketches"]), inputs.get("texts")
        copies = engine.keep(engine.sql(COPIES, EDGES, sketches=sketches))
        alone = engine.sql(WITHOUT_COPIES, SHINGLES, sketches=sketches, copies=copies)
        edges = engine.exchange(
            engine.map(alone, BandRows(self.banding)),
            "key",
            BandEdges(self.banding, self.first_new),
            order=("page",),
        )
        if self.banding.similarity:
            near, coefficients = self._verified(engine, edges, texts)
        else:
            # Known pages may stand between new ones; their own classes are not joined by that.
            near = engine.keep(engine.sql(self._new(), EDGES, labels=engine.components(edges)))
            coefficients = engine.table(JACCARD.empty_table())
        found = engine.keep(engine.concat(self._new_copies(engine, copies), near))
        earlier = engine.sql(USED, EDGES, known=inputs["known"], edges=found)
        labels = engine.keep(engine.components(engine.concat(found, earlier)))
        members = engine.keep(engine.sql(self._listed(), FIRSTS, labels=labels, copies=copies))
        if texts is not None:
            pairs = engine.sql(UNCOMPARED, EDGES, members=members, known=coefficients)
            more = compared(engine, pairs, texts, self.shingles, wrap=self.wrap)
            coefficients = engine.concat(coefficients, engine.sql(COEFFICIENTS, JACCARD, pairs=more))
        return engine.sql(RESULT, MEMBERS, members=members, pairs=coefficients)

    def _verified(self, engine: Engine, edges: Any, texts: Any) -> tuple[Any, Any]:
        """The candidates that are similar enough; and what their texts have in common."""
        candidates = engine.keep(engine.sql("SELECT DISTINCT page, other FROM edges", EDGES, edges=edges))

        def verify(pairs: Any) -> Any:
            return engine.keep(
                compared(engine, pairs, texts, self.shingles, self.wrap, self.banding.similarity)
            )

        # Most pages are like the first they are offered. What that joins need not be compared again.
        first = verify(engine.sql(FIRST_OFFER, EDGES, edges=candidates))
        labels = engine.keep(engine.components(engine.sql(SIMILAR, EDGES, pairs=first)))
        rest = verify(engine.sql(APART, EDGES, edges=candidates, labels=labels))
        both = engine.keep(engine.concat(first, rest))
        return engine.keep(engine.sql(SIMILAR, EDGES, pairs=both)), engine.keep(
            engine.sql(COEFFICIENTS, JACCARD, pairs=both)
        )

    def _new(self) -> str:
        return f"SELECT page, label AS other FROM labels WHERE page >= {self.first_new} AND page <> label"

    def _new_copies(self, engine: Engine, copies: Any) -> Any:
        query = f"SELECT page, other FROM copies WHERE page >= {self.first_new}"
        return engine.sql(query, EDGES, copies=copies)

    def _listed(self) -> str:
        """New pages and the first of their class, each with the first page of its own text."""
        return f"""
            SELECT labels.label, labels.page, coalesce(copies.other, labels.page) AS first_page
            FROM labels LEFT JOIN copies ON labels.page = copies.page AND copies.page >= {self.first_new}
            WHERE labels.page >= {self.first_new} AND labels.page <> labels.label
            UNION ALL
            SELECT DISTINCT label, label AS page, label AS first_page
            FROM labels WHERE page >= {self.first_new} AND page <> label
        """


FIRSTS = pa.schema([("label", pa.int64()), ("page", pa.int64()), ("first_page", pa.int64())])

COPIES = """
    SELECT sketches.page, firsts.page AS other
    FROM sketches JOIN (
        SELECT md5, min(page) AS page FROM sketches WHERE shingles IS NOT NULL GROUP BY md5
    ) firsts ON sketches.md5 = firsts.md5
    WHERE sketches.shingles IS NOT NULL AND sketches.page > firsts.page
"""
"""Pages without shingles have no words, and no duplicates."""

WITHOUT_COPIES = """
    SELECT sketches.page, sketches.shingles FROM sketches LEFT JOIN copies ON sketches.page = copies.page
    WHERE sketches.shingles IS NOT NULL AND copies.page IS NULL
"""

FIRST_OFFER = "SELECT page, min(other) AS other FROM edges GROUP BY page"

SIMILAR = "SELECT page, other FROM pairs WHERE alike"

COEFFICIENTS = "SELECT page, other, jaccard FROM pairs"

APART = """
    SELECT edges.page, edges.other
    FROM edges
    JOIN (SELECT page, min(other) AS other FROM edges GROUP BY page) tried ON edges.page = tried.page
    LEFT JOIN labels a ON edges.page = a.page
    LEFT JOIN labels b ON edges.other = b.page
    WHERE edges.other <> tried.other AND (a.label IS NULL OR b.label IS NULL OR a.label <> b.label)
"""

USED = """
    SELECT DISTINCT known.page, known.other
    FROM known
    JOIN (SELECT page FROM edges UNION SELECT other AS page FROM edges) used ON known.page = used.page
    WHERE known.page <> known.other
"""
"""Known pages stay in their classes, as far as anything new is joined to them."""

UNCOMPARED = """
    SELECT DISTINCT members.first_page AS page, members.label AS other
    FROM members LEFT JOIN known ON members.first_page = known.page AND members.label = known.other
    WHERE members.first_page <> members.label AND known.page IS NULL
"""

RESULT = """
    SELECT members.label, members.page, members.first_page = members.label AS exact,
        CASE WHEN members.first_page = members.label THEN CAST(1.0 AS DOUBLE) ELSE pairs.jaccard END
            AS jaccard
    FROM members LEFT JOIN pairs ON members.first_page = pairs.page AND members.label = pairs.other
"""


class WholeDuplicates:
    """All rows in one process (crates/core/src/duplicates/candidates.rs, classes.rs)."""

    def __init__(self, flow: DuplicateMembers, resources: Resources) -> None:
        self._flow = flow
        self._resources = resources
        chosen = flow.banding
        self._candidates = _core.DuplicateCandidates(
            chosen.bands,
            chosen.rows,
            chosen.similarity,
            flow.first_new,
            resources.threads,
            resources.memory,
            str(resources.spill),
        )
        self._classes: _core.DuplicateClasses | None = None

    def push(self, name: str, batch: Batch) -> None:
        if name == "known":
            self._candidates.push_known(batch)
        elif name == "sketches":
            self._candidates.push(batch)
        else:
            self._joined().push(batch)

    def finish(self) -> Iterator[Batch]:
        yield from self._joined().finish()

    def _joined(self) -> _core.DuplicateClasses:
        """The classes that come of the candidates, once all of these are known."""
        if self._classes is None:
            flow, resources = self._flow, self._resources
            self._classes = _core.DuplicateClasses(
                self._candidates.finish(),
                flow.banding.similarity,
                flow.first_new,
                shingler(flow.shingles),
                flow.wrap,
                resources.threads,
                resources.memory,
                str(resources.spill),
            )
        return self._classes
