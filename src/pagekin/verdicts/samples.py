"""What to judge, in which order: a uniform sample with a fixed seed, or all by rank."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

import pyarrow as pa

from pagekin.errors import UsageError
from pagekin.index.catalog import Catalog

QUEUES = {
    "quilts": ("page", "SELECT page FROM quilts ORDER BY page",
               "SELECT page FROM quilts ORDER BY covered_fraction * foreign_sources DESC, page LIMIT {n}"),
    "clusters": ("cluster", "SELECT cluster FROM clusters ORDER BY cluster",
                 "SELECT cluster FROM clusters ORDER BY rank, cluster LIMIT {n}"),
    "classes": ("class", 'SELECT "class" FROM classes ORDER BY "class"',
                'SELECT "class" FROM classes ORDER BY domains DESC, pages DESC, "class" LIMIT {n}'),
    "sites": ("site", "SELECT domain FROM domains ORDER BY domain",
              "SELECT domain FROM domains ORDER BY quilts + copies DESC, pages DESC, domain LIMIT {n}"),
}  # fmt: skip
"""Each queue: what it holds, all of it in a stable order, and the first by what matters."""

ORDERS = ("random", "rank")
PAPER = 100
"""The paper judged so many quilts of each run."""
MAX_SIZE = 100_000

_SPEC = re.compile(r"([a-z]+)/(random|rank)/(\d{1,6})/(\d{1,9})")


@dataclass(frozen=True)
class Sample:
    """A queue to judge. Its text names it in the verdicts that were given in it."""

    queue: str = "quilts"
    order: str = "random"
    size: int = PAPER
    seed: int = 0

    def __post_init__(self) -> None:
        if self.queue not in QUEUES:
            raise UsageError(f"a queue is one of {', '.join(QUEUES)}; not {self.queue!r}")
        if self.order not in ORDERS:
            raise UsageError(f"a queue is in {' or '.join(ORDERS)} order; not {self.order!r}")
        if not 1 <= self.size <= MAX_SIZE or not 0 <= self.seed < 10**9:
            raise UsageError(f"a sample has 1 to {MAX_SIZE:,} things, and a seed from 0 to 999,999,999")

    def __str__(self) -> str:
        return f"{self.queue}/{self.order}/{self.size}/{self.seed}"

    @classmethod
    def parse(cls, text: str) -> Sample:
        """The sample of this name.

        Examples:
            >>> Sample.parse("quilts/random/100/7").seed
            7
        """
        match = _SPEC.fullmatch(text)
        if match is None:
            raise UsageError(f"no sample is called {text!r}; one is named like {cls()}")
        return cls(match[1], match[2], int(match[3]), int(match[4]))

    @property
    def kind(self) -> str:
        """What its things are."""
        return QUEUES[self.queue][0]

    def targets(self, catalog: Catalog) -> list[str]:
        """The things to judge, in order: the same ones for the same run, always."""
        _, all_of_them, ranked = QUEUES[self.queue]
        if self.order == "rank":
            return _texts(catalog.arrow(ranked.format(n=self.size)))
        # Places are drawn, not things: of a million only the hundred that are wanted become Python objects.
        everything = catalog.arrow(all_of_them)
        size = everything.num_rows
        return _texts(everything.take(Random(self.seed).sample(range(size), min(self.size, size))))

    def population(self, catalog: Catalog) -> int:
        """How many things it was drawn from."""
        found: int = catalog.one(f"SELECT count(*) AS n FROM ({QUEUES[self.queue][1]})")
        return found


def _texts(table: pa.Table) -> list[str]:
    return [str(value) for value in table.column(0).to_pylist()]
