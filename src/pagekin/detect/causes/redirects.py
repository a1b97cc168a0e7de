"""Which pages of a class redirects lead to each other, as far as the crawl kept their answers.

skipped → redirects (key, key) → components ─┐
members with the keys of their URLs ─────────┴→ by component: the first page that each is joined to
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from pagekin.detect.native import NativeKernel
from pagekin.engines.base import EDGES, Engine
from pagekin.run import Run

ROWS = pa.schema([(name, pa.int64()) for name in ("component", "member", "class_", "page", "key", "other")])
JOINED = pa.schema([("page", pa.int64()), ("redirect", pa.int64())])

ROW_QUERY = """
    SELECT l.label AS component, CAST(0 AS BIGINT) AS member, CAST(0 AS BIGINT) AS class_,
        CAST(0 AS BIGINT) AS page, r.page AS key, r.other
    FROM redirects r JOIN labels l ON l.page = r.page
    UNION ALL
    SELECT l.label AS component, CAST(1 AS BIGINT) AS member, m.class_, m.page, m.key,
        CAST(CASE WHEN e.page IS NULL THEN 0 ELSE 1 END AS BIGINT) AS other
    FROM members m JOIN labels l ON l.page = m.key LEFT JOIN earlier e ON e.page = m.page
"""


JOINS = NativeKernel("redirect_joins", JOINED)
"""Components of redirects to the pages they join. One may be large where very many URLs lead to one: it holds
numbers only."""


def redirected(run: Run, engine: Engine, members: Any, earlier: Any) -> Any:
    """The pages that redirects join to an earlier one of their class, with the first such."""
    redirects = engine.keep(
        engine.map(
            engine.load(run, "skipped", ["url", "reason", "detail"]), NativeKernel("redirect_edges", EDGES)
        )
    )
    labels = engine.components(redirects)
    rows = engine.sql(ROW_QUERY, ROWS, redirects=redirects, labels=labels, members=members, earlier=earlier)
    return engine.exchange(rows, "component", JOINS, order=("member", "class_", "page"))
