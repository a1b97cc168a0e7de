"""A million identical pages within a small memory: no quilt, and no gram of their own."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import pagekin
from pagekin.engines.local import LocalEngine

PAGES = 1_000_000


@pytest.mark.slow
def test_a_million_identical_pages(tmp_path: Path) -> None:
    text = " ".join(f"w{n}" for n in range(24))
    schema = pa.schema([("url", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(tmp_path / "crawl.parquet", schema) as writer:
        for begin in range(0, PAGES, 50_000):
            urls = [f"http://s{n}.example/" for n in range(begin, begin + 50_000)]
            writer.write_batch(pa.record_batch([urls, [text] * len(urls)], schema=schema))
    engine = LocalEngine(2, memory=10**8)
    run = pagekin.scan(tmp_path / "crawl.parquet", tmp_path / "run", only=["quilts"], engine=engine)
    assert run.info["counts"]["pages"] == PAGES
    facts = run.info["quilts"]
    assert (facts["pairs"], facts["shared_pairs"], facts["shared_grams"]) == (20 * PAGES, 20 * PAGES, 20)
    assert facts["spilled_pairs"] > 0, "within 100 MB they do not all fit"
    assert run.table("quilts").num_rows == 0
    rows = run.table("originality", ["grams", "own_grams"])
    assert rows.num_rows == PAGES
    assert pc.min_max(rows["grams"]).as_py() == {"min": 20, "max": 20}
    assert pc.max(rows["own_grams"]).as_py() == 0
