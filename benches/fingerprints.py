"""Made-up style fingerprints at the paper's scale, as batches of (page, style).

Counts from the paper: 5,000,000 pages, 43,000 clusters, the largest of 626,900, 93,000 and 42,000 pages.
Ours: the other clusters' sizes follow a power law, 60% of the pages are alone, and templates share minima: in
each dimension five popular ones, each held by one template in fifty and by one in fifty of the pages alone, so
that big mixed buckets occur. A member keeps its family's minimum in a share of the dimensions that is the
family's own, from 0.55 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

M = 128
PAGES, CLUSTERS = 5_000_000, 43_000
LARGEST = (626_900, 93_000, 42_000)
ALONE = 0.6
POPULAR, SHARED = 5, 0.1
ROWS = 50_000


def sizes(pages: int) -> np.ndarray:
    """Pages of each cluster: the paper's counts, scaled to so many pages in all."""
    scale = pages / PAGES
    largest = [int(size * scale) for size in LARGEST]
    clusters = int(CLUSTERS * scale) - len(largest)
    rest = int(pages * (1 - ALONE)) - sum(largest)
    weights = 1 / np.arange(3, clusters + 3) ** 0.95
    others = np.maximum(2, weights / weights.sum() * (rest - 2 * clusters)).astype(np.int64) + 1
    return np.concatenate([largest, others])


def fingerprints(pages: int, seed: int = 1) -> Iterator[pa.RecordBatch]:
    """Batches of made-up fingerprints; pages of all families are mixed."""
    random = np.random.default_rng(seed)
    of_page = np.repeat(np.arange(len(sizes(pages)), dtype=np.int32), sizes(pages))
    of_page = np.concatenate([of_page, np.full(pages - len(of_page), -1, np.int32)])
    random.shuffle(of_page)
    families = int(of_page.max()) + 1
    popular = random.integers(1, 65536, (M, POPULAR), dtype=np.uint16)
    kept = random.uniform(0.55, 1, families)
    templates = _own(random, popular, families)
    for start in range(0, pages, ROWS):
        family = of_page[start : start + ROWS]
        rows = _own(random, popular, len(family))
        member = np.flatnonzero(family >= 0)
        keeps = random.random((len(member), M), dtype=np.float32) < kept[family[member], None]
        rows[member] = np.where(keeps, templates[family[member]], rows[member])
        style = pa.Array.from_buffers(
            pa.binary(),
            len(rows),
            [None, pa.py_buffer(np.arange(len(rows) + 1, dtype=np.int32) * (2 * M)), pa.py_buffer(rows)],
        )
        page = np.arange(start, start + len(rows), dtype=np.int64)
        yield pa.record_batch({"page": page, "style": style, "family": family})


def _own(random: np.random.Generator, popular: np.ndarray, rows: int) -> np.ndarray:
    """Minima of one's own, but for the popular ones."""
    own = random.integers(1, 65536, (rows, M), dtype=np.uint16)
    shared = random.random((rows, M), dtype=np.float32) < SHARED
    choice = random.integers(0, POPULAR, (rows, M), dtype=np.uint8)
    return np.where(shared, popular[np.arange(M), choice], own)
