"""Quilts, duplicates and fuzzy classes beside what was planted, and beside the texts themselves."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from truth_corpus import Page, jaccard, phrases

import pagekin
from pagekin import _core
from pagekin.run import Run


class Texts:
    """The words and phrases of a run's pages."""

    def __init__(self, run: Run) -> None:
        rows = run.table("texts", ["url", "text"]).to_pydict()
        self.text: dict[str, str] = dict(zip(rows["url"], rows["text"], strict=True))
        self._phrases: dict[str, set[tuple[str, ...]]] = {}

    def phrases(self, url: str) -> set[tuple[str, ...]]:
        """The page's plain phrases."""
        if url not in self._phrases:
            self._phrases[url] = phrases(_core.words(self.text[url]))
        return self._phrases[url]

    def similarity(self, a: str, b: str) -> float:
        """The exact Jaccard coefficient of two pages."""
        return jaccard(self.phrases(a), self.phrases(b))


def honest_quilts(run: Run, texts: Texts) -> tuple[int, int]:
    """Quilts of which half the phrases are on pages of other domains, of all that are reported."""
    pages = run.table("pages", ["url", "domain"]).to_pydict()
    domain = dict(zip(pages["url"], pages["domain"], strict=True))
    reported = run.table("quilts", ["url"])["url"].to_pylist()
    wanted: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for url in reported:
        for phrase in texts.phrases(url):
            wanted[phrase] = set()
    for url in texts.text:
        for phrase in texts.phrases(url) & wanted.keys() if wanted else ():
            wanted[phrase].add(domain[url])
    honest = 0
    for url in reported:
        foreign = sum(bool(wanted[phrase] - {domain[url]}) for phrase in texts.phrases(url))
        honest += 2 * foreign >= len(texts.phrases(url))
    return honest, len(reported)


def planted_quilts(run: Run, planted: Sequence[Page]) -> tuple[int, int]:
    """Planted quilts with enough of their text from sources that are found with all of them, of all such."""
    theta = run.params.quilts.theta
    rows = run.table("quilt_sources", ["url", "source_url"]).to_pydict()
    sources: dict[str, set[str]] = defaultdict(set)
    for url, source in zip(rows["url"], rows["source_url"], strict=True):
        sources[url].add(source)
    due = [page for page in planted if (page.covered or 0) >= theta]
    same = _representatives(run)
    found = sum(
        {same.get(url, url) for url in page.sources} <= {same.get(url, url) for url in sources[page.url]}
        for page in due
    )
    return found, len(due)


def _representatives(run: Run) -> dict[str, str]:
    """For a page of a duplicate class, the one that stands for it."""
    rows = run.table("duplicates", ["page", "url", "representative"]).to_pylist()
    url = {row["page"]: row["url"] for row in rows}
    return {row["url"]: url[row["representative"]] for row in rows}


def planted_edits(
    run: Run, planted: Sequence[Page], min_similarity: float, max_similarity: float
) -> tuple[int, int]:
    """Edited copies of such a similarity that are in one class with what they were made from, of all such."""
    rows = run.table("duplicates", ["url", "class"]).to_pydict()
    classes = dict(zip(rows["url"], rows["class"], strict=True))
    due = [page for page in planted if min_similarity <= (page.similarity or 0) < max_similarity]
    met = sum(page.url in classes and classes[page.url] == classes.get(page.sources[0]) for page in due)
    return met, len(due)


def alike_pairs(texts: Texts, min_similarity: float) -> Iterator[tuple[str, str]]:
    """All pairs of pages that are at least so similar.

    Not every pair is compared: of two such sets, the rarest phrases of each have one in common, as the others
    alone would be too few.
    """
    often = Counter(phrase for url, text in texts.text.items() if text for phrase in texts.phrases(url))
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for url, text in texts.text.items():
        if not _core.words(text):
            continue
        rarest = sorted(texts.phrases(url), key=lambda phrase: (often[phrase], phrase))
        prefix = rarest[: len(rarest) - math.ceil(min_similarity * len(rarest)) + 1]
        met = {other for phrase in prefix for other in holders[phrase]}
        yield from ((url, other) for other in met if texts.similarity(url, other) >= min_similarity)
        for phrase in prefix:
            holders[phrase].append(url)


def found_duplicates(run: Run, texts: Texts, min_similarity: float) -> tuple[int, int]:
    """Pairs of pages that are at least so similar and in one class, of all."""
    rows = run.table("duplicates", ["url", "class"]).to_pydict()
    classes = dict(zip(rows["url"], rows["class"], strict=True))
    pairs = list(alike_pairs(texts, min_similarity))
    return sum(a in classes and classes[a] == classes.get(b) for a, b in pairs), len(pairs)


def parents(run: Run, texts: Texts, table: str, planted: Sequence[Page]) -> tuple[int, int]:
    """The planted sources that a table names, of all that share as much as `min_shared` asks for."""
    rows = run.table(table, ["url", "source_url"]).to_pydict()
    named = set(zip(rows["url"], rows["source_url"], strict=True))
    same = _representatives(run)
    named |= {(url, same.get(source, source)) for url, source in named}
    due = [
        (page.url, source)
        for page in planted
        if page.kind == "borrower"
        for source in page.sources
        if _shared(texts, page.url, source) >= run.params.quilts.min_shared
    ]
    return sum((url, source) in named or (url, same.get(source)) in named for url, source in due), len(due)


def _shared(texts: Texts, url: str, source: str) -> float:
    """Of a page's phrases, the share that is the source's too."""
    return len(texts.phrases(url) & texts.phrases(source)) / len(texts.phrases(url))


def framed_quilts(run: Run, planted: Sequence[Page]) -> int:
    """Negatives that are called quilts."""
    quilts = set(run.table("quilts", ["url"])["url"].to_pylist())
    return sum(page.kind == "framed" and page.url in quilts for page in planted)


def true_duplicates(run: Run, texts: Texts, min_similarity: float) -> tuple[int, int]:
    """Pages of duplicate classes that are at least so similar to another page of their class, of all."""
    classes: dict[int, list[str]] = defaultdict(list)
    for row in run.table("duplicates", ["url", "class"]).to_pylist():
        classes[row["class"]].append(row["url"])
    good = total = 0
    for urls in classes.values():
        total += len(urls)
        for url in urls:
            good += any(texts.similarity(url, other) >= min_similarity for other in urls if other != url)
    return good, total


def true_fuzzy(run: Run, texts: Texts, min_similarity: float) -> tuple[int, int]:
    """Near pages of fuzzy classes that are at least so similar to their representative, of all."""
    rows = run.table("fuzzy", ["page", "url", "representative", "kind"]).to_pylist()
    url = {row["page"]: row["url"] for row in rows}
    near = [row for row in rows if row["kind"] == "near"]
    good = sum(texts.similarity(row["url"], url[row["representative"]]) >= min_similarity for row in near)
    return good, len(near)


@dataclass(frozen=True)
class ScoredPair:
    """Two pages with digests that are alike."""

    similarity: float
    length: int
    """Characters of the shorter text."""
    together: bool
    """They are in one class of `fuzzy`."""


def scored_pairs(run: Run, texts: Texts, pages: Sequence[Page], min_score: int) -> list[ScoredPair]:
    """The pairs of unlike texts whose digests score so high."""
    wanted = {page.url for page in pages}
    rows = run.table("pages", ["page", "url"]).to_pydict()
    url = dict(zip(rows["page"], rows["url"], strict=True))
    classes = {row["url"]: row["class"] for row in run.table("fuzzy", ["url", "class"]).to_pylist()}
    by_size: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row in run.table("sketches", ["page", "ssdeep"]).to_pylist():
        size, longer = (row["ssdeep"] or "0:").split(":")[:2]
        if url[row["page"]] in wanted and len(longer) >= run.params.fuzzy.min_length:
            by_size[int(size)].append((url[row["page"]], row["ssdeep"]))
    found = []
    for size, digests in sorted(by_size.items()):
        larger = by_size.get(2 * size, [])
        for at, (one, digest) in enumerate(digests):
            for other, its in (*digests[at + 1 :], *larger):
                if texts.text[one] != texts.text[other] and pagekin.ssdeep_score(digest, its) >= min_score:
                    length = min(len(texts.text[one]), len(texts.text[other]))
                    together = one in classes and classes[one] == classes.get(other)
                    found.append(ScoredPair(texts.similarity(one, other), length, together))
    return found
