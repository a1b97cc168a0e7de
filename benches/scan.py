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


def read_alone(warc: Path) -> int:
    """Everything FastWARC must do to hand over the pages' bytes, on one core."""
    records = ArchiveIterator(str(warc), parse_http=True, record_types=WarcRecordType.response)
    return sum(len(record.reader.read()) for record in records)


def scan(warc: Path, folder: Path) -> None:
    """Crawl in, tables out."""
    shutil.rmtree(folder, ignore_errors=True)
    pagekin.scan(warc, folder, only=[], threads=2)


def main() -> None:
    """Measures time in this process, and memory in one of its own."""
    data = corpus()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        scan(data.warc, run)
        best = best_of({"scan": lambda: scan(data.warc, run), "read": lambda: read_alone(data.warc)})
        command = [str(Path(sys.executable).with_name("pagekin")), "scan", str(data.warc), "--threads", "2"]
        _, peak = peak_rss_of([*command, "--only", "", "--quiet", "-o", str(Path(folder) / "alone")])
    publish(
        "scan",
        [
            Row("read, sketch, write; two cores", best["scan"], "s", best["scan"] / best["read"], at_most=4),
            Row("FastWARC reads alone; one core", best["read"], "s"),
            Row("HTML scanned", data.html_bytes / best["scan"] / 1e6, "MB/s"),
            Row("pages scanned", data.pages / best["scan"], "pages/s"),
            Row("peak memory of the command", peak / 1e6, "MB", at_most=600),
        ],
    )


if __name__ == "__main__":
    main()
