"""Style clusters."""

from __future__ import annotations

import pyarrow as pa

from pagekin.tables.base import PAGE, URL, Column, Table

STYLE_KINDS = ("template", "link farm", "mirror", "copy/paste", "stock page")
"""What a cluster may be."""

_RANK = Column(
    "rank",
    pa.int64(),
    "1 for the highest weight (the highest score with style.rank = `score`, as in the paper); then by "
    "pages, then by cluster",
)
_CLUSTER = Column("cluster", pa.int64(), "the cluster: the smallest page id in it")

STYLE_CLUSTERS = Table(
    "style_clusters",
    "Pages joined by style similarity, one row a cluster.",
    ("rank",),
    (
        _RANK,
        _CLUSTER,
        Column("pages", pa.int64(), "pages in it, known ones included"),
        Column("known_pages", pa.int64(), "those of the runs that this one was made against"),
        Column("hosts", pa.int64(), "different hosts"),
        Column("domains", pa.int64(), "different registered domains"),
        Column("mean_similarity", pa.float64(), "mean similarity of the members to the centroid"),
        Column("score", pa.float64(), "mean_similarity × domains: the paper's order"),
        Column(
            "weight",
            pa.float64(),
            "mean_similarity × domains × log2(1 + pages / domains): the score where each domain has one "
            "page, and more where domains have many",
        ),
        Column(
            "kind",
            pa.string(),
            f"{', '.join(STYLE_KINDS)}; null without duplicates",
        ),
        Column("name", pa.string(), "the genre or software, by what the pages say of themselves"),
        Column("centroid", pa.int64(), "page: the member with the highest mean similarity to the others"),
        Column("centroid_url", pa.string(), "its URL"),
        Column(
            "cohesion",
            pa.float64(),
            "share of all pairs that are linked: 1 if all are (from a sample if the cluster is large)",
        ),
        Column("worm", pa.bool_(), "less than half of the pairs are linked"),
        Column(
            "mirrored",
            pa.float64(),
            "share of members with a text duplicate in it on another host; texts below 20 words do not count",
        ),
        Column("inner_links", pa.float64(), "share of the members' links that lead to its other domains"),
        Column("link_density", pa.float64(), "links among links and words"),
        Column("skeleton_similarity", pa.float64(), "mean similarity of the tag skeletons to the centroid's"),
    ),
    brief=("rank", "pages", "domains", "mean_similarity", "kind", "name", "centroid_url"),
)

STYLE_MEMBERS = Table(
    "style_members",
    "The pages of the clusters; with --against, the new ones.",
    ("rank", "-similarity", "page"),
    (
        _RANK,
        _CLUSTER,
        PAGE,
        URL,
        Column(
            "similarity",
            pa.float64(),
            "estimated Jaccard similarity to the centroid, of noise or structure: the higher",
        ),
    ),
    brief=("rank", "similarity", "url"),
)
