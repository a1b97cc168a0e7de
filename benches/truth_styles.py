"""Style clusters beside what the pages declare of themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from truth_corpus import Page

from pagekin.run import Run

TOP = 30

SAID = {
    "docbook": "docbook xsl",
    "docbook-dsssl": "docbook dsssl",
    "naturaldocs": "natural docs",
    "r-help": "r help",
    "taskjuggler": "tj3man",
}
"""How a name says a label, where it is not the label itself."""


def clusters_of(run: Run) -> dict[str, int]:
    """The cluster of each URL that is in one."""
    rows = run.table("style_members", ["url", "cluster"]).to_pydict()
    return dict(zip(rows["url"], rows["cluster"], strict=True))


def purity(pages: Iterable[Page], cluster: Mapping[str, int]) -> float:
    """Of the labelled pages in clusters, the share that has its cluster's most frequent label."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for page in pages:
        if page.generator and page.url in cluster:
            found[cluster[page.url]][page.generator] += 1
    total = sum(labels.total() for labels in found.values())
    return sum(max(labels.values()) for labels in found.values()) / max(total, 1)


def families(pages: Iterable[Page]) -> dict[str, list[Page]]:
    """The pages of each generator that two sites use."""
    found: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        if page.generator:
            found[page.generator].append(page)
    return {name: part for name, part in found.items() if len({page.site for page in part}) > 1}


def recalls(pages: Iterable[Page], cluster: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """By generator: pages that share their cluster with a page of that generator on another site, of all."""
    found = {}
    for name, part in families(pages).items():
        sites: dict[int, set[str]] = defaultdict(set)
        for page in part:
            if page.url in cluster:
                sites[cluster[page.url]].add(page.site)
        met = sum(page.url in cluster and len(sites[cluster[page.url]]) > 1 for page in part)
        found[name] = (met, len(part))
    return found


def micro(found: Mapping[str, tuple[int, int]]) -> float:
    """Over all pages."""
    return sum(met for met, _ in found.values()) / max(sum(total for _, total in found.values()), 1)


def macro(found: Mapping[str, tuple[int, int]]) -> float:
    """The mean over generators."""
    return sum(met / total for met, total in found.values()) / max(len(found), 1)


def within(pages: Iterable[Page], cluster: Mapping[str, int]) -> float:
    """Of the pages with others of their generator on their own site, the share that meets one of those."""
    groups: dict[tuple[str, str], list[Page]] = defaultdict(list)
    for page in pages:
        if page.generator:
            groups[page.site, page.generator].append(page)
    met = total = 0
    for group in groups.values():
        if len(group) > 1:
            sizes = Counter(cluster[page.url] for page in group if page.url in cluster)
            met += sum(count for count in sizes.values() if count > 1)
            total += len(group)
    return met / max(total, 1)


def pair_recall(pages: Iterable[Page], cluster: Mapping[str, int]) -> float:
    """Of the pairs of pages of one generator on different sites, the share that is in one cluster."""
    together = everyone = 0
    for part in families(pages).values():
        everyone += _cross_pairs(part)
        groups: dict[int, list[Page]] = defaultdict(list)
        for page in part:
            if page.url in cluster:
                groups[cluster[page.url]].append(page)
        together += sum(_cross_pairs(group) for group in groups.values())
    return together / max(everyone, 1)


def _cross_pairs(pages: Sequence[Page]) -> int:
    sites = Counter(page.site for page in pages)
    return _pairs(len(pages)) - sum(_pairs(count) for count in sites.values())


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def completeness(pages: Iterable[Page], cluster: Mapping[str, int]) -> float:
    """Of the labelled pages, the share that is in its generator's largest cluster."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    labelled = 0
    for page in pages:
        if page.generator:
            labelled += 1
            if page.url in cluster:
                found[page.generator][cluster[page.url]] += 1
    return sum(max(counts.values()) for counts in found.values()) / max(labelled, 1)


def joined_by_library(pages: Sequence[Page], cluster: Mapping[str, int]) -> int:
    """Pages of unlike make that are in one cluster with another: all they share is what was put into them."""
    members: dict[int, set[str]] = defaultdict(set)
    for page in pages:
        if page.url in cluster:
            members[cluster[page.url]].add(page.generator or page.site)
    return sum(len(members[cluster[page.url]]) > 1 for page in pages if page.url in cluster)


def names_right(run: Run, pages: Iterable[Page]) -> tuple[int, int, list[str]]:
    """Of the top clusters: right names (what most members declare), no names, and the other names."""
    label = {page.url: page.declared for page in pages}
    members: dict[int, list[str | None]] = defaultdict(list)
    for url, cluster in clusters_of(run).items():
        members[cluster].append(label.get(url))
    right, empty, wrong = 0, 0, []
    for row in run.table("style_clusters", ["rank", "cluster", "name"]).slice(0, TOP).to_pylist():
        most, count = Counter(members[row["cluster"]]).most_common(1)[0]
        declared = most if 2 * count > len(members[row["cluster"]]) else None
        if row["name"] is None:
            empty += 1
        elif declared and SAID.get(declared, declared) in row["name"].lower():
            right += 1
        else:
            wrong.append(f"{row['rank']}: {row['name']} for {declared}")
    return right, empty, wrong
