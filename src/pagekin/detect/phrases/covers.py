"""Covers: a few other pages that together hold a page's popular phrases.

sketches → (phrase, function, page), popular → popular shingles of each page → counts
sites → the addresses of each host ──────────────┐
pages with enough of them, with their holders ───┴→ by page: donors
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.lists import GroupLists
from pagekin.detect.native import NativeKernel
from pagekin.detect.phrases.donors import CHOSEN
from pagekin.engines.base import Batch, BatchFunction, Engine, Resources
from pagekin.params import PhraseParams

COVERED = pa.schema(
    [*((name, pa.int64()) for name in ("page", "popular", "cover", "foreign")), ("donors", CHOSEN)]
)
ROWS = pa.schema([(name, pa.int64()) for name in ("fingerprint", "function", "page")])
COUNTS = pa.schema([("page", pa.int64()), ("popular", pa.int64())])
SERVED = pa.schema([("host", pa.int64()), ("ip", pa.int64())])
ADDRESSES = pa.schema([("host", pa.int64()), ("ips", pa.list_(pa.int64()))])
OWN = pa.schema([("page", pa.int64()), ("server", pa.int64()), ("ips", pa.list_(pa.int64()))])
HELD = pa.schema(
    [
        ("page", pa.int64()),
        ("function", pa.int64()),
        *((name, pa.list_(pa.int64())) for name in ("holders", "holder_servers", "holder_ips")),
    ]
)

MARKED_QUERY = """
    SELECT s.fingerprint, s.function, s.page
    FROM shingles s JOIN popular p ON p.fingerprint = s.fingerprint AND p.function = s.function
"""
COUNT_QUERY = "SELECT page, count(*) AS popular FROM marked GROUP BY page"
SERVED_QUERY = "SELECT DISTINCT host, ip FROM sites WHERE ip <> 0"
OWN_QUERY = """
    SELECT c.page, s.server, a.ips
    FROM counts c JOIN sites s ON s.page = c.page LEFT JOIN addresses a ON a.host = s.host
    WHERE c.popular >= {min_popular}
"""
HELD_QUERY = """
    SELECT m.page, m.function, p.holders, p.holder_servers, p.holder_ips
    FROM marked m JOIN counts c ON c.page = m.page
    JOIN popular p ON p.fingerprint = m.fingerprint AND p.function = m.function
    WHERE c.popular >= {min_popular}
"""
COVERED_QUERY = """
    SELECT k.page, coalesce(n.popular, 0) AS popular, c.cover, c.foreign, c.donors
    FROM sketches k LEFT JOIN counts n ON n.page = k.page LEFT JOIN covers c ON c.page = k.page
"""


@dataclass(frozen=True)
class OwnSites:
    """A page's own server and addresses, as a row before those of its shingles."""

    schema: pa.Schema = HELD

    def open(self, threads: int) -> BatchFunction:
        def rows(batch: Batch) -> Batch:
            none = pa.scalar([], pa.list_(pa.int64()))
            places = pa.array(range(batch.num_rows + 1), pa.int32())
            columns = [
                batch.column("page"),
                pa.repeat(pa.scalar(-1, pa.int64()), batch.num_rows),
                pa.repeat(none, batch.num_rows),
                pa.ListArray.from_arrays(places, batch.column("server")),
                pc.coalesce(batch.column("ips"), none),
            ]
            return pa.RecordBatch.from_arrays(columns, schema=HELD)

        return rows


@dataclass(frozen=True)
class PhraseCoverFlow:
    """From `sites`, `popular` and `sketches` to counts and covers (crates/core/src/phrases/covers.rs)."""

    params: PhraseParams
    schema: pa.Schema = COVERED

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        sites, popular, sketches = (inputs[name] for name in ("sites", "popular", "sketches"))
        shingles = engine.map(sketches, NativeKernel("shingle_rows", ROWS, growth=4))
        marked = engine.keep(engine.sql(MARKED_QUERY, ROWS, shingles=shingles, popular=popular))
        counts = engine.keep(engine.sql(COUNT_QUERY, COUNTS, marked=marked))
        served = engine.sql(SERVED_QUERY, SERVED, sites=sites)
        addresses = engine.exchange(served, "host", GroupLists(ADDRESSES, ("ip",)), order=("ip",))
        min_popular = self.params.min_popular
        own = engine.sql(
            OWN_QUERY.format(min_popular=min_popular), OWN, counts=counts, sites=sites, addresses=addresses
        )
        held = engine.sql(
            HELD_QUERY.format(min_popular=min_popular), HELD, marked=marked, counts=counts, popular=popular
        )
        rows = engine.concat(held, engine.map(own, OwnSites()))
        covers = engine.exchange(
            rows, "page", NativeKernel("phrase_covers", COVERED, (self.params.prune,)), order=("function",)
        )
        return engine.sql(COVERED_QUERY, COVERED, sketches=sketches, counts=counts, covers=covers)

    def held_bytes(self, size: int) -> int:
        return size // 2  # what is popular, and the sites of all pages

    def whole(self, resources: Resources) -> CoveredReducer:
        return CoveredReducer(self.params, resources)


class CoveredReducer:
    """What is popular in memory; what pages give goes to a file at once."""

    def __init__(self, params: PhraseParams, resources: Resources) -> None:
        self._params = params
        self._covers = _core.PhraseCovers(resources.threads)
        self._path = resources.spill / "covered"
        self._writer = pa.ipc.new_stream(str(self._path), COVERED)

    def push(self, name: str, batch: Batch) -> None:
        if name == "sites":
            self._covers.push_sites(batch)
        elif name == "popular":
            self._covers.push_popular(batch)
        else:
            found = self._covers.covered(batch, self._params.min_popular, self._params.prune)
            self._writer.write_batch(found.cast(COVERED))

    def finish(self) -> Iterator[Batch]:
        self._writer.close()
        with pa.OSFile(str(self._path), "rb") as file, pa.ipc.open_stream(file) as reader:
            yield from reader
