"""Ranked lists of search results, and the documents in them.

Lists come as JSONL with `query`, `rank`, `url` and `html` or `text`, or as a TREC run file. Documents that
the list does not hold are found in run folders and crawls: by their URLs, by the `id` that a row of
JSONL or Parquet has, or by the number of the page in a run.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path
from typing import IO, Any

from pagekin import _core
from pagekin.errors import InputError
from pagekin.fs import MAX_NAMED_PAGE, lines_at_most
from pagekin.readers import expand, read_input
from pagekin.run import Run

NO_DAMAGE = frozenset({"not-a-page", "not-html", "revisit", "status"})
"""Why a sound record of a crawl is no page."""

_BOM = b"\xef\xbb\xbf"
_MAX_LINE = 2 * MAX_NAMED_PAGE
"""As in crawls of JSONL: html and text, each a page."""


@dataclass(frozen=True)
class RankedPage:
    """What is compared of a result."""

    md5: bytes
    ssdeep: str
    words: bool
    """it has some"""

    @classmethod
    def of(cls, text: str) -> RankedPage:
        text = _plain(text)
        digest = md5(text.encode(), usedforsecurity=False).digest()
        return cls(digest, _core.ssdeep(text.encode()), bool(_core.words(text)))


@dataclass(frozen=True)
class Result:
    """One line of a ranked list."""

    query: str
    rank: int
    url: str
    page: RankedPage | None
    """None if the line does not hold it"""
    fields: dict[str, Any] = field(default_factory=dict)
    """what else a line of JSONL says of it"""
    line: str = ""
    """of a TREC file, as it was"""

    def ranked(self, rank: int) -> str:
        """The line with another rank, in the format it came in; JSONL without html and text."""
        if self.line:
            parts = self.line.split()
            return " ".join([*parts[:3], str(rank), *parts[4:]])
        row = {"query": self.query, "rank": rank, "url": self.url, "was": self.rank, **self.fields}
        return json.dumps(row, ensure_ascii=False)


class RankedFile:
    """A file of results; iterates over them in the order of the lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        """lines that are no results"""
        self.trec = self._is_trec()
        """its format: TREC, or JSONL"""

    def __iter__(self) -> Iterator[Result]:
        self.skipped = 0
        for _, line in self._lines():
            result = _parse(line, self.trec)
            if result is None:
                self.skipped += 1
            else:
                yield result

    def _is_trec(self) -> bool:
        """The first line that is a result tells the format."""
        first: tuple[int, bytes] | None = None
        for number, line in self._lines():
            first = first or (number, line)
            for trec in (False, True):
                if _parse(line, trec) is not None:
                    return trec
        if first is None:
            raise InputError(f"{self.path} is empty: it holds no results")
        if first[1].lstrip().startswith(b"{"):
            raise InputError(
                f"{self.path} holds no results: give JSONL with query, rank, url and html or text"
            )
        form = "query Q0 document rank score name"
        raise InputError(
            f"{self.path} holds no results: line {first[0]} is neither JSON nor a TREC line of six fields "
            f"({form})"
        )

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and content of every line with anything in it."""
        if self.path.is_fifo():
            raise InputError(f"{self.path} is a pipe, and results are read twice; save them to a file")
        try:
            with _open(self.path) as file:
                for number, line in enumerate(lines_at_most(file.readline, self.path, _MAX_LINE), 1):
                    line = line.removeprefix(_BOM) if number == 1 else line
                    if line.strip():
                        yield number, line
        except (OSError, EOFError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise InputError(f"cannot read {self.path}: {why}") from error


def _open(path: Path) -> gzip.GzipFile | IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _parse(line: bytes, trec: bool) -> Result | None:
    try:
        return _of_trec(line.decode()) if trec else _of_json(line.decode())
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None


def _of_trec(line: str) -> Result | None:
    parts = line.split()
    return Result(parts[0], int(parts[3]), parts[2], None, line=line.strip()) if len(parts) >= 6 else None


def _of_json(line: str) -> Result:
    row: Any = json.loads(line)
    query, rank, url = row["query"], int(row["rank"]), row["url"]
    if not isinstance(url, str) or not isinstance(query, str | int):
        raise TypeError
    if isinstance(row["rank"], bool) or (isinstance(row["rank"], float) and rank != row["rank"]):
        raise TypeError  # a place in a list is a whole number
    text, html = row.pop("text", None), row.pop("html", None)
    if isinstance(html, str):
        text = _core.extract(_plain(html))[0]
    rest = {_plain(key): value for key, value in row.items() if key not in ("query", "rank", "url", "was")}
    page = RankedPage.of(text) if isinstance(text, str) else None
    return Result(_plain(str(query)), rank, _plain(url), page, rest)


def _plain(text: str) -> str:
    """Without the lone surrogates that JSON may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def is_run(name: str) -> bool:
    """A folder that holds a run, rather than a crawl."""
    return Path(name, "run.json").is_file()


class Documents:
    """Documents of results, looked for in runs and crawls."""

    def __init__(self, inputs: Sequence[str]) -> None:
        self._inputs = inputs
        self.damage: Counter[str] = Counter()
        """records that could not be read, by reason"""

    def find(self, names: Iterable[str]) -> dict[str, RankedPage]:
        """The documents of these names; of several that go by one name the first."""
        wanted, found = set(names), dict[str, RankedPage]()
        for name in self._inputs if wanted else ():
            for known, page in (
                _run_pages(Run(name), wanted) if is_run(name) else self._crawl_pages(name, wanted)
            ):
                found.setdefault(known, page)
        return found

    def _crawl_pages(self, path: str, wanted: set[str]) -> Iterator[tuple[str, RankedPage]]:
        for record in (record for source in expand([path]) for record in read_input(source)):
            if record.reason is not None:
                self.damage.update([record.reason] if record.reason not in NO_DAMAGE else ())
                continue
            names = {record.url, record.id} & wanted
            if names:
                text = record.text or ""
                if record.html is not None:
                    text = _core.extract(_core.decode(record.html, record.content_type)[0])[0]
                page = RankedPage.of(text)
                yield from ((name, page) for name in names if name is not None)


def _run_pages(run: Run, wanted: set[str]) -> Iterator[tuple[str, RankedPage]]:
    """A run has the digests already."""
    names: dict[int, tuple[set[str], bool]] = {}
    for page, url, words in _rows(run, "pages", ["page", "url", "words"]):
        if hit := {url, str(page)} & wanted:
            names[page] = hit, words > 0
    for page, text, digest in _rows(run, "sketches", ["page", "md5", "ssdeep"]):
        hit, words = names.get(page, (set(), False))
        yield from ((name, RankedPage(bytes.fromhex(text), digest, words)) for name in hit)


def _rows(run: Run, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    for batch in run.batches(table, columns):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
