"""Connected components by rounds of exchanges: no place ever holds all edges.

Each part of the edges is first reduced to a star for each of its own components (a union-find over the part).
Then large and small stars take turns (Kiveris et al. 2014): every page tells its larger neighbours, then its
smaller ones, of the smallest neighbour it has. When no edge changes, each page points to the smallest of its
component. The number of rounds grows with the logarithm of the pages. Few edges are joined in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.engines.base import EDGES, LABELS, Batch, BatchFunction, Engine

STATE = pa.schema([("edges", pa.int64()), ("pages", pa.int64()), ("others", pa.int64())])

MAX_ROUNDS = 64
"""Far more than the logarithm of any number of pages."""

ONE_PLACE = 2_000_000
"""So many edges are joined in one place, which takes about 100 MB."""

KEYED = pa.schema([("key", pa.int64()), *EDGES])


@dataclass(frozen=True)
class Stars:
    """The edges of a batch as a star for each component they make; its middle has an edge to itself."""

    schema: pa.Schema = EDGES

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: _core.components([batch]).rename_columns(EDGES.names).cast(EDGES)


@dataclass(frozen=True)
class OneKey:
    """All edges under one key."""

    schema: pa.Schema = KEYED

    def open(self, threads: int) -> BatchFunction:
        def keyed(batch: Batch) -> Batch:
            key = pa.repeat(pa.scalar(0, pa.int64()), batch.num_rows)
            return pa.RecordBatch.from_arrays([key, *batch.columns], schema=KEYED)

        return keyed


@dataclass(frozen=True)
class Labelled:
    """The labels of all edges, in one place."""

    schema: pa.Schema = LABELS

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: _core.components([batch.select(EDGES.names)]).cast(LABELS)


@dataclass(frozen=True)
class StarStep:
    """What each page of complete groups tells its neighbours."""

    large: bool
    schema: pa.Schema = EDGES

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: _core.star_step(batch, self.large).cast(EDGES)


def rounds(
    engine: Engine,
    edges: Any,
    told: Callable[[int], None] = lambda rounds: None,
    one_place: int = ONE_PLACE,
) -> Any:
    """From edges to labels, on any engine; `told` gets the number of rounds."""
    first = stars = engine.keep(engine.map(edges, Stars()))
    before = _state(engine, stars)
    if before[0] <= one_place:
        told(0)
        return engine.exchange(engine.map(first, OneKey()), "key", Labelled(), order=EDGES.names)
    for done in range(1, MAX_ROUNDS):
        both = "SELECT page, other FROM edges UNION ALL SELECT other AS page, page AS other FROM edges"
        large = engine.exchange(
            engine.sql(both, EDGES, edges=stars), "page", StarStep(large=True), order=("other",)
        )
        stars = engine.keep(engine.exchange(large, "page", StarStep(large=False), order=("other",)))
        after = _state(engine, stars)
        told(done)
        if after == before:
            break
        before = after
    # A page whose only edge leads to itself is in no star that has moved.
    query = """
        SELECT page, min(label) AS label FROM (
            SELECT page, other AS label FROM stars UNION ALL SELECT other AS page, other AS label FROM stars
            UNION ALL SELECT page, page AS label FROM first_stars WHERE page = other
        ) GROUP BY page
    """
    return engine.sql(query, LABELS, stars=stars, first_stars=first)


def _state(engine: Engine, edges: Any) -> tuple[int, ...]:
    """Figures that differ unless the edges are the same: stars that move change the sums."""
    query = """
        SELECT count(*) AS edges, coalesce(sum(page % 1000003), 0) AS pages,
            coalesce(sum(other % 1000003), 0) AS others
        FROM (SELECT DISTINCT page, other FROM edges WHERE page <> other)
    """
    return tuple(engine.collect(engine.sql(query, STATE, edges=edges)).to_pylist()[0].values())
