"""Which query parameters change what a page says.

    pages → (host, parameter, rest of the URL, URL, content) → by host, parameter and rest: pages, contents
          → by host and parameter: URLs, pages, contents

URLs are grouped by what they are without one parameter; one without it belongs to the group too. A URL that
was fetched more than once counts once. If its content changed meanwhile, that of others tells nothing about
their parameters, and it does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.native import NativeKernel
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.tables import URL_PARAMETERS

FEW = 3
"""Pages that repeat a URL but for the parameter, from which on we say whether it matters."""

CONTENTS = pa.schema([("url", pa.string()), ("content", pa.int64())])
PARAMETER_ROWS = pa.schema(
    [
        ("host", pa.string()),
        ("parameter", pa.string()),
        *((name, pa.int64()) for name in ("rest", "url_hash", "content")),
    ]
)
COUNTED = pa.schema(
    [
        ("host", pa.string()),
        ("parameter", pa.string()),
        *((name, pa.int64()) for name in ("urls", "pages", "contents")),
    ]
)

COUNT_QUERY = """
    WITH steady AS (
        SELECT url_hash, min(content) AS content FROM found WHERE parameter IS NULL
        GROUP BY url_hash HAVING min(content) = max(content)
    ), given AS (
        SELECT DISTINCT host, parameter, rest, url_hash FROM found WHERE parameter IS NOT NULL
    ), members AS (
        SELECT host, parameter, rest, url_hash FROM given
        UNION ALL
        SELECT DISTINCT host, parameter, rest, rest AS url_hash FROM given
    ), counted AS (
        SELECT m.host, m.parameter, m.rest, count(*) AS pages, count(DISTINCT s.content) AS contents
        FROM members m JOIN steady s ON s.url_hash = m.url_hash
        GROUP BY m.host, m.parameter, m.rest HAVING count(*) > 1
    )
    SELECT host, parameter, count(*) AS urls, CAST(sum(pages) AS BIGINT) AS pages,
        CAST(sum(contents) AS BIGINT) AS contents
    FROM counted GROUP BY host, parameter
"""


@dataclass(frozen=True)
class Verdicts:
    """Says of counted parameters what they seem to be for, and whether they change what a page says."""

    schema: pa.Schema = URL_PARAMETERS.schema

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: pa.RecordBatch.from_pydict(_columns(batch), schema=self.schema)


def _columns(batch: Batch) -> dict[str, pa.Array]:
    urls, pages, contents = (batch.column(name) for name in ("urls", "pages", "contents"))
    verdict = pc.case_when(
        pc.make_struct(
            pc.less(pc.subtract(pages, urls), FEW),
            pc.equal(contents, urls),
            pc.equal(contents, pages),
        ),
        "too few to say",
        "never matters",
        "always matters",
        "sometimes matters",
    )
    return {
        "host": batch.column("host"),
        "parameter": batch.column("parameter"),
        "role": _core.parameter_roles(batch.column("parameter")),
        "urls": urls,
        "pages": pages,
        "contents": contents,
        "repeats": pc.subtract(pages, contents),
        "verdict": verdict,
    }


def find_parameters(engine: Engine, pages: Any) -> Any:
    """Pages with words (`url` and what stands for their content) → url_parameters."""
    found = engine.map(pages, NativeKernel("url_parameters", PARAMETER_ROWS))
    return engine.map(engine.sql(COUNT_QUERY, COUNTED, found=found), Verdicts())
