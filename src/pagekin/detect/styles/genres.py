"""Names for clusters, from what their pages say of themselves (`signatures.toml`), strongest evidence first.

What most members say in their heads names a cluster; else what most of the texts say that are read. A text
counts more than a head where one program is built on another: pages by Sphinx say Docutils in their heads.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.joins import lookup
from pagekin.detect.styles.signatures import by_head, name_by_text, table
from pagekin.run import Run

MOST = 0.5
"""More than this share of the members must say the same."""

READ = 8
"""Members of a cluster whose texts are read: the first ones, and the centroid."""

STOCK = {"parked domain", "default server page", "error page", "challenge page", "directory listing"}
"""Genres of pages that nobody wrote: the server, the registrar or a guard puts them up."""


def name_clusters(
    members: pa.Table,
    clusters: pa.ChunkedArray,
    centroids: pa.ChunkedArray,
    run: Run,
) -> pa.Array:
    """A name for each of the clusters, null where the pages do not say."""
    by_vote = lookup(clusters, _voted(members), "cluster", "name").to_pylist()
    by_text = _read(members, clusters, centroids, run)
    names = [strongest(head, text) for head, text in zip(by_vote, by_text, strict=True)]
    return pa.array(names, pa.string())


def strongest(head: str | None, text: str | None) -> str | None:
    """The name that counts more.

    Examples:
        >>> strongest("software: Docutils", "software: Sphinx")
        'software: Sphinx'
        >>> strongest("software: Doxygen", "software: WordPress"), strongest(None, "forum: phpBB")
        ('software: Doxygen', 'forum: phpBB')
        >>> strongest("software: WordPress", "parked domain")
        'parked domain'
    """
    if head is None or text is None:
        return head or text
    if head in STOCK:
        return head
    if text in STOCK or _built_on().get(text) == head:
        return text
    return head


def _built_on() -> dict[str, str]:
    """Software → the software that it is built on."""
    pairs = [(entry, below) for entry in table() for below in entry.over]
    return {f"{entry.genre}: {entry.name}": f"{entry.genre}: {below}" for entry, below in pairs}


def _voted(members: pa.Table) -> pa.Table:
    """What most members of a cluster say in their heads: cluster, name."""
    said = members.select(["cluster", "generator", "title"])
    kinds = said.group_by(["generator", "title"], use_threads=False).aggregate([])
    names = [by_head(row["generator"], row["title"]) for row in kinds.to_pylist()]
    keyed = kinds.append_column("name", pa.array(names, pa.string()))
    keyed = keyed.append_column("key", _key(keyed))
    said = said.append_column("name", lookup(_key(said), keyed, "key", "name"))
    votes = said.group_by(["cluster", "name"], use_threads=False).aggregate([("name", "count")])
    totals = said.group_by("cluster", use_threads=False).aggregate([([], "count_all")])
    share = pc.divide(
        pc.cast(votes["name_count"], pa.float64()),
        pc.cast(lookup(votes["cluster"], totals, "cluster", "count_all"), pa.float64()),
    )
    return votes.filter(pc.greater(share, MOST))


def _key(rows: pa.Table) -> pa.ChunkedArray:
    """Generator and title in one string."""
    return pc.binary_join_element_wise(
        pc.fill_null(rows["generator"], "\1"), pc.fill_null(rows["title"], "\1"), "\0"
    )


def _read(
    members: pa.Table, clusters: pa.ChunkedArray, centroids: pa.ChunkedArray, run: Run
) -> list[str | None]:
    """What most of the texts say that are read, for each of the clusters."""
    chosen: dict[int, list[int]] = defaultdict(list)
    for cluster, centroid in zip(clusters.to_pylist(), centroids.to_pylist(), strict=True):
        chosen[cluster].append(centroid)
    ordered = members.select(["cluster", "page"]).sort_by([("cluster", "ascending"), ("page", "ascending")])
    for cluster, page in zip(ordered["cluster"].to_pylist(), ordered["page"].to_pylist(), strict=True):
        if len(chosen[cluster]) < READ and page not in chosen[cluster]:
            chosen[cluster].append(page)
    wanted = [page for pages in chosen.values() for page in pages]
    texts = run.page_columns("texts", ["text"], wanted)["text"].to_pylist()
    said = {page: name_by_text(text) for page, text in zip(wanted, texts, strict=True)}
    found: list[str | None] = []
    for cluster in clusters.to_pylist():
        votes = Counter(said[page] for page in chosen[cluster])
        name, count = max(votes.items(), key=lambda vote: (vote[1], vote[0] or ""))
        found.append(name if count > MOST * len(chosen[cluster]) else None)
    return found
