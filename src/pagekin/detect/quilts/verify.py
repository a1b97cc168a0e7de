"""Proof that grams with equal hashes have equal words: words travel to where the hashes meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.native import NativeKernel
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.errors import RunError
from pagekin.params import QuiltParams

WORDS = pa.schema(
    [("gram", pa.int64()), ("words", pa.binary()), ("compared", pa.int64()), ("collisions", pa.int64())]
)
COMPARED = pa.schema([("compared", pa.int64()), ("collisions", pa.int64())])

ADD_UP = """
    SELECT CAST(coalesce(sum(compared), 0) AS BIGINT) AS compared,
        CAST(coalesce(sum(collisions), 0) AS BIGINT) AS collisions
    FROM compared
"""


@dataclass(frozen=True)
class Compare:
    """One row for all grams of a batch of complete groups: what was compared, and what was not equal."""

    schema: pa.Schema = COMPARED

    def open(self, threads: int) -> BatchFunction:
        def compared(batch: Batch) -> Batch:
            rows = _core.compare_words(batch)
            sums = [pa.array([pc.sum(rows[name]).as_py() or 0], pa.int64()) for name in self.schema.names]
            return pa.record_batch(sums, schema=self.schema)

        return compared


def verify(engine: Engine, texts: Any, params: QuiltParams) -> int:
    """Compares the words of all grams that share a hash; returns how many were compared."""
    words = engine.map(texts, NativeKernel("gram_words", WORDS, (params.k, params.seed)))
    rows = engine.exchange(words, "gram", Compare(), combine=NativeKernel("compare_words", WORDS))
    # One row, whatever the crawl.
    (sums,) = engine.collect(engine.sql(ADD_UP, COMPARED, compared=rows)).to_pylist()
    if sums["collisions"]:
        raise RunError(
            f"{sums['collisions']:,} grams have the hash of a gram of other words; "
            "scan again with another [quilts] seed in a parameter file"
        )
    return int(sums["compared"])
