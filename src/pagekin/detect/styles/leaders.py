"""Buckets with too many fingerprints for all pairs: members are compared with leaders, round after round.

    rows ─exchange by bucket, few travel→ leaders ─copied→ chunks ─exchange by chunk→ edges
      └──────────────────────────────────── members ─divided→ ┘          └→ rows of the next round

The leaders of a round are the rows with the smallest hashes. Members that are like none of them go on; what
is left within the budget is compared pair by pair, and what is more than that is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.styles.kernels import MEMBER, SPEAKS, First, InChunks, StyleStep, ints
from pagekin.engines.base import EDGES, Batch, BatchFunction, Engine
from pagekin.params import StyleParams

MAX_REPORTED = 100
"""So many of the buckets that were too large for all pairs are reported in run.json."""

BUCKETS = pa.schema([*ints("key", "place", "page", "hash"), ("print", pa.binary())])
SIZED = BUCKETS.append(pa.field("size", pa.int64()))
CHUNKED = pa.schema([*ints("chunk", "role"), *BUCKETS])
FOUND = BUCKETS.append(pa.field("other", pa.int64()))
REPORTED = pa.schema([("dimensions", pa.binary()), ("minima", pa.binary()), *ints("place", "size")])

Big = tuple[list[int], list[int], int]


def report(count: int, largest: Sequence[Big]) -> dict[str, Any]:
    """What run.json says of large buckets: how many, and where the largest are."""
    listed = [{"dimensions": d, "minima": v, "fingerprints": n} for d, v, n in largest[:MAX_REPORTED]]
    return {"count": count, "largest": listed}


@dataclass(frozen=True)
class Edges:
    """The edges among what a round found."""

    schema: pa.Schema = EDGES

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: batch.filter(pc.is_valid(batch.column("other"))).select(EDGES.names)


@dataclass(frozen=True)
class Rest:
    """The members among what a round found: those that are like no leader."""

    schema: pa.Schema = BUCKETS

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: batch.filter(pc.is_null(batch.column("other"))).select(BUCKETS.names)


@dataclass(frozen=True)
class Described:
    """Where a bucket is, for the report."""

    params: StyleParams
    schema: pa.Schema = REPORTED

    def open(self, threads: int) -> BatchFunction:
        describe = StyleStep(self.params, "describe", pa.schema(list(REPORTED)[:2])).open(threads)

        def described(batch: Batch) -> Batch:
            columns = [*describe(batch).columns, batch.column("place"), batch.column("size")]
            return pa.RecordBatch.from_arrays(columns, schema=REPORTED)

        return described


def leader_edges(engine: Engine, params: StyleParams, rows: Any, many: int) -> tuple[Any, Any]:
    """Edges, and rows in buckets that all pairs can do for, of buckets that are too large at first."""
    found, small = [], []
    for number, count in enumerate(_core.STYLE_LEADERS):
        sized = _sized(engine, rows)
        if number:
            small.append(_within(engine, sized, f"<= {params.budget}"))
        large = engine.keep(_within(engine, sized, f"> {params.budget}"))
        first = First("key", count, SIZED)
        leaders = engine.keep(engine.exchange(large, "key", first, order=("hash", "page"), combine=first))
        if not number:
            engine.metrics["big_buckets"] = report(many, _largest(engine, params, leaders))
        chunks = engine.concat(
            engine.map(large, InChunks("key", MEMBER, CHUNKED)),
            engine.map(leaders, InChunks("key", SPEAKS, CHUNKED)),
        )
        compare = StyleStep(params, "leader_round", FOUND)
        compared = engine.keep(
            engine.exchange(chunks, "chunk", compare, order=("key", "role", "hash", "page"))
        )
        found.append(engine.map(compared, Edges()))
        rows = engine.map(compared, Rest())
    small.append(_within(engine, _sized(engine, rows), f"<= {params.budget}"))
    names = ", ".join(BUCKETS.names)
    rest = [engine.sql(f"SELECT {names} FROM sized", BUCKETS, sized=part) for part in small]
    return engine.concat(*found), engine.concat(*rest)


def _sized(engine: Engine, rows: Any) -> Any:
    """The rows with the sizes of their buckets."""
    names = ", ".join(f"r.{name}" for name in BUCKETS.names)
    query = f"""
        SELECT {names}, s.size
        FROM members r JOIN (SELECT key, count(*) AS size FROM members GROUP BY key) s ON r.key = s.key
    """
    return engine.keep(engine.sql(query, SIZED, members=engine.keep(rows)))


def _within(engine: Engine, sized: Any, condition: str) -> Any:
    """The rows of buckets of such a size."""
    return engine.sql(f"SELECT * FROM sized WHERE size {condition}", SIZED, sized=sized)


def _largest(engine: Engine, params: StyleParams, leaders: Any) -> list[Big]:
    """The largest buckets; no more are collected than are reported."""
    one = First("key", 1, SIZED)
    described = engine.map(
        engine.exchange(leaders, "key", one, order=("hash", "page"), combine=one), Described(params)
    )
    query = f"""
        SELECT dimensions, minima, place, size FROM described
        ORDER BY size DESC NULLS LAST, dimensions NULLS LAST, place NULLS LAST, minima NULLS LAST
        LIMIT {MAX_REPORTED}
    """
    rows = engine.collect(engine.sql(query, REPORTED, described=described)).to_pylist()
    rows.sort(key=lambda row: (-row["size"], row["dimensions"], row["place"], row["minima"]))
    return [(_numbers(row["dimensions"]), _numbers(row["minima"]), row["size"]) for row in rows]


def _numbers(packed: bytes) -> list[int]:
    """Numbers of 16 bits, high bytes first."""
    return [int.from_bytes(packed[at : at + 2], "big") for at in range(0, len(packed), 2)]
