"""Style clusters: pages written by the same template, or with a large piece in common (Urvoy et al. 2006)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.joins import known_groups, lookup
from pagekin.detect.styles.genres import name_clusters
from pagekin.detect.styles.kinds import cluster_figures, kind_of
from pagekin.engines.base import Batch, Engine, Resources
from pagekin.params import Params, StyleParams
from pagekin.run import Run
from pagekin.tables import STYLE_CLUSTERS, STYLE_MEMBERS

FINGERPRINTS = pa.schema(
    [("page", pa.int64()), ("style", pa.binary()), ("structure", pa.binary()), ("known", pa.int64())]
)
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
MILLION = 1_000_000
"""Similarities are summed in millionths, so that means are the same on any machine."""

MAX_REPORTED = 100
"""So many of the buckets that were too large for all pairs are reported in run.json."""


@dataclass
class StyleReducer:
    """Collects fingerprints, then probes (crates/core/src/style/probes.rs)."""

    params: StyleParams
    resources: Resources
    native: _core.StyleClusters = field(init=False)

    def __post_init__(self) -> None:
        p = self.params
        self.native = _core.StyleClusters(
            self.resources.threads,
            p.m,
            p.k,
            p.probes,
            p.t,
            p.structure_t,
            p.budget,
            p.seed,
            p.split_worms,
        )

    def push(self, batch: Batch) -> None:
        self.native.push(batch)

    def finish(self) -> Iterator[Batch]:
        kinds = 2 if self.params.structure_t else 1
        probes = kinds * self.params.probes
        for probe in range(probes):
            self.native.probe(probe)
            self.resources.advance((probe + 1) / probes)
        yield self.native.members().cast(MEMBERS)
        big = self.native.big_buckets()
        reported = [{"dimensions": d, "minima": v, "fingerprints": n} for d, v, n in big[:MAX_REPORTED]]
        self.resources.note("big_buckets", {"count": len(big), "largest": reported})


@dataclass(frozen=True)
class Cluster:
    """Fingerprints that agree where a probe looks meet in a bucket; what is similar there is joined."""

    params: StyleParams
    by: str = "bucket"
    schema: pa.Schema = MEMBERS

    def open(self, resources: Resources) -> StyleReducer:
        return StyleReducer(self.params, resources)


def find_styles(run: Run, engine: Engine, params: Params) -> None:
    """Sketches → members → (their pages, links, duplicates) → style_clusters, style_members."""
    runs = run.lineage
    fingerprints = engine.concat(*(_fingerprints(old, engine, run) for old in runs))
    members = engine.collect(engine.exchange(fingerprints, Cluster(params.style)))
    clusters, ranked = _rank(members, run, engine, params.style.rank)
    # What chance leaves out: pairs that match in just t dimensions and meet in no probe.
    engine.metrics.update(probes=params.style.probes, miss_rate=round(params.style.miss_rate, 6))
    engine.publish(run, "styles", {STYLE_CLUSTERS: clusters, STYLE_MEMBERS: ranked})


def _fingerprints(run: Run, engine: Engine, current: Run) -> Any:
    data = engine.load(run, "sketches", FINGERPRINTS.names[:-1])
    return engine.map(data, known_groups(run, current, "style_members", "cluster", FINGERPRINTS))


def _rank(members: pa.Table, run: Run, engine: Engine, by: str) -> tuple[pa.Table, pa.Table]:
    """The two tables: clusters by their weight or score, and their (new) members."""
    columns = ["url", "host", "domain", "words", "links", "title", "generator"]
    pages = run.page_columns("pages", columns, members["page"])
    for name in columns:
        members = members.append_column(name, pages[name])
    members = members.append_column("new", pc.greater_equal(members["page"], run.first_page))
    millionths = pc.cast(pc.round(pc.multiply(members["similarity"], MILLION)), pa.int64())
    members = members.append_column("millionths", millionths)
    grouped = members.group_by("cluster", use_threads=False).aggregate(
        [
            ("page", "count"),
            ("new", "sum"),
            ("host", "count_distinct"),
            ("domain", "count_distinct"),
            ("millionths", "sum"),
            ("centroid", "first"),
            ("cohesion", "first"),
            ("worm", "first"),
        ]
    )
    count = pc.cast(grouped["page_count"], pa.float64())
    mean = pc.divide(pc.divide(pc.cast(grouped["millionths_sum"], pa.float64()), count), MILLION)
    # Pages without a host have no domain either; together they are one.
    domains = pc.cast(pc.max_element_wise(grouped["domain_count_distinct"], 1), pa.float64())
    figures = cluster_figures(members, grouped["cluster"], run, engine)
    clusters = pa.table(
        {
            "cluster": grouped["cluster"],
            "pages": grouped["page_count"],
            "known_pages": pc.subtract(grouped["page_count"], pc.cast(grouped["new_sum"], pa.int64())),
            "hosts": grouped["host_count_distinct"],
            "domains": grouped["domain_count_distinct"],
            "mean_similarity": mean,
            "score": pc.multiply(mean, pc.cast(grouped["domain_count_distinct"], pa.float64())),
            "weight": pc.multiply(
                pc.multiply(mean, domains), pc.log2(pc.add(pc.divide(count, domains), 1.0))
            ),
            "name": name_clusters(members, grouped["cluster"], grouped["centroid_first"], run),
            "centroid": grouped["centroid_first"],
            "centroid_url": lookup(grouped["centroid_first"], members, "page", "url"),
            "cohesion": grouped["cohesion_first"],
            "worm": grouped["worm_first"],
            **figures,
        }
    )
    kinds = pa.array([kind_of(row) for row in clusters.to_pylist()], pa.string())
    clusters = clusters.append_column("kind", kinds).sort_by(
        [(by, "descending"), ("pages", "descending"), ("cluster", "ascending")]
    )
    clusters = clusters.append_column("rank", pa.array(range(1, clusters.num_rows + 1), pa.int64()))
    ranked = members.filter(members["new"])
    ranked = ranked.append_column("rank", lookup(ranked["cluster"], clusters, "cluster", "rank"))
    order = [("rank", "ascending"), ("similarity", "descending"), ("page", "ascending")]
    ranked = ranked.select(STYLE_MEMBERS.names).sort_by(order)
    return clusters.select(STYLE_CLUSTERS.names).cast(STYLE_CLUSTERS.schema), ranked.cast(
        STYLE_MEMBERS.schema
    )
