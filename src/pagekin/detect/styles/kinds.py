"""What kind of cluster it is, and the figures that decide.

stock page   the name says that nobody wrote them: parked, default, error and challenge pages, listings
copy/paste   few pages on each of several hosts, skeletons unlike the centroid's, and no software named: a
             text, script or frameset passed on (the pages of one template differ in skeleton too, but each
             host has many, and those of one platform say what it is)
mirror       at least two fifths of the pages have a text duplicate in the cluster on another host
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
from pagekin.detect.joins import lookup
from pagekin.detect.styles.genres import STOCK
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run

MIRRORED = 0.4
SKELETON = 0.25
PASTED_PER_HOST = 2
INNER_LINKS = 0.3
LINK_DENSITY = 0.05
FARM_DOMAINS = 3
PLATFORMS = ("software: ", "forum: ")
"""How names begin that say what made the pages."""

INNER = pa.schema([("cluster", pa.int64()), ("inner", pa.int64()), ("links", pa.int64())])


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


def cluster_figures(
    members: pa.Table, clusters: pa.ChunkedArray, run: Run, engine: Engine
) -> dict[str, pa.Array]:
    """The figures for each of the clusters, in their order."""
    words, links = (_sums(members, clusters, name) for name in ("words", "links"))
    return {
        "mirrored": _mirrored(members, clusters, run),
        "inner_links": _inner_links(members, clusters, run, engine),
        "link_density": _share(links, pc.add(words, links)),
        "skeleton_similarity": _skeletons(members, clusters, run),
    }


def _sums(members: pa.Table, clusters: pa.ChunkedArray, column: str) -> pa.Array:
    grouped = members.group_by("cluster", use_threads=False).aggregate([(column, "sum")])
    return pc.fill_null(lookup(clusters, grouped, "cluster", f"{column}_sum"), 0)


def _share(part: pa.Array, whole: pa.Array) -> pa.Array:
    """A quotient of whole numbers, 0 where there is nothing."""
    some = pc.max_element_wise(whole, 1)
    return pc.divide(pc.cast(part, pa.float64()), pc.cast(some, pa.float64()))


def _mirrored(members: pa.Table, clusters: pa.ChunkedArray, run: Run) -> pa.Array:
    """Share of members in a duplicate class that has members of the same cluster on another host."""
    if "duplicates" not in run.tables:
        return pa.nulls(len(clusters), pa.float64())
    rows = members.select(["cluster", "page", "host"])
    classes = run.page_columns("duplicates", ["class"], rows["page"])["class"]
    # A page that is alone in its class stands for itself.
    rows = rows.append_column("class", pc.coalesce(classes, rows["page"]))
    grouped = rows.group_by(["cluster", "class"], use_threads=False).aggregate(
        [("host", "count_distinct"), ("page", "count")]
    )
    copied = grouped.filter(pc.greater_equal(grouped["host_count_distinct"], 2))
    pages = _sums(copied, clusters, "page_count")
    counts = rows.group_by("cluster", use_threads=False).aggregate([("page", "count")])
    return _share(pages, lookup(clusters, counts, "cluster", "page_count"))


@dataclass(frozen=True)
class InnerLinks:
    """Of each member's links, how many lead to other domains of its cluster."""

    members: pa.Table
    schema: pa.Schema = INNER

    def open(self, threads: int) -> BatchFunction:
        """Counts by cluster, batch by batch."""
        page, clusters, owners = (
            self.members[name].combine_chunks() for name in ("page", "cluster", "domain")
        )
        pages, ids, domains = _core.KeyLookup(page), _core.KeyLookup(clusters), _core.KeyLookup(owners)
        width = len(self.members)

        def pair(clusters: pa.Array, names: pa.Array) -> pa.Array:
            """One number for a cluster (by place) and a domain."""
            return pc.add(pc.multiply(ids.index_of(clusters), width), domains.index_of(names))

        known = _core.KeyLookup(pair(clusters, owners))

        def counted(batch: Batch) -> Batch:
            rows_of = pages.index_of(batch.column("page"))
            cluster, own = clusters.take(rows_of), owners.take(rows_of)
            target = batch.column("target_domain")
            other = pc.fill_null(pc.not_equal(own, target), False)
            inner = pc.and_(known.contains(pair(cluster, target)), other)
            rows = pa.table({"cluster": cluster, "inner": pc.cast(inner, pa.int64())})
            rows = rows.filter(pc.is_valid(cluster))
            grouped = rows.group_by("cluster", use_threads=False).aggregate(
                [("inner", "sum"), ("inner", "count")]
            )
            columns = [grouped[name].combine_chunks() for name in ("cluster", "inner_sum", "inner_count")]
            return pa.RecordBatch.from_arrays(columns, schema=INNER)

        return counted


def _inner_links(members: pa.Table, clusters: pa.ChunkedArray, run: Run, engine: Engine) -> pa.Array:
    kernel = InnerLinks(members.select(["cluster", "page", "domain"]).combine_chunks())
    data = engine.concat(*(engine.load(known, "links", ["page", "target_domain"]) for known in run.lineage))
    counts = engine.collect(engine.map(data, kernel))
    return _share(_sums(counts, clusters, "inner"), _sums(counts, clusters, "links"))


def _skeletons(members: pa.Table, clusters: pa.ChunkedArray, run: Run) -> pa.Array:
    """Mean similarity of the members' skeletons to the centroid's, itself apart; 0 for pages without one."""
    rows = members.filter(pc.not_equal(members["page"], members["centroid"]))
    own, others = (
        run.page_columns("sketches", ["skeleton"], rows[name])["skeleton"].combine_chunks()
        for name in ("page", "centroid")
    )
    pair = pa.record_batch({"a": own, "b": others})
    found = _core.minima_similarity(pair).column("similarity")
    rows = pa.table({"cluster": rows["cluster"].combine_chunks(), "found": pc.fill_null(found, 0)})
    grouped = rows.group_by("cluster", use_threads=False).aggregate([("found", "sum"), ("found", "count")])
    total = lookup(clusters, grouped, "cluster", "found_sum")
    count = lookup(clusters, grouped, "cluster", "found_count")
    return _share(total, pc.multiply(count, 1_000_000))
