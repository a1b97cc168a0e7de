"""The report of a run of 1,000,000 pages: its size, and what it takes to write it.

The run is made up table by table: a small web is scanned for its run.json, and its tables are replaced by
generated ones with the shape of a large crawl. What is measured is the whole command.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from harness import Row, peak_rss_of, publish

import pagekin
from pagekin.synth import write_web
from pagekin.tables import TABLES

COMMAND = str(Path(sys.executable).with_name("pagekin"))


def queries() -> dict[str, str]:
    """The query that makes each table: 40 pages a site, one in twenty a copy, one in thirty a quilt."""
    text = Path(__file__).with_suffix(".sql").read_text()
    parts = re.split(r"^-- table: (\w+)$", text, flags=re.MULTILINE)[1:]
    return {name: query.strip().rstrip(";") for name, query in zip(parts[::2], parts[1::2], strict=True)}


def made_up(folder: Path, pages: int) -> Path:
    """A run of so many pages."""
    web, run = folder / "web.warc.gz", folder / "run"
    write_web(web, pages=200, seed=1)
    pagekin.scan(web, run)
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.execute(f"CREATE MACRO n() AS {pages}")
    db.execute("CREATE MACRO h(i) AS (i * 2654435761) % 1000003")
    db.execute("CREATE MACRO site(i) AS 'site' || i // 40 || '.example'")
    place = "'/section/' || i % 40 || '/a-page-of-this-site.html?id=' || i"
    db.execute(f"CREATE MACRO url(i) AS 'http://www.' || site(i) || {place}")
    db.execute(f"CREATE TABLE ids AS SELECT range AS i FROM range({pages})")
    for name, query in queries().items():
        path = run / f"{name}.parquet"
        shutil.rmtree(path)
        path.mkdir()
        found = db.sql(query)
        with pq.ParquetWriter(path / "part-0.parquet", TABLES[name].schema, compression="zstd") as out:
            for batch in found.to_arrow_reader(65_536):
                out.write_table(
                    pa.Table.from_batches([batch]).select(TABLES[name].names).cast(TABLES[name].schema)
                )
    info = json.loads((run / "run.json").read_bytes())
    info["counts"] |= {"pages": pages, "words": 300 * pages, "html_bytes": 25_000 * pages}
    (run / "run.json").write_text(json.dumps(info))
    return run


def main() -> None:
    """Writes the report of a run of 1,000,000 pages (or as many as the first argument says)."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="pagekin-bench-") as folder:
        run = made_up(Path(folder), pages)
        out = Path(folder) / "report.html"
        seconds, peak = peak_rss_of([COMMAND, "report", str(run), "-o", str(out)])
        size = out.stat().st_size
    publish(
        "report",
        [
            Row(f"report of {pages:,} pages", seconds, "s", at_most=20),
            Row("its size", size / 1e6, "MB", at_most=3),
            Row("peak memory", peak / 1e6, "MB"),
        ],
    )


if __name__ == "__main__":
    main()
