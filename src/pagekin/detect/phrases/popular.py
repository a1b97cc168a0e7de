"""Popular phrases: shingles that enough pages hold, with pages that hold them.

    sketches, sites → (phrase, function, page, site) → by phrase: popular phrases with capped holders

A phrase that everybody holds is made smaller before it travels: each part of it keeps the pages that it may
still offer; of the others, one row for each host is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.native import NativeKernel
from pagekin.engines.base import Batch, Engine, Resources
from pagekin.params import PhraseParams

SITES = pa.schema([(name, pa.int64()) for name in ("page", "host", "server", "ip")])
"""What stands for host, server and IP address of each page."""

SHINGLES = pa.schema([("page", pa.int64()), ("shingles", pa.binary())])
SITED = pa.schema([*SHINGLES, *(SITES.field(name) for name in ("host", "server", "ip"))])
HOLDINGS = pa.schema(
    [
        (name, pa.int64())
        for name in ("fingerprint", "function", "page", "host", "server", "ip", "first", "held")
    ]
)
POSTINGS = pa.schema(
    [
        *(
            (name, pa.int64())
            for name in ("fingerprint", "function", "pages", "hosts", "servers", "example", "held")
        ),
        *((name, pa.list_(pa.int64())) for name in ("holders", "holder_servers", "holder_ips")),
    ]
)

SITED_QUERY = """
    SELECT k.page, k.shingles, s.host, s.server, s.ip
    FROM sketches k JOIN sites s ON s.page = k.page WHERE k.shingles IS NOT NULL
"""


@dataclass(frozen=True)
class Popular:
    """From `sites` and `sketches` to what is popular (crates/core/src/phrases/popular.rs)."""

    params: PhraseParams
    schema: pa.Schema = POSTINGS

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        sited = engine.sql(SITED_QUERY, SITED, **inputs)
        fewer = NativeKernel("fewer_holdings", HOLDINGS, (self.params.holders,))
        return engine.exchange(
            engine.map(sited, NativeKernel("phrase_holdings", HOLDINGS, growth=8)),
            "fingerprint",
            NativeKernel("popular_phrases", POSTINGS, (self.params.popular, self.params.holders)),
            combine=fewer,
        )

    def held_bytes(self, size: int) -> int:
        return size // 8  # the sites of all pages

    def whole(self, resources: Resources) -> PopularReducer:
        return PopularReducer(self.params, resources)


class PopularReducer:
    """Everything in memory, and what does not fit in the spill folder."""

    def __init__(self, params: PhraseParams, resources: Resources) -> None:
        self._phrases = _core.PopularPhrases(
            params.popular, params.holders, resources.threads, resources.memory, str(resources.spill)
        )

    def push(self, name: str, batch: Batch) -> None:
        if name == "sites":
            self._phrases.push_sites(batch)
        else:
            self._phrases.push(batch)

    def finish(self) -> Iterator[Batch]:
        for number in range(self._phrases.parts()):
            yield self._phrases.part(number).cast(POSTINGS)
