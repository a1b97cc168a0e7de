"""Clusters to members with their similarity to the centroid; no place holds a large cluster.

    members ─exchange by cluster, few travel→ sample ─copied→ chunks ─exchange by chunk→ best of each chunk
      ├───────────────────────────────────── members ─divided→ ┘                            │
      │                                                                  first by score → centroid
      └─divided→ chunks ←────────────────────────────────────────────────────────── copied ─┘
                   └─exchange by chunk→ similarity to the centroid

With `split_worms`, the samples of worms are cut first, and the other members go with the part of the sampled
page that they match best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.styles.kernels import LAYERS, MEMBER, SPEAKS, First, InChunks, StyleStep, ints
from pagekin.engines.base import Engine, Kernel
from pagekin.params import StyleParams

MEMBERS = pa.schema(
    [
        ("cluster", pa.int64()),
        ("page", pa.int64()),
        ("similarity", pa.float64()),
        ("centroid", pa.int64()),
        ("cohesion", pa.float64()),
        ("worm", pa.bool_()),
    ]
)
MEMBER_PRINTS = pa.schema([*ints("cluster", "size", "page", "hash"), *LAYERS])
CANDIDATES = pa.schema(ints("cluster", "page", "score", "edges", "pairs", "worm"))
CENTERS = pa.schema(ints("cluster", "page", "edges", "pairs", "worm"))
CENTROIDS = pa.schema([*MEMBER_PRINTS, *ints("edges", "pairs")])
CUT = MEMBER_PRINTS.append(pa.field("part", pa.int64()))
PARTS = pa.schema(ints("cluster", "page", "part"))

SAMPLE, SPLIT_SAMPLE = _core.STYLE_SAMPLES


@dataclass(frozen=True)
class Shapes:
    """The steps, on one engine with one set of parameters."""

    engine: Engine
    params: StyleParams

    def members(self, members: Any) -> Any:
        """From `MEMBER_PRINTS` to `MEMBERS`."""
        centers = self._centers(members)
        if self.params.split_worms:
            members, centers = self._split(members, centers)
        query = """
            SELECT m.cluster, m.size, m.page, m.hash, m.style, m.structure, c.edges, c.pairs
            FROM centers c JOIN members m ON c.page = m.page
        """
        centroids = self.engine.sql(query, CENTROIDS, centers=centers, members=members)
        return self._in_chunks(members, centroids, self._native("to_centroid", MEMBERS), "edges", "pairs")

    def _centers(self, members: Any) -> Any:
        """The centroid of each cluster, and how many pairs of its sample have an edge."""
        sample = self._sample(members, SAMPLE)
        best = self._in_chunks(members, sample, self._native("candidates", CANDIDATES))
        query = """
            SELECT cluster, page, edges, pairs, worm
            FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY cluster ORDER BY score DESC NULLS LAST, page NULLS LAST
                ) AS place
                FROM best
            ) ranked
            WHERE place = 1
        """
        return self.engine.keep(self.engine.sql(query, CENTERS, best=best))

    def _split(self, members: Any, centers: Any) -> tuple[Any, Any]:
        """Members and centers, where worms are cut."""
        engine = self.engine
        names = ", ".join(f"m.{name}" for name in MEMBER_PRINTS.names)
        query = f"SELECT {names} FROM members m JOIN centers c ON m.cluster = c.cluster WHERE c.worm = 1"
        worms = engine.keep(engine.sql(query, MEMBER_PRINTS, members=members, centers=centers))
        sample = self._sample(worms, SPLIT_SAMPLE)
        cut = engine.keep(
            engine.exchange(sample, "cluster", self._native("cut_samples", CUT), order=("hash",))
        )
        parts = engine.keep(self._in_chunks(worms, cut, self._native("parts", PARTS), "part"))
        query = """
            SELECT g.label AS cluster, g.size, m.page, m.hash, m.style, m.structure
            FROM parts p
            JOIN (
                SELECT cluster, part, min(page) AS label, count(*) AS size
                FROM parts GROUP BY cluster, part HAVING count(*) > 1
            ) g ON p.cluster = g.cluster AND p.part = g.part
            JOIN members m ON p.page = m.page
        """
        pieces = engine.keep(engine.sql(query, MEMBER_PRINTS, parts=parts, members=worms))
        return (
            engine.keep(engine.concat(self._uncut(members, MEMBER_PRINTS, cut), pieces)),
            engine.concat(self._uncut(centers, CENTERS, cut), self._centers(pieces)),
        )

    def _uncut(self, rows: Any, schema: pa.Schema, cut: Any) -> Any:
        """The rows of clusters that stay as they are."""
        names = ", ".join(f"r.{name}" for name in schema.names)
        query = f"""
            SELECT {names}
            FROM found r LEFT JOIN (SELECT DISTINCT cluster FROM cut) c ON r.cluster = c.cluster
            WHERE c.cluster IS NULL
        """
        return self.engine.sql(query, schema, found=rows, cut=cut)

    def _sample(self, members: Any, count: int) -> Any:
        """The members of each cluster whose pages have the smallest hashes."""
        first = First("cluster", count, MEMBER_PRINTS)
        return self.engine.exchange(members, "cluster", first, order=("hash",), combine=first)

    def _in_chunks(self, members: Any, speakers: Any, kernel: Kernel, *more: str) -> Any:
        """The kernel on each chunk of members, with the rows that represent the whole cluster."""
        schema = pa.schema([*ints("chunk", "role"), *MEMBER_PRINTS, *ints(*more)])
        chunks = self.engine.concat(
            self.engine.map(members, InChunks("cluster", MEMBER, schema)),
            self.engine.map(speakers, InChunks("cluster", SPEAKS, schema)),
        )
        return self.engine.exchange(chunks, "chunk", kernel, order=("cluster", "role", "hash"))

    def _native(self, name: str, schema: pa.Schema) -> StyleStep:
        return StyleStep(self.params, name, schema)
