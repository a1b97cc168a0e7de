"""What popular phrases read like, and what kind they seem to be.

popular → by example page: its phrases, texts → phrases in words → kinds
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.lists import GroupLists
from pagekin.detect.phrases.kinds import kind
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.params import ShingleParams
from pagekin.tables import PHRASES

EXAMPLES = pa.schema([("page", pa.int64()), ("fingerprint", pa.int64())])
WANTED = pa.schema([("page", pa.int64()), ("fingerprints", pa.list_(pa.int64()))])
WANTED_TEXTS = pa.schema([*WANTED, ("text", pa.string())])
QUOTES = pa.schema([("fingerprint", pa.int64()), ("phrase", pa.string())])
SPREAD = pa.schema([field for field in PHRASES.schema if field.name != "kind"])

EXAMPLE_QUERY = "SELECT fingerprint, min(example) AS page FROM popular GROUP BY fingerprint"
TEXT_QUERY = "SELECT w.page, w.fingerprints, t.text FROM wanted w JOIN texts t ON t.page = w.page"
SPREAD_QUERY = """
    SELECT q.phrase, p.pages, p.hosts, p.servers AS domains, p.functions, e.url AS example_url, p.fingerprint
    FROM (
        SELECT fingerprint, pages, hosts, servers, example, count(*) AS functions
        FROM popular GROUP BY fingerprint, pages, hosts, servers, example
    ) p
    LEFT JOIN quotes q ON q.fingerprint = p.fingerprint LEFT JOIN pages e ON e.page = p.example
"""


@dataclass(frozen=True)
class Quote:
    """The words of phrases, from pages that hold them (crates/core/src/phrases/quotes.rs)."""

    shingles: ShingleParams
    schema: pa.Schema = QUOTES

    def open(self, threads: int) -> BatchFunction:
        return _core.Quoter(shingler(self.shingles), threads).quote


@dataclass(frozen=True)
class Kinds:
    """Adds the kind that each phrase seems to be of."""

    schema: pa.Schema = PHRASES.schema

    def open(self, threads: int) -> BatchFunction:
        def kinds(batch: Batch) -> Batch:
            spread = zip(
                *(batch.column(name).to_pylist() for name in ("phrase", "pages", "domains")), strict=True
            )
            found = pa.array(
                [kind(text or "", pages, domains) for text, pages, domains in spread], pa.string()
            )
            columns = [found if name == "kind" else batch.column(name) for name in self.schema.names]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return kinds


def phrase_rows(engine: Engine, popular: Any, pages: Any, texts: Any, params: ShingleParams) -> Any:
    """One row a phrase, from one row for each function under which it is popular."""
    examples = engine.sql(EXAMPLE_QUERY, EXAMPLES, popular=popular)
    wanted = engine.exchange(examples, "page", GroupLists(WANTED, ("fingerprint",)), order=("fingerprint",))
    quotes = engine.map(engine.sql(TEXT_QUERY, WANTED_TEXTS, wanted=wanted, texts=texts), Quote(params))
    return engine.map(engine.sql(SPREAD_QUERY, SPREAD, popular=popular, quotes=quotes, pages=pages), Kinds())
