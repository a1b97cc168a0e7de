"""Quilts: grams counted, filtered and joined beside DuckDB and Polars; the detector; a small memory."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from corpus import corpus
from harness import Row, best_of, cache_folder, peak_rss_of, publish
from pagekin_bench import PairJoin, gram_pairs

import pagekin
from pagekin.detect.quilts.find import find_quilts
from pagekin.engines.local import LocalEngine, Prefetch
from pagekin.params import Params
from pagekin.run import Run

M = 50
COPIES = 5
SMALL_MEMORY = 10**9

PLAN = f"""
    SELECT page, gram FROM pairs
    JOIN (SELECT gram FROM pairs GROUP BY gram HAVING count(*) BETWEEN 2 AND {M}) USING (gram)
"""


def texts_run() -> Run:
    """The corpus read and sketched, once."""
    folder = cache_folder() / "quilts-run"
    if not folder.exists():
        unfinished = folder.with_name("unfinished-quilts-run")
        shutil.rmtree(unfinished, ignore_errors=True)
        pagekin.scan(corpus().warc, unfinished, only=[])
        unfinished.rename(folder)
    return Run(folder)


def pairs_of(run: Run) -> Iterator[pa.RecordBatch]:
    """The (gram, page) pairs of a run."""
    for batch in run.dataset("texts").to_batches(columns=["page", "text"]):
        yield gram_pairs(batch, 5)


def count_ours(batches: Iterator[pa.RecordBatch], memory: int, spill: str) -> int:
    """Count, filter and join back; how many pairs are left."""
    join = PairJoin(2, memory, spill)
    # As the engine feeds a reducer: the next batch is read while one is counted.
    with Prefetch(batches) as source:
        for batch in source:
            join.push(batch)
    return join.count(M)


def detect(run: Run, memory: int) -> None:
    """Texts in, tables out."""
    run.clear_work("quilts")  # or it would go on where it ended
    for name in ("quilts", "quilt_sources", "originality"):
        shutil.rmtree(run.path / f"{name}.parquet", ignore_errors=True)
    find_quilts(run, LocalEngine(2, memory=memory), Params())


def fivefold(run: Run) -> tuple[Path, Path]:
    """Five times the corpus, each time with other words: its texts as a run, its pairs as a file."""
    folder, pairs = cache_folder() / "quilts-5x-run", cache_folder() / "quilts-5x-pairs.parquet"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=cache_folder()) as temporary:
            for copy in range(COPIES):
                write_copy(run, Path(temporary) / f"{copy}.parquet", copy)
            made = Path(temporary) / "run"
            pagekin.scan([Path(temporary) / f"{copy}.parquet" for copy in range(COPIES)], made, only=[])
            made.rename(folder)
    if not pairs.exists():
        unfinished = pairs.with_name(f"unfinished-{pairs.name}")
        schema = next(pairs_of(run)).schema
        with pq.ParquetWriter(unfinished, schema, compression="none", use_dictionary=False) as writer:
            for batch in pairs_of(Run(folder)):
                writer.write_batch(batch)
        unfinished.rename(pairs)
    return folder, pairs


def write_copy(run: Run, path: Path, copy: int) -> None:
    """The texts with a letter more in every word that a blank or a line break follows."""
    letter = "qrstuvwxyz"[copy]
    schema = pa.schema([("url", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in run.dataset("texts").to_batches(columns=["url", "text"]):
            urls = [f"{url}?copy={copy}" for url in batch["url"].to_pylist()]
            texts = [
                text.replace(" ", f"{letter} ").replace("\n", f"{letter}\n")
                for text in batch["text"].to_pylist()
            ]
            writer.write_batch(pa.record_batch([urls, texts], schema=schema))


def fingerprint(run: Run) -> str:
    """The rows of the three tables as one hash."""
    digest = hashlib.sha256()
    for name in ("quilts", "quilt_sources", "originality"):
        digest.update(repr(run.table(name).to_pylist()).encode())
    return digest.hexdigest()


def child(what: str, path: str) -> None:
    """One measured job in a process of its own."""
    if what == "detect":
        detect(Run(path), SMALL_MEMORY)
    elif what == "ours":
        with tempfile.TemporaryDirectory(dir=cache_folder()) as spill:
            count_ours(pq.ParquetFile(path, pre_buffer=False).iter_batches(1 << 20), SMALL_MEMORY, spill)
    else:
        # Peers are imported where they are measured: nobody's time has another's imports in it.
        import duckdb

        with tempfile.TemporaryDirectory(dir=cache_folder()) as spill:
            db = duckdb.connect(str(Path(spill) / "work.db"))
            db.sql(f"SET memory_limit = '1GB'; SET threads = 2; SET temp_directory = '{spill}'")
            db.sql(f"CREATE VIEW pairs AS SELECT * FROM '{path}'")
            db.sql(f"CREATE TABLE patches AS {PLAN}")


def alone(what: str, path: Path) -> tuple[float, int]:
    """The best of two runs of a job in a process of its own: seconds, peak bytes."""
    runs = [peak_rss_of([sys.executable, __file__, what, str(path)]) for _ in range(2)]
    return min(seconds for seconds, _ in runs), max(peak for _, peak in runs)


def main() -> None:
    """Measures the real corpus, then five times of it within a gigabyte."""
    run = texts_run()
    publish("quilts", [*real_corpus(run), *small_memory(run)])


def real_corpus(run: Run) -> list[Row]:
    """The real corpus with memory enough."""
    import duckdb
    import polars as pl

    pairs = pa.Table.from_batches(pairs_of(run))
    db = duckdb.connect()
    db.sql("SET threads = 2")
    db.register("pairs", pairs)
    lazy = pl.from_arrow(pairs).lazy()
    few = lazy.group_by("gram").len().filter(pl.col("len").is_between(2, M)).select("gram")
    results: dict[str, int] = {}

    def ours() -> None:
        with tempfile.TemporaryDirectory() as spill:
            results["ours"] = count_ours(iter(pairs.to_batches()), 4 * 10**9, spill)

    def theirs_duckdb() -> None:
        db.sql(f"CREATE OR REPLACE TABLE patches AS {PLAN}")
        results["duckdb"] = db.sql("SELECT count(*) FROM patches").fetchall()[0][0]

    def theirs_polars() -> None:
        results["polars"] = lazy.join(few, on="gram").collect(engine="streaming").height

    best = best_of({"ours": ours, "duckdb": theirs_duckdb, "polars": theirs_polars}, repeat=3)
    if len(set(results.values())) != 1:
        raise AssertionError(f"they do not agree: {results}")
    whole = best_of({"detector": lambda: detect(run, 4 * 10**9)}, repeat=3)["detector"]
    peer = min(best["duckdb"], best["polars"])
    return [
        Row(
            f"{pairs.num_rows:,} pairs: count, filter, join",
            best["ours"],
            "s",
            peer / best["ours"],
            at_least=5,
        ),
        Row("DuckDB, the same", best["duckdb"], "s"),
        Row("Polars streaming, the same", best["polars"], "s"),
        Row("pairs that are left", results["ours"], "pairs"),
        Row("texts to quilts, sources, originality", whole, "s", at_most=3),
        Row("pages", run.info["counts"]["pages"] / whole / 2, "pages/core-s"),
    ]


def small_memory(run: Run) -> list[Row]:
    """Five times the corpus within a gigabyte."""
    folder, pairs = fivefold(run)
    ours, our_peak = alone("ours", pairs)
    theirs, their_peak = alone("duckdb", pairs)
    seconds, peak = alone("detect", folder)
    within = fingerprint(Run(folder))
    detect(Run(folder), 16 * 10**9)
    if fingerprint(Run(folder)) != within:
        raise AssertionError("another memory, other tables")
    count = pq.ParquetFile(pairs).metadata.num_rows
    return [
        Row(f"{count:,} pairs within 1 GB", ours, "s", theirs / ours, at_least=4),
        Row("its peak memory", our_peak / 1e6, "MB", at_most=1400),
        Row("DuckDB, the same within 1 GB", theirs, "s"),
        Row("its peak memory (DuckDB)", their_peak / 1e6, "MB"),
        Row("five times the texts to tables within 1 GB", seconds, "s"),
        Row("its peak memory (detector)", peak / 1e6, "MB", at_most=1400),
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(*sys.argv[1:])
    else:
        main()
