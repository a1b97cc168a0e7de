"""Read and sketch the real corpus on two cores: time beside FastWARC alone, and peak memory."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from corpus import corpus
from fastwarc.warc import ArchiveIterator, WarcRecordType
from harness import Row, best_of, peak_rss_of, publish

import pagekin
from pagekin.detect.sketch import SketchPages
from pagekin.engines.local import LocalEngine, Prefetch
from pagekin.params import ReadParams, ShingleParams, StyleParams
from pagekin.readers import expand


def read_alone(warc: Path) -> int:
    """Everything FastWARC must do to hand over the pages' bytes, on one core."""
    records = ArchiveIterator(str(warc), parse_http=True, record_types=WarcRecordType.response)
    return sum(len(record.reader.read()) for record in records)


def scan(warc: Path, folder: Path) -> None:
    """Crawl in, tables out."""
    shutil.rmtree(folder, ignore_errors=True)
    pagekin.scan(warc, folder, only=[], threads=2)


def sketch(warc: Path) -> int:
    """Reading and the native pass as the local engine runs them, without writing the tables."""
    engine = LocalEngine(threads=2)
    records = engine.read(expand([str(warc)]), ReadParams())
    with Prefetch(engine.map(records, SketchPages(StyleParams(), ShingleParams())).open(None)) as batches:
        return sum(batch.num_rows for batch in batches)


def main() -> None:
    """Measures time in this process, and memory in one of its own."""
    data = corpus()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        scan(data.warc, run)
        best = best_of(
            {
                "scan": lambda: scan(data.warc, run),
                "sketch": lambda: sketch(data.warc),
                "read": lambda: read_alone(data.warc),
            },
            repeat=5,
        )
        command = [str(Path(sys.executable).with_name("pagekin")), "scan", str(data.warc), "--threads", "2"]
        _, peak = peak_rss_of([*command, "--only", "", "--quiet", "-o", str(Path(folder) / "alone")])
    publish(
        "scan",
        [
            Row("read and sketch; two cores", best["sketch"], "s", best["sketch"] / best["read"], at_most=4),
            Row("the same with all tables written", best["scan"], "s", best["scan"] / best["read"]),
            Row("FastWARC reads alone; one core", best["read"], "s"),
            Row("HTML scanned", data.html_bytes / best["scan"] / 1e6, "MB/s"),
            Row("pages scanned", data.pages / best["scan"], "pages/s"),
            Row("peak memory of the command", peak / 1e6, "MB", at_most=600),
        ],
    )


if __name__ == "__main__":
    main()
