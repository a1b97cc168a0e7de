"""Pages to the members of clusters: in the memory of one machine, or step by step.

    prints ─map→ (key, page, print) ─exchange by key→ different prints ─map→ one row a probe, by bucket
      │                     └─join on key─┴→ edges of equal ones                    │
      │                                                    edges of similar ones ←exchange by bucket
      ├─join on cluster→ edges of known pages              (large buckets: leaders.py)
      └─join→ components of all edges ─→ clusters ─shapes.py→ members

Equal fingerprints are one row once the second exchange begins, however many pages have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.styles.kernels import Hashed, StyleStep, ints
from pagekin.detect.styles.leaders import BUCKETS, leader_edges, report
from pagekin.detect.styles.shapes import MEMBER_PRINTS, MEMBERS, Shapes
from pagekin.engines.base import EDGES, Batch, Engine, Resources
from pagekin.params import StyleParams

PRINTS = pa.schema([("page", pa.int64()), ("style", pa.binary()), ("structure", pa.binary())])
KNOWN_PRINTS = PRINTS.append(pa.field("known", pa.int64()))
"""Pages of earlier runs: `known` is the cluster that a page was in, or the page itself."""

KEYED = pa.schema([*ints("key", "twin", "page", "layer"), ("print", pa.binary())])
SIZES = pa.schema(ints("key", "size"))


@dataclass
class StyleReducer:
    """Collects fingerprints, then probes (crates/core/src/style/probes.rs)."""

    params: StyleParams
    resources: Resources
    native: _core.StyleClusters = field(init=False)

    def __post_init__(self) -> None:
        p = self.params
        threads = self.resources.threads
        self.native = _core.StyleClusters(
            threads, p.m, p.k, p.probes, p.t, p.structure_t, p.budget, p.seed, p.over_m, p.split_worms
        )

    def push(self, name: str, batch: Batch) -> None:
        self.native.push(batch)

    def finish(self) -> Iterator[Batch]:
        kinds = 2 if self.params.structure_t else 1
        probes = kinds * self.params.probes
        for probe in range(probes):
            self.native.probe(probe)
            self.resources.advance((probe + 1) / probes)
        yield self.native.members().cast(MEMBERS)
        big = self.native.big_buckets()
        self.resources.note("big_buckets", report(len(big), big))


@dataclass(frozen=True)
class Cluster:
    """Fingerprints that agree where a probe looks meet in a bucket; what is similar there is joined.

    Inputs: `known`, the pages of earlier runs, and then `prints`, the new ones. Clusters of nothing but known
    pages are left out.
    """

    params: StyleParams
    schema: pa.Schema = MEMBERS

    def held_bytes(self, size: int) -> int:
        return size * 3 // 2  # all fingerprints, and one more of each that differs

    def whole(self, resources: Resources) -> StyleReducer:
        return StyleReducer(self.params, resources)

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        hashed = Hashed(structure=bool(self.params.structure_t))
        prints = engine.keep(
            engine.concat(*(engine.map(inputs[name], hashed) for name in ("known", "prints")))
        )
        labels = engine.components(self._edges(engine, prints))
        query = """
            SELECT l.label AS cluster, s.size, p.page, p.hash, p.style, p.structure
            FROM labels l
            JOIN (
                SELECT l.label, count(*) AS size
                FROM labels l JOIN prints p ON l.page = p.page
                GROUP BY l.label
                HAVING count(*) > 1 AND count(*) > count(p.known)
            ) s ON l.label = s.label
            JOIN prints p ON l.page = p.page
        """
        members = engine.keep(engine.sql(query, MEMBER_PRINTS, labels=engine.keep(labels), prints=prints))
        return Shapes(engine, self.params).members(members)

    def _edges(self, engine: Engine, prints: Any) -> Any:
        """Pages that were together, that have the same fingerprint, and that are similar."""
        together = """
            SELECT p.page, k.other
            FROM prints p
            JOIN (SELECT known, min(page) AS other FROM prints WHERE known IS NOT NULL GROUP BY known) k
                ON p.known = k.known
            WHERE p.page <> k.other
        """
        equal = """
            SELECT k.page, d.page AS other
            FROM keyed k JOIN kinds d ON k.key = d.key AND k.twin = d.twin
            WHERE k.page <> d.page
        """
        keyed = engine.map(prints, StyleStep(self.params, "prints", KEYED))
        distinct = StyleStep(self.params, "distinct", KEYED)
        kinds = engine.keep(engine.exchange(keyed, "key", distinct, order=("page",), combine=distinct))
        return engine.concat(
            engine.sql(together, EDGES, prints=prints),
            engine.sql(equal, EDGES, keyed=keyed, kinds=kinds),
            *self._bucket_edges(engine, kinds),
        )

    def _bucket_edges(self, engine: Engine, kinds: Any) -> list[Any]:
        """Edges inside buckets; those that hold too many for all pairs go a way of their own."""
        params = self.params
        buckets = engine.map(kinds, StyleStep(params, "buckets", BUCKETS))
        keys = engine.map(kinds, StyleStep(params, "bucket_keys", SIZES.remove(1)))
        query = f"""
            SELECT key, count(*) AS size FROM buckets GROUP BY key HAVING count(*) > {params.budget}
        """
        large = engine.keep(engine.sql(query, SIZES, buckets=keys))
        count = engine.sql("SELECT count(*) AS size FROM sizes", SIZES.remove(0), sizes=large)
        # One number: most crawls have no such bucket, and the rounds would be for nothing.
        many = engine.collect(count)["size"][0].as_py()
        pairs = StyleStep(params, "bucket_edges", EDGES)
        if not many:
            engine.metrics["big_buckets"] = report(0, [])
            return [engine.exchange(buckets, "key", pairs)]
        names = ", ".join(f"b.{name}" for name in BUCKETS.names)
        small = f"SELECT {names} FROM buckets b LEFT JOIN sizes s ON b.key = s.key WHERE s.key IS NULL"
        crowded = f"SELECT {names} FROM buckets b JOIN sizes s ON b.key = s.key"
        few = engine.sql(small, BUCKETS, buckets=buckets, sizes=large)
        edges, rest = leader_edges(
            engine, params, engine.sql(crowded, BUCKETS, buckets=buckets, sizes=large), many
        )
        return [edges, engine.exchange(engine.concat(few, rest), "key", pairs)]
