"""Duplicates among ranked search results (Figuerola et al. 2011, figure 4).

A result is a duplicate when a better ranked one for the same query has the same text, or a digest that scores
high against its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pagekin import _core
from pagekin.errors import InputError
from pagekin.params import FuzzyParams
from pagekin.studies.ranked import Documents, RankedFile, RankedPage, Result

UNIQUE, EXACT, NEAR, MISSING = "unique", "exact", "near", "missing"
KINDS = (UNIQUE, EXACT, NEAR, MISSING)

TOP = 750
"""Results looked at for each query in the paper."""


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
    """the format of the file: TREC, or JSONL"""
    skipped: int = 0
    """lines that are no results"""
    damage: Counter[str] = field(default_factory=Counter)
    """records of the documents that could not be read, by reason"""
    queries: dict[str, list[Judged]] = field(default_factory=dict)

    def counts(self, query: str) -> Counter[str]:
        """How many results of each kind a query has."""
        return Counter(judged.kind for judged in self.queries[query])

    def curve_of(self, query: str) -> Iterator[Counter[str]]:
        """For each place in a query's list, how many results of each kind there are up to there."""
        so_far: Counter[str] = Counter()
        for judged in self.queries[query]:
            so_far[judged.kind] += 1
            yield so_far

    def curve(self) -> list[dict[str, float]]:
        """The same as a mean over queries. One whose list is over stays as it was."""
        longest = max(map(len, self.queries.values()), default=0)
        sums = [Counter[str]() for _ in range(longest)]
        for query, results in self.queries.items():
            for place, so_far in enumerate(self.curve_of(query)):
                sums[place].update(so_far)
            for place in range(len(results), longest):
                sums[place].update(self.counts(query))
        return [
            {"rank": place + 1, **{kind: at[kind] / len(self.queries) for kind in KINDS}}
            for place, at in enumerate(sums)
        ]

    def ranking(self) -> Iterator[str]:
        """The results without duplicates, ranked anew, in the format they came in."""
        for results in self.queries.values():
            kept = (judged.result for judged in results if judged.kind in (UNIQUE, MISSING))
            for rank, result in enumerate(kept, 1):
                yield result.ranked(rank)


def audit(
    results: Path, pages: Sequence[str] = (), top: int = TOP, params: FuzzyParams | None = None
) -> Audit:
    """Judges the first results of each query.

    Args:
        results: A JSONL file, or a TREC run file, which needs `pages`; gzip by its name.
        pages: Run folders or crawls with the documents that the file does not hold.
        top: How many results of each query to judge.
        params: From which score on results are near duplicates, and the least digest.
    """
    params = params or FuzzyParams()
    file = RankedFile(results)
    if file.trec and not pages:
        raise InputError(
            f"{results} is a TREC run file: name a run or crawl that has its pages with pages=..."
        )
    lists: dict[str, list[Result]] = defaultdict(list)
    for result in file:
        lists[result.query].append(result)
    for ranked in lists.values():
        ranked.sort(key=lambda result: result.rank)
        del ranked[top:]
    documents = Documents(pages)
    known = documents.find(r.url for ranked in lists.values() for r in ranked if r.page is None)
    found = Audit(file.trec, file.skipped, documents.damage)
    for query, ranked in lists.items():
        found.queries[query] = list(_judge(ranked, known, params))
    return found


def _judge(ranked: Iterable[Result], known: dict[str, RankedPage], params: FuzzyParams) -> Iterator[Judged]:
    index = _core.FuzzyIndex(params.threshold, params.min_length, every=True)
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
