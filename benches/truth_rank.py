"""The order of style clusters in a crawl of few sites: do their own templates come first?"""

from __future__ import annotations

import hashlib
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from corpus import url_of
from corpus_apt import evenly
from harness import cache_folder
from truth_corpus import MAX_BYTES, MIN_BYTES, Page

from pagekin.run import Run

CRAWLS, SITES = 12, 3
MIN_PAGES, MAX_PAGES = 30, 60


def small_crawls(packages: Sequence[str]) -> list[list[Page]]:
    """The pages of three sites each, of those packages that have enough of them."""
    mixed = sorted(packages, key=lambda name: hashlib.sha256(f"crawl of {name}".encode()).digest())
    sites = (pages for name in mixed if (pages := list(_pages(name))))
    chosen = list(islice(sites, CRAWLS * SITES))
    last = len(chosen) - len(chosen) % SITES
    return [[page for site in chosen[at : at + SITES] for page in site] for at in range(0, last, SITES)]


def _pages(package: str) -> Iterator[Page]:
    path = cache_folder() / "pool" / f"{package}.zip"
    if not path.exists():
        return
    with zipfile.ZipFile(path) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        fit = sorted(name for name, size in sizes.items() if MIN_BYTES <= size < MAX_BYTES)
        if len(fit) >= MIN_PAGES:
            for name in evenly(fit, MAX_PAGES):
                yield Page(url_of(package, name), archive.read(name), package)


def main_templates_first(run: Run, pages: list[Page], by: str) -> tuple[int, int]:
    """Of the clusters with most of a site's clustered pages, those that a column puts first, and all.

    Two sites may have one template: as many clusters count as first as there are such.
    """
    cluster = {
        row["url"]: row["cluster"] for row in run.table("style_members", ["url", "cluster"]).to_pylist()
    }
    sites: dict[str, Counter[int]] = {page.site: Counter() for page in pages}
    for page in pages:
        if page.url in cluster:
            sites[page.site][cluster[page.url]] += 1
    main = {counts.most_common(1)[0][0] for counts in sites.values() if counts}
    rows = run.table("style_clusters", ["cluster", "pages", by]).to_pylist()
    rows.sort(key=lambda row: (-row[by], -row["pages"], row["cluster"]))
    return len(main & {row["cluster"] for row in rows[: len(main)]}), len(main)
