"""Style clusters: pages written by the same template, or with a large piece in common (Urvoy et al. 2006).

    sketches ─clusters.py→ members ─join pages→ described ┬─aggregate→ counts ───────────────────┐
                                                          ├─kinds.py→ copies, links, skeletons ──┤
                                                          ├─genres.py→ names by head and text ───┤
                                 style_members ←join ranks┘            style_clusters ←rank─ figures

Everything behind the members is joins and whole numbers; quotients come last, a row a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.styles.clusters import KNOWN_PRINTS, PRINTS, Cluster
from pagekin.detect.styles.genres import name_clusters, strongest
from pagekin.detect.styles.kernels import MILLION, ints
from pagekin.detect.styles.kinds import inner_links, kind_of, mirrored, share, skeletons
from pagekin.detect.styles.shapes import MEMBERS
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.tables import STYLE_CLUSTERS, STYLE_MEMBERS

COUNTED = pa.schema([*MEMBERS, *ints("millionths")])
STRINGS = ("url", "host", "domain", "title", "generator")
DESCRIBED = pa.schema([*COUNTED, *ints("words", "links"), *((name, pa.string()) for name in STRINGS)])
COUNTS = pa.schema(
    [
        *ints("cluster", "pages", "new_pages", "hosts", "domains", "millionths", "words", "links"),
        *ints("centroid", "worms"),
        ("cohesion", pa.float64()),
    ]
)
FIGURES = pa.schema(
    [
        *COUNTS,
        ("centroid_url", pa.string()),
        ("by_head", pa.string()),
        ("by_text", pa.string()),
        *ints("copied", "led_inside", "led", "alike", "compared"),
    ]
)
UNRANKED = STYLE_CLUSTERS.schema.remove(STYLE_CLUSTERS.schema.get_field_index("rank"))


def find_styles(run: Run, engine: Engine, params: Params) -> None:
    """Sketches → members → (their pages, links, duplicates) → style_clusters, style_members."""
    prints = engine.load(run, "sketches", PRINTS.names)
    flow = Cluster(params.style)
    members = engine.map(engine.flow(flow, known=_known(run, engine), prints=prints), Counted())
    described = engine.keep(_described(run, engine, members))
    clusters = engine.keep(_clusters(run, engine, described, params.style.rank))
    ranked = f"""
        SELECT r.rank, m.cluster, m.page, m.url, m.similarity
        FROM described m JOIN clusters r ON m.cluster = r.cluster
        WHERE m.page >= {run.first_page}
    """
    listed = engine.sql(ranked, STYLE_MEMBERS.schema, described=described, clusters=clusters)
    # What chance leaves out: pairs that match in just t dimensions and meet in no probe.
    engine.metrics.update(probes=params.style.probes, miss_rate=round(params.style.miss_rate, 6))
    engine.publish(run, "styles", {STYLE_CLUSTERS: clusters, STYLE_MEMBERS: listed})


def _known(run: Run, engine: Engine) -> Any:
    """The pages of earlier runs, each with the cluster that it was in; alone in one of its own, else."""
    alone = "SELECT page, style, structure, page AS known FROM sketches"
    joined = """
        SELECT s.page, s.style, s.structure, coalesce(m.cluster, s.page) AS known
        FROM sketches s LEFT JOIN members m ON s.page = m.page
    """
    parts = [engine.table(KNOWN_PRINTS.empty_table())]
    for old in run.lineage[:-1]:
        sketches = engine.load(old, "sketches", PRINTS.names)
        if "style_members" in old.tables:
            members = engine.load(old, "style_members", ["page", "cluster"])
            parts.append(engine.sql(joined, KNOWN_PRINTS, sketches=sketches, members=members))
        else:
            parts.append(engine.sql(alone, KNOWN_PRINTS, sketches=sketches))
    return engine.concat(*parts)


@dataclass(frozen=True)
class Counted:
    """Members with their similarity as a whole number, so that means are the same on any machine."""

    schema: pa.Schema = COUNTED

    def open(self, threads: int) -> BatchFunction:
        def counted(batch: Batch) -> Batch:
            millionths = pc.cast(pc.round(pc.multiply(batch.column("similarity"), MILLION)), pa.int64())
            return pa.RecordBatch.from_arrays([*batch.columns, millionths], schema=COUNTED)

        return counted


def _described(run: Run, engine: Engine, members: Any) -> Any:
    """Members with what is known of their pages."""
    columns = ["page", "words", "links", *STRINGS]
    pages = engine.concat(*(engine.load(old, "pages", columns) for old in run.lineage))
    names = [f"m.{name}" for name in COUNTED.names] + [f"p.{name}" for name in columns[1:]]
    query = f"SELECT {', '.join(names)} FROM members m LEFT JOIN pages p ON m.page = p.page"
    return engine.sql(query, DESCRIBED, members=members, pages=pages)


def _clusters(run: Run, engine: Engine, described: Any, by: str) -> Any:
    counts = f"""
        SELECT cluster, count(*) AS pages,
            CAST(sum(CASE WHEN page >= {run.first_page} THEN 1 ELSE 0 END) AS BIGINT) AS new_pages,
            count(DISTINCT host) AS hosts, count(DISTINCT domain) AS domains,
            CAST(sum(millionths) AS BIGINT) AS millionths,
            CAST(coalesce(sum(words), 0) AS BIGINT) AS words,
            CAST(coalesce(sum(links), 0) AS BIGINT) AS links,
            min(centroid) AS centroid, CAST(sum(CASE WHEN worm THEN 1 ELSE 0 END) AS BIGINT) AS worms,
            min(cohesion) AS cohesion
        FROM described GROUP BY cluster
    """
    clusters = engine.keep(engine.sql(counts, COUNTS, described=described))
    by_head, by_text = name_clusters(run, engine, described)
    figures = f"""
        SELECT {", ".join(f"c.{name}" for name in COUNTS.names)},
            u.url AS centroid_url, h.said AS by_head, t.said AS by_text,
            coalesce(d.copied, 0) AS copied,
            coalesce(l.led_inside, 0) AS led_inside, coalesce(l.led, 0) AS led,
            coalesce(s.alike, 0) AS alike, coalesce(s.compared, 0) AS compared
        FROM clusters c
        LEFT JOIN described u ON c.centroid = u.page
        LEFT JOIN by_head h ON c.cluster = h.cluster
        LEFT JOIN by_text t ON c.cluster = t.cluster
        LEFT JOIN copies d ON c.cluster = d.cluster
        LEFT JOIN inner_links l ON c.cluster = l.cluster
        LEFT JOIN skeletons s ON c.cluster = s.cluster
    """
    all_figures = engine.sql(
        figures,
        FIGURES,
        clusters=clusters,
        described=described,
        by_head=by_head,
        by_text=by_text,
        copies=mirrored(run, engine, described),
        inner_links=inner_links(run, engine, described),
        skeletons=skeletons(run, engine, described),
    )
    weighed = engine.map(all_figures, Weighed(duplicates="duplicates" in run.tables))
    # One place ranks them: clusters are few beside pages.
    ranked = f"""
        SELECT row_number() OVER (
            ORDER BY {by} DESC NULLS LAST, pages DESC NULLS LAST, cluster ASC NULLS LAST
        ) AS rank, {", ".join(UNRANKED.names)}
        FROM weighed
    """
    return engine.sql(ranked, STYLE_CLUSTERS.schema, weighed=weighed)


@dataclass(frozen=True)
class Weighed:
    """Rows of style_clusters without ranks, from whole numbers."""

    duplicates: bool
    """Whether it is known which pages are copies."""
    schema: pa.Schema = UNRANKED

    def open(self, threads: int) -> BatchFunction:
        return self._weighed

    def _weighed(self, figures: Batch) -> Batch:
        pages, domains = (pc.cast(figures.column(name), pa.float64()) for name in ("pages", "domains"))
        mean = pc.divide(pc.divide(pc.cast(figures.column("millionths"), pa.float64()), pages), MILLION)
        # Pages without a host have no domain either; together they are one.
        owners = pc.max_element_wise(domains, 1.0)
        words, links = figures.column("words"), figures.column("links")
        names = zip(*(figures.column(name).to_pylist() for name in ("by_head", "by_text")), strict=True)
        copied = share(figures.column("copied"), figures.column("pages"))
        columns = {
            "known_pages": pc.subtract(figures.column("pages"), figures.column("new_pages")),
            "mean_similarity": mean,
            "score": pc.multiply(mean, domains),
            "weight": pc.multiply(pc.multiply(mean, owners), pc.log2(pc.add(pc.divide(pages, owners), 1.0))),
            "name": pa.array([strongest(head, text) for head, text in names], pa.string()),
            "worm": pc.greater(figures.column("worms"), 0),
            "mirrored": copied if self.duplicates else pa.nulls(len(pages), pa.float64()),
            "inner_links": share(figures.column("led_inside"), figures.column("led")),
            "link_density": share(links, pc.add(words, links)),
            "skeleton_similarity": share(
                figures.column("alike"), pc.multiply(figures.column("compared"), MILLION)
            ),
        }
        same = {name: figures.column(name) for name in UNRANKED.names if name in figures.schema.names}
        columns |= {name: column for name, column in same.items() if name not in columns}
        rows = pa.record_batch(columns).to_pylist()
        columns["kind"] = pa.array([kind_of(row) for row in rows], pa.string())
        return pa.RecordBatch.from_arrays([columns[name] for name in UNRANKED.names], schema=UNRANKED)
