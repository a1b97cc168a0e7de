"""Duplicates among ranked search results (Figuerola et al. 2011, figure 4).

Results come as JSONL with `query`, `rank`, `url` and `html` or `text`, or as a TREC run file. The documents
of that are found in run folders and crawls: by their addresses, by the `id` that a row of JSONL or Parquet
has, or by the number of the page in a run. A result is a duplicate when a better ranked one for the same
query has the same text, or a digest that scores high against its own.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path
from typing import IO, Any

from pagekin import _core
from pagekin.detect.rows import tuples
from pagekin.errors import InputError
from pagekin.params import FuzzyParams
from pagekin.readers import read_pages
from pagekin.run import Run

UNIQUE, EXACT, NEAR, MISSING = "unique", "exact", "near", "missing"
KINDS = (UNIQUE, EXACT, NEAR, MISSING)

TOP = 750
"""Results looked at for each query in the paper."""


@dataclass(frozen=True)
class Page:
    """What is compared of a result."""

    md5: bytes
    ssdeep: str
    words: bool
    """it has some"""

    @classmethod
    def of(cls, text: str) -> Page:
        """From its text."""
        text = _plain(text)
        digest = md5(text.encode(), usedforsecurity=False).digest()
        return cls(digest, _core.ssdeep(text.encode()), bool(_core.words(text)))


@dataclass(frozen=True)
class Result:
    """One line of a ranked list."""

    query: str
    rank: int
    url: str
    page: Page | None
    line: str = ""
    """of a TREC file, as it was"""


@dataclass(frozen=True)
class Judged:
    """A result, and what it is to the better ranked ones."""

    result: Result
    kind: str
    of: Result | None
    """the result it repeats"""
    score: int | None


@dataclass
class Audit:
    """All queries in the order of the file, their results in the order of their ranks."""

    trec: bool
    skipped: int = 0
    """lines that are no results"""
    queries: dict[str, list[Judged]] = field(default_factory=dict)

    def counts(self, query: str) -> Counter[str]:
        """How many results of each kind a query has."""
        return Counter(judged.kind for judged in self.queries[query])

    def curve(self) -> list[dict[str, float]]:
        """For each place in the lists, the mean over queries of results of each kind up to there."""
        longest = max(map(len, self.queries.values()), default=0)
        sums = [Counter[str]() for _ in range(longest)]
        for results in self.queries.values():
            so_far: Counter[str] = Counter()
            for place in range(longest):
                if place < len(results):
                    so_far[results[place].kind] += 1
                sums[place].update(so_far)
        return [
            {"rank": place + 1, **{kind: at[kind] / len(self.queries) for kind in KINDS}}
            for place, at in enumerate(sums)
        ]

    def ranking(self) -> Iterator[str]:
        """The results without duplicates, ranked anew, in the format they came in."""
        for results in self.queries.values():
            kept = (judged.result for judged in results if judged.kind in (UNIQUE, MISSING))
            for rank, result in enumerate(kept, 1):
                if self.trec:
                    parts = result.line.split()
                    yield " ".join([*parts[:3], str(rank), *parts[4:]])
                else:
                    row = {"query": result.query, "rank": rank, "url": result.url, "was": result.rank}
                    yield json.dumps(row, ensure_ascii=False)


def audit(
    results: Path, pages: Sequence[str] = (), top: int = TOP, params: FuzzyParams | None = None
) -> Audit:
    """Judges the first results of each query.

    Args:
        results: A JSONL file, or a TREC run file, which needs `pages`; gzip by its name.
        pages: Run folders or crawls that hold the documents of a TREC run file.
        top: How many results of each query to judge.
        params: From which score on results are near duplicates, and the least digest.
    """
    params = params or FuzzyParams()
    number, first = _first_line(results)
    found = Audit(trec=not first.lstrip().startswith("{"))
    if found.trec and not pages:
        if _trec(first) is None:
            raise InputError(_no_trec(results, number))
        raise InputError(f"{results} is a TREC run file: name a run or crawl with its pages in --pages")
    lists: dict[str, list[Result]] = defaultdict(list)
    parse = _trec if found.trec else _json
    try:
        with _open(results) as lines:
            for result in _results(lines, parse, found):
                lists[result.query].append(result)
    except (OSError, EOFError) as error:
        raise InputError(f"cannot read {results}: {error}") from error
    if not lists:
        if found.trec:
            raise InputError(_no_trec(results, number))
        raise InputError(f"{results} holds no results: give JSONL with query, rank, url and html or text")
    for ranked in lists.values():
        ranked.sort(key=lambda result: result.rank)
        del ranked[top:]
    known = _pages(pages, {r.url for ranked in lists.values() for r in ranked}) if found.trec else {}
    for query, ranked in lists.items():
        found.queries[query] = list(_judge(ranked, known, params))
    return found


def _judge(ranked: Iterable[Result], known: dict[str, Page], params: FuzzyParams) -> Iterator[Judged]:
    index = _core.FuzzyIndex(params.threshold, params.least)
    added: list[Result] = []
    for result in ranked:
        page = result.page or known.get(result.url)
        if page is None or not page.words:
            # Pages without words are no copies of each other.
            yield Judged(result, MISSING if page is None else UNIQUE, None, None)
            continue
        kind, of, score = index.add(page.ssdeep, page.md5)
        added.append(result)
        copied = None if of is None or kind == UNIQUE else added[of]
        yield Judged(result, kind, copied, None if copied is None else score)


def _results(lines: Iterable[str], parse: Callable[[str], Result | None], found: Audit) -> Iterator[Result]:
    for line in lines:
        if not line.strip():
            continue
        result = parse(line)
        if result is None:
            found.skipped += 1
        else:
            yield result


def _json(line: str) -> Result | None:
    try:
        row: Any = json.loads(line)
        query, rank, url = _plain(str(row["query"])), int(row["rank"]), _plain(str(row["url"]))
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None
    text, html = row.get("text"), row.get("html")
    if isinstance(html, str):
        text = _core.extract(_plain(html))[0]
    return Result(query, rank, url, Page.of(text) if isinstance(text, str) else None)


def _plain(text: str) -> str:
    """Without the lone surrogates that JSON may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _trec(line: str) -> Result | None:
    parts = line.split()
    if len(parts) < 6 or not parts[3].lstrip("-").isdecimal():
        return None
    return Result(parts[0], int(parts[3]), parts[2], None, line.strip())


def _pages(inputs: Sequence[str], wanted: set[str]) -> dict[str, Page]:
    """The wanted pages of some runs and crawls; of several that go by one name the first."""
    found: dict[str, Page] = {}
    for name in inputs:
        pages = (
            _run_pages(Run(name), wanted) if Path(name, "run.json").is_file() else _crawl_pages(name, wanted)
        )
        for known, page in pages:
            found.setdefault(known, page)
    return found


def _crawl_pages(path: str, wanted: set[str]) -> Iterator[tuple[str, Page]]:
    for record in read_pages(path):
        names = {record.url, record.id} & wanted
        if names:
            text = record.text or ""
            if record.html is not None:
                text = _core.extract(_core.decode(record.html, record.content_type)[0])[0]
            page = Page.of(text)
            yield from ((name, page) for name in names if name is not None)


def _run_pages(run: Run, wanted: set[str]) -> Iterator[tuple[str, Page]]:
    """A run has the digests already."""
    names: dict[int, tuple[set[str], bool]] = {}
    for page, url, words in _rows(run, "pages", ["page", "url", "words"]):
        if hit := {url, str(page)} & wanted:
            names[page] = hit, words > 0
    for page, text, digest in _rows(run, "sketches", ["page", "md5", "ssdeep"]):
        hit, words = names.get(page, (set(), False))
        yield from ((name, Page(bytes.fromhex(text), digest, words)) for name in hit)


def _rows(run: Run, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    for batch in run.batches(table, columns):
        yield from tuples(batch)


def _open(path: Path) -> IO[str]:
    try:
        if path.suffix == ".gz":
            return gzip.open(path, "rt", encoding="utf-8", errors="replace")
        return path.open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _first_line(path: Path) -> tuple[int, str]:
    """The first line with anything in it, and its number: it tells the format."""
    try:
        with _open(path) as lines:
            first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), None)
    except (OSError, EOFError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if first is None:
        raise InputError(f"{path} is empty: it holds no results")
    return first


def _no_trec(path: Path, number: int) -> str:
    form = "query Q0 document rank score name"
    return f"{path} holds no results: line {number} is neither JSON nor a TREC line of six fields ({form})"
