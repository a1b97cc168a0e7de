"""What kind of cluster it is, and the figures that decide.

stock page   the name says that nobody wrote them: parked, default, error and challenge pages, listings
copy/paste   few pages on each of several hosts, skeletons unlike the centroid's, and no software named: a
             text, script or frameset passed on (the pages of one template differ in skeleton too, but each
             host has many, and those of one platform say what it is)
mirror       at least two fifths of the pages have a text duplicate in the cluster on another host, of enough
             words: the same four words on many sites are a program's, and nobody copied them
link farm    several domains, much of whose links lead to each other, on pages dense with links
template     all others: pages that one piece of software filled in
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.styles.genres import STOCK
from pagekin.detect.styles.kernels import ints
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run

MIRRORED = 0.4
MIRROR_WORDS = 20
SKELETON = 0.25
PASTED_PER_HOST = 2
INNER_LINKS = 0.3
LINK_DENSITY = 0.05
FARM_DOMAINS = 3
PLATFORMS = ("software: ", "forum: ")
"""How names begin that say what made the pages."""

CLASSES = pa.schema(ints("page", "class"))
COPIED = pa.schema(ints("cluster", "copied"))
INNER = pa.schema(ints("cluster", "led_inside", "led"))
PAIRS = pa.schema([*ints("cluster"), ("a", pa.binary()), ("b", pa.binary())])
ALIKE = pa.schema(ints("cluster", "alike"))
SKELETONS = pa.schema(ints("cluster", "alike", "compared"))


def kind_of(cluster: Mapping[str, Any]) -> str | None:
    """The kind, by the figures in a row of style_clusters; None where duplicates are not known.

    Examples:
        >>> figures = {"mirrored": 0.0, "inner_links": 0.9, "link_density": 0.2, "skeleton_similarity": 0.9}
        >>> kind_of({"pages": 900, "hosts": 40, "domains": 40, **figures})
        'link farm'
        >>> kind_of({"pages": 900, "hosts": 40, "domains": 40, **figures, "inner_links": 0.0})
        'template'
    """
    if cluster["mirrored"] is None:
        return None
    if cluster.get("name") in STOCK:
        return "stock page"
    scattered = cluster["hosts"] >= 2 and cluster["pages"] < PASTED_PER_HOST * cluster["hosts"]
    platform = (cluster.get("name") or "").startswith(PLATFORMS)
    if scattered and not platform and cluster["skeleton_similarity"] < SKELETON:
        return "copy/paste"
    if cluster["mirrored"] >= MIRRORED:
        return "mirror"
    linked = cluster["inner_links"] >= INNER_LINKS and cluster["link_density"] >= LINK_DENSITY
    if cluster["domains"] >= FARM_DOMAINS and linked:
        return "link farm"
    return "template"


def share(part: pa.Array, whole: pa.Array) -> pa.Array:
    """A quotient of whole numbers, 0 where there is nothing."""
    some = pc.max_element_wise(whole, 1)
    return pc.divide(pc.cast(part, pa.float64()), pc.cast(some, pa.float64()))


def mirrored(run: Run, engine: Engine, described: Any) -> Any:
    """How many members have enough words, and a text duplicate in their cluster on another host."""
    runs = [old for old in run.lineage if "duplicates" in old.tables]
    if "duplicates" not in run.tables:
        return engine.table(COPIED.empty_table())
    # A known representative is listed again by each run that adds to its class.
    classes = engine.concat(*(engine.load(old, "duplicates", CLASSES.names) for old in runs))
    # A page that is alone in its class stands for itself.
    query = f"""
        SELECT cluster, CAST(sum(pages) AS BIGINT) AS copied
        FROM (
            SELECT m.cluster, coalesce(d.class_id, m.page) AS class_id, count(*) AS pages,
                count(DISTINCT m.host) AS hosts
            FROM described m
            LEFT JOIN (SELECT page, min(class) AS class_id FROM classes GROUP BY page) d ON m.page = d.page
            WHERE m.words >= {MIRROR_WORDS}
            GROUP BY m.cluster, coalesce(d.class_id, m.page)
        ) together
        WHERE hosts >= 2
        GROUP BY cluster
    """
    return engine.sql(query, COPIED, described=described, classes=classes)


def inner_links(run: Run, engine: Engine, described: Any) -> Any:
    """Of the members' links, how many lead to other domains of their cluster."""
    links = engine.concat(*(engine.load(old, "links", ["page", "target_domain"]) for old in run.lineage))
    query = """
        SELECT f.cluster, CAST(sum(CASE WHEN d.domain IS NULL THEN 0 ELSE f.led END) AS BIGINT) AS led_inside,
            CAST(sum(f.led) AS BIGINT) AS led
        FROM (
            SELECT m.cluster, m.domain, l.target_domain, count(*) AS led
            FROM links l JOIN described m ON l.page = m.page
            GROUP BY m.cluster, m.domain, l.target_domain
        ) f
        LEFT JOIN (SELECT DISTINCT cluster, domain FROM described) d
            ON f.cluster = d.cluster AND f.target_domain = d.domain AND f.target_domain <> f.domain
        GROUP BY f.cluster
    """
    return engine.sql(query, INNER, links=links, described=described)


@dataclass(frozen=True)
class SkeletonSimilarity:
    """How similar two skeletons are, in millionths; 0 for pages without one."""

    schema: pa.Schema = ALIKE

    def open(self, threads: int) -> BatchFunction:
        def compared(batch: Batch) -> Batch:
            found = _core.minima_similarity(batch).column("similarity")
            return pa.RecordBatch.from_arrays([batch.column("cluster"), pc.fill_null(found, 0)], schema=ALIKE)

        return compared


def skeletons(run: Run, engine: Engine, described: Any) -> Any:
    """Sums of the similarities of the members' skeletons to the centroid's, itself apart."""
    sketches = engine.concat(*(engine.load(old, "sketches", ["page", "skeleton"]) for old in run.lineage))
    # The centroids' skeletons first: one row a cluster.
    query = """
        SELECT m.cluster, s.skeleton AS a, c.skeleton AS b
        FROM described m
        JOIN (
            SELECT n.cluster, k.skeleton
            FROM described n JOIN sketches k ON n.page = k.page
            WHERE n.page = n.centroid
        ) c ON m.cluster = c.cluster
        JOIN sketches s ON m.page = s.page
        WHERE m.page <> m.centroid
    """
    pairs = engine.sql(query, PAIRS, described=described, sketches=sketches)
    summed = """
        SELECT cluster, CAST(sum(alike) AS BIGINT) AS alike, count(*) AS compared FROM found GROUP BY cluster
    """
    return engine.sql(summed, SKELETONS, found=engine.map(pairs, SkeletonSimilarity()))
