"""Page types inside one site: do clusters tell a class from a list of classes?

Javadoc and Doxygen say in a file's name what type of page it is.
"""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from corpus import url_of
from corpus_apt import evenly
from corpus_labels import generator
from harness import cache_folder
from truth_corpus import MIN_BYTES, Page

LOOKED_AT = 60
MIN_PAGES, MIN_TYPES = 30, 3
MAX_BYTES = 500_000

NAMES = (
    *("package-summary", "package-tree", "package-use", "package-frame", "allclasses", "overview", "index"),
    *("help-doc", "constant-values", "serialized-form", "deprecated-list"),
)
"""Pages of Javadoc whose names say their type."""

TYPES = {
    "javadoc": (
        ("use", r"/class-use/"),
        ("source", r"/src-html/"),
        ("index", r"/index-files/"),
        *((name, rf"/{name}[^/]*$") for name in NAMES),
        ("class", r"/[A-Z][^/]*$"),
    ),
    "doxygen": (
        ("search", r"/search/"),
        ("source", r"_source\.html$"),
        ("members", r"-members\.html$"),
        ("folder", r"/dir_[^/]*$"),
        ("file", r"_8\w+\.html$"),
        ("class", r"/(?:class|struct|union|interface)(?!es)[^/]*$"),
        ("namespace", r"/namespace(?!s|members)[^/]*$"),
        ("group", r"/group__[^/]*$"),
        ("list", r"/(?:functions|globals|namespacemembers)[^/]*$"),
    ),
}
"""Generator → type, what the path of such a page has; the first that fits."""


def typed_pages(packages: Sequence[str]) -> dict[Page, str]:
    """Pages of the packages that have many of them in several types, each with its type."""
    found: dict[Page, str] = {}
    for package in packages:
        archive = cache_folder() / "pool" / f"{package}.zip"
        if archive.exists():
            pages = dict(_typed(package, archive))
            if len(pages) >= MIN_PAGES and len(set(pages.values())) >= MIN_TYPES:
                found |= pages
    return found


def _typed(package: str, path: Path) -> Iterator[tuple[Page, str]]:
    with zipfile.ZipFile(path) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        fit = sorted(name for name, size in sizes.items() if MIN_BYTES <= size < MAX_BYTES)
        for name in evenly(fit, LOOKED_AT):
            body = archive.read(name)
            rules = TYPES.get(generator(body) or "", ())
            kind = next((kind for kind, pattern in rules if re.search(pattern, f"/{name}")), None)
            # What is loaded into the search box has neither text nor frame.
            if kind and kind != "search":
                yield Page(url_of(package, name), body, package), kind


def pairs_of_types(types: Mapping[Page, str], cluster: Mapping[str, int]) -> tuple[float, float]:
    """Pairs of one site: of those together the share of one type, of those of one type the share together."""
    sites: dict[str, list[Page]] = defaultdict(list)
    for page in types:
        sites[page.site].append(page)
    together = same = both = 0
    for a, b in (pair for pages in sites.values() for pair in combinations(pages, 2)):
        joined = a.url in cluster and cluster[a.url] == cluster.get(b.url)
        together += joined
        same += types[a] == types[b]
        both += joined and types[a] == types[b]
    return both / max(together, 1), both / max(same, 1)
