"""Pages compared by the phrases of their texts, pair by pair, where they meet.

    pairs (page, other) ─→ (other, chunk of pages) ─┬─ text of other, once a chunk ─┬─by chunk→ jaccard
                                                    └─ text of each page ───────────┘

A page that very many are compared with has many chunks: no place gets more than `CHUNK` texts of a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.params import ShingleParams

CHUNK = 256
"""Pages that are compared with one text in one place."""
SPREAD = 0x9E3779B97F4A7C1
"""A large odd number: keys of neighbouring pages are far apart. Keys that are equal by chance do no harm."""

PLACED = pa.schema([("page", pa.int64()), ("other", pa.int64()), ("place", pa.int64())])
KEYED = pa.schema([("key", pa.int64()), ("other", pa.int64()), ("page", pa.int64())])
MET = KEYED.append(pa.field("text", pa.string()))
COMPARED = pa.schema(
    [("page", pa.int64()), ("other", pa.int64()), ("jaccard", pa.float64()), ("alike", pa.bool_())]
)
"""SIMILAR is a reserved word of SQL."""


@dataclass(frozen=True)
class ChunkKeys:
    """The key of the chunk that a pair is compared in."""

    schema: pa.Schema = KEYED

    def open(self, threads: int) -> BatchFunction:
        def keyed(batch: Batch) -> Batch:
            page, other, place = (batch.column(name) for name in PLACED.names)
            chunk = pc.divide(place, pa.scalar(CHUNK, pa.int64()))
            # Wraps around, as a hash may.
            key = pc.multiply(pc.add(pc.multiply(other, SPREAD), chunk), SPREAD)
            return pa.RecordBatch.from_arrays([key, other, page], schema=KEYED)

        return keyed


@dataclass(frozen=True)
class CompareTexts:
    """Every text of a group with the first (crates/core/src/duplicates/phrase_sets.rs)."""

    shingles: ShingleParams
    wrap: bool
    similarity: float
    schema: pa.Schema = COMPARED

    def open(self, threads: int) -> BatchFunction:
        kernel = shingler(self.shingles)

        def compare(rows: Batch) -> Batch:
            found = _core.compare_texts(rows, kernel, self.wrap, self.similarity, threads)
            return found.rename_columns(COMPARED.names)

        return compare


def compared(
    engine: Engine, pairs: Any, texts: Any, shingles: ShingleParams, wrap: bool, similarity: float = 0.0
) -> Any:
    """Pairs, of which `other` is the smaller page, with their Jaccard coefficient; is it enough?"""
    placed = engine.sql(PLACES, PLACED, pairs=pairs)
    keyed = engine.keep(engine.map(placed, ChunkKeys()))
    met = engine.sql(TEXTS_OF, MET, keyed=keyed, texts=texts)
    return engine.exchange(met, "key", CompareTexts(shingles, wrap, similarity), order=("other", "page"))


PLACES = """
    SELECT page, other, row_number() OVER (PARTITION BY other ORDER BY page NULLS LAST) - 1 AS place
    FROM pairs
"""

TEXTS_OF = """
    SELECT wanted.key, wanted.other, wanted.page, texts.text
    FROM (
        SELECT key, other, page FROM keyed UNION ALL SELECT DISTINCT key, other, other AS page FROM keyed
    ) wanted JOIN texts ON wanted.page = texts.page
    WHERE texts.text IS NOT NULL
"""
