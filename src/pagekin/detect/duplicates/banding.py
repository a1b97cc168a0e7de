"""Banding of shingles (LSH): how long bands must be for similar pages to become candidates."""

from __future__ import annotations

import math
from dataclasses import dataclass

MISSED = 0.005
"""What share of the pairs at the wanted similarity may fail to become candidates."""
MAX_FUNCTIONS = 1024
MIN_ROWS = 3
"""Bands shorter than this make candidates of pages that have little in common."""


@dataclass(frozen=True)
class Banding:
    """How many bands of how many shingles; `recall` is the chance that a pair at `similarity` is found."""

    bands: int
    rows: int
    similarity: float = 0.0
    recall: float = 1.0

    @property
    def functions(self) -> int:
        """How many shingles a page needs."""
        return self.bands * self.rows


def choose_banding(similarity: float, m: int) -> Banding:
    """The longest bands by which all but `MISSED` of the pairs at a similarity become candidates.

    A band of r agrees with chance J^r, so one of b bands does with 1 - (1 - J^r)^b. The m functions of every
    page are used if their bands get long enough, else more.

    Examples:
        >>> made = choose_banding(0.7, 84)
        >>> made.bands, made.rows, round(made.recall, 4)
        (21, 4, 0.9969)
    """
    if similarity >= 1:
        return Banding(1, m, 1.0, 1.0)

    def needed(rows: int) -> int:
        missing = 1 - similarity**rows
        return math.ceil(math.log(MISSED) / math.log(missing)) if missing < 1 else MAX_FUNCTIONS + 1

    longest = next((n for n in range(m, 0, -1) if needed(n) * n <= m), 0)
    if longest >= MIN_ROWS:
        bands, rows = m // longest, longest  # the functions are there: use them all
    else:
        enough = (n for n in range(MIN_ROWS, 1, -1) if needed(n) * n <= MAX_FUNCTIONS)
        rows = next(enough, 1)
        bands = max(needed(rows), m // rows)
    return Banding(bands, rows, similarity, 1 - (1 - similarity**rows) ** bands)
