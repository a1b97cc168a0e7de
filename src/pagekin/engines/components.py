"""Connected components by rounds of exchanges: no place ever holds all edges.

Each part of the edges is first reduced to a star for each of its own components (a union-find over the part).
Then large and small stars take turns (Kiveris et al. 2014): every page tells its larger neighbours, then its
smaller ones, of the smallest neighbour it has. When no edge changes, each page points to the smallest of its
component. The number of rounds grows with the logarithm of the pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.engines.base import EDGES, LABELS, Batch, BatchFunction, Engine

STATE = pa.schema([("edges", pa.int64()), ("pages", pa.int64()), ("others", pa.int64())])

MAX_ROUNDS = 64
"""Far more than the logarithm of any number of pages."""


@dataclass(frozen=True)
class Stars:
    """The edges of a batch as one star for each component that they make."""

    schema: pa.Schema = EDGES

    def open(self, threads: int) -> BatchFunction:
        def stars(batch: Batch) -> Batch:
            labels = _core.components([batch]).rename_columns(EDGES.names)
            return labels.filter(pc.not_equal(labels["page"], labels["other"])).cast(EDGES)

        return stars


@dataclass(frozen=True)
class StarStep:
    """What each page of complete groups tells its neighbours."""

    large: bool
    schema: pa.Schema = EDGES

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: _core.star_step(batch, self.large).cast(EDGES)


def rounds(engine: Engine, edges: Any, told: Callable[[int], None] = lambda rounds: None) -> Any:
    """From edges to labels, on any engine; `told` gets the number of rounds."""
    stars = engine.keep(engine.map(edges, Stars()))
    before = _state(engine, stars)
    done = 0
    while before[0] and done < MAX_ROUNDS:
        both = "SELECT page, other FROM edges UNION ALL SELECT other AS page, page AS other FROM edges"
        large = engine.exchange(
            engine.sql(both, EDGES, edges=stars), "page", StarStep(large=True), order=("other",)
        )
        small = engine.exchange(large, "page", StarStep(large=False), order=("other",))
        stars = engine.keep(small)
        after = _state(engine, stars)
        done += 1
        if after == before:
            break
        before = after
    told(done)
    # A page whose only edge leads to itself is in no star.
    query = """
        SELECT page, min(label) AS label FROM (
            SELECT page, other AS label FROM stars UNION ALL SELECT other AS page, other AS label FROM stars
            UNION ALL SELECT page, page AS label FROM edges WHERE page = other
        ) GROUP BY page
    """
    return engine.sql(query, LABELS, stars=stars, edges=edges)


def _state(engine: Engine, edges: Any) -> tuple[int, ...]:
    """Figures that differ unless the edges are the same: stars that move change the sums."""
    query = """
        SELECT count(*) AS edges, coalesce(sum(page % 1000003), 0) AS pages,
            coalesce(sum(other % 1000003), 0) AS others
        FROM (SELECT DISTINCT page, other FROM edges)
    """
    return tuple(engine.collect(engine.sql(query, STATE, edges=edges)).to_pylist()[0].values())
