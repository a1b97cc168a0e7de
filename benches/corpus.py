"""The benchmark corpus: real documentation pages from Debian packages, as one .warc.gz with its labels.

    python benches/corpus.py [--pages 20000] [--cache DIR]

Every package plays one site, `http://<package>.example/`. All packages give the same number of pages, as far
as they have them, so that no generator dominates; the order of the records is as random as in a crawl. The
result depends on the package versions alone, and those are in the labels.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import sys
import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from corpus_apt import CorpusError, evenly, fill_pool, say
from corpus_labels import declared_charset, generator
from corpus_packages import PACKAGES
from harness import cache_folder

DATE = "2024-01-01T00:00:00Z"
# Raise it when the same packages would give other files: cached corpora of an older recipe are made anew.
RECIPE = hashlib.sha256(" ".join(("2", DATE, *PACKAGES)).encode()).hexdigest()[:16].encode()

_COLUMNS: list[pa.Field[Any]] = [
    pa.field("url", pa.string(), nullable=False),
    pa.field("package", pa.string(), nullable=False),
    pa.field("version", pa.string(), nullable=False),  # of the package
    pa.field("generator", pa.string()),  # family name; null when the page does not say
    pa.field("charset", pa.string()),  # as declared in the page, lower case; null when not declared
    pa.field("non_ascii", pa.bool_(), nullable=False),
    pa.field("html_bytes", pa.int64(), nullable=False),
]
LABELS = pa.schema(_COLUMNS, metadata={b"recipe": RECIPE})


@dataclass(frozen=True)
class Corpus:
    """Where the corpus is, and how large."""

    warc: Path
    labels: Path
    pages: int
    html_bytes: int


class Page(NamedTuple):
    """One chosen page: its URL, and where its bytes are in the pool."""

    url: str
    package: str
    name: str


def corpus(pages: int = 20000, cache: Path | None = None) -> Corpus:
    """The corpus of that many pages; made on the first call, which fetches packages with apt."""
    cache = cache or cache_folder()
    warc = cache / f"corpus-{pages}.warc.gz"
    labels = cache / f"corpus-{pages}.labels.parquet"
    if not _is_made(warc, labels):
        cache.mkdir(parents=True, exist_ok=True)
        fill_pool(PACKAGES, cache / "pool")
        _make(pages, cache / "pool", warc, labels)
    sizes = pq.read_table(labels, columns=["html_bytes"])["html_bytes"]
    return Corpus(warc, labels, len(sizes), pc.sum(sizes).as_py())


def _is_made(warc: Path, labels: Path) -> bool:
    # The labels are written last: where they are, the WARC is complete.
    if not (warc.exists() and labels.exists()):
        return False
    return (pq.read_schema(labels).metadata or {}).get(b"recipe") == RECIPE


def shares(counts: Mapping[str, int], pages: int) -> dict[str, int]:
    """How many pages each package gives: all the same, or all they have, and `pages` together.

    >>> shares({"a": 9, "b": 2, "c": 9}, 9)
    {'a': 4, 'b': 2, 'c': 3}
    """
    if sum(counts.values()) < pages:
        raise CorpusError(f"the packages have {sum(counts.values())} pages together, fewer than {pages}")
    low, high = 0, max(counts.values(), default=0)
    while low < high:  # the highest level that does not give too many
        level = (low + high + 1) // 2
        if sum(min(count, level) for count in counts.values()) <= pages:
            low = level
        else:
            high = level - 1
    given = {package: min(count, low) for package, count in counts.items()}
    rest = pages - sum(given.values())
    for package, count in counts.items():
        if rest and count > low:
            given[package] += 1
            rest -= 1
    return given


def url_of(package: str, name: str) -> str:
    """The page's made-up URL, under one registered domain per package.

    >>> url_of("libstdc++-12-doc", "usr/share/doc/libstdc++-12-doc/html/faq.html")
    'http://libstdcpp-12-doc.example/libstdc%2B%2B-12-doc/html/faq.html'
    """
    # Dots would make subdomains of a name that is then not the package's alone.
    site = package.replace("++", "pp").replace("+", "p").replace(".", "-")
    return f"http://{site}.example/{quote(name.removeprefix('usr/share/doc/'))}"


def choose(pool: Mapping[str, Sequence[str]], pages: int) -> list[Page]:
    """The pages of the corpus, out of every package's page names, in the order of the records."""
    given = shares({package: len(names) for package, names in pool.items()}, pages)
    chosen = [
        Page(url_of(package, name), package, name)
        for package, count in given.items()
        for name in evenly(sorted(pool[package]), count)
    ]
    assert len({page.url for page in chosen}) == len(chosen), "two packages share a site name"
    # Neighbours in a crawl file are strangers; a run of one template would flatter caches and dictionaries.
    return sorted(chosen, key=lambda page: hashlib.sha256(page.url.encode()).digest())


def _make(pages: int, pool: Path, warc: Path, labels: Path) -> None:
    """Write both files, each under its name only when it is complete."""
    labels.unlink(missing_ok=True)
    zips = {package: pool / f"{package}.zip" for package in PACKAGES if (pool / f"{package}.zip").exists()}
    opened = {package: zipfile.ZipFile(path) for package, path in zips.items()}
    rows: list[dict[str, object]] = []
    part = warc.with_suffix(".part")
    try:
        chosen = choose({package: archive.namelist() for package, archive in opened.items()}, pages)
        say(f"writing {warc}")
        with part.open("wb") as out:
            for page in chosen:
                html = opened[page.package].read(page.name)
                out.write(gzip.compress(record(page.url, html), 6, mtime=0))
                rows.append(
                    {
                        "url": page.url,
                        "package": page.package,
                        "version": opened[page.package].comment.decode(),
                        "generator": generator(html),
                        "charset": declared_charset(html),
                        "non_ascii": not html.isascii(),
                        "html_bytes": len(html),
                    }
                )
    finally:
        for archive in opened.values():
            archive.close()
    part.replace(warc)
    part = labels.with_suffix(".part")
    pq.write_table(pa.Table.from_pylist(rows, LABELS), part)
    part.replace(labels)


def record(url: str, html: bytes, date: str = DATE) -> bytes:
    """A WARC response record. HTTP names no charset: finding it is part of what we measure."""
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(html)) + html
    digest = base64.b32encode(hashlib.sha1(html, usedforsecurity=False).digest()).decode()
    header = (
        "WARC/1.0\r\n"
        "WARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
        f"WARC-Date: {date}\r\n"
        f"WARC-Target-URI: {url}\r\n"
        f"WARC-Payload-Digest: sha1:{digest}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n"
        "\r\n"
    )
    return header.encode() + block + b"\r\n\r\n"


def summary(made: Corpus) -> Iterator[str]:
    """What is in the corpus, line by line."""
    table = pq.read_table(made.labels)
    packages = len(set(table["package"].to_pylist()))
    compressed = made.warc.stat().st_size
    yield f"{made.pages:,} pages of {packages} packages, {made.html_bytes / 1e6:.0f} MB of HTML"
    yield f"{made.warc}: {compressed / 1e6:.0f} MB"
    undeclared = table["charset"].null_count
    non_ascii = pc.sum(table["non_ascii"]).as_py()
    yield f"beyond ASCII: {non_ascii / made.pages:.1%}; no charset declared: {undeclared / made.pages:.1%}"
    for title in ("charset", "generator"):
        groups = table.group_by(title).aggregate([("html_bytes", "count"), ("html_bytes", "sum")]).to_pylist()
        yield ""
        yield f"{title:<20} {'pages':>7} {'MB':>7}"
        for group in sorted(groups, key=lambda group: (-group["html_bytes_count"], group[title] or "")):
            name, pages, size = group[title] or "(none)", group["html_bytes_count"], group["html_bytes_sum"]
            yield f"{name:<20} {pages:>7,} {size / 1e6:>7.1f}"


def main() -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Build the benchmark corpus, or say what is in it.")
    parser.add_argument("--pages", type=int, default=20000, help="how many pages (default 20000)")
    parser.add_argument(
        "--cache", type=Path, default=None, help=f"where to keep it (default {cache_folder()})"
    )
    options = parser.parse_args()
    if options.pages < 1:
        parser.error("--pages must be at least 1")
    try:
        made = corpus(options.pages, options.cache)
    except CorpusError as error:
        say(f"error: {error}")
        return 1
    print("\n".join(summary(made)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
