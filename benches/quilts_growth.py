"""Quilts from 20,000 to 1,000,000 made-up pages: how time grows, and how fast one page is checked."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import Row, cache_folder, peak_rss_of, publish
from linear import web
from quilts import write_copy

import pagekin
from pagekin.detect.quilts import find_quilts
from pagekin.engines.local import LocalEngine
from pagekin.params import Params
from pagekin.quilts import quilt
from pagekin.run import Run

SMALL, BASE, COPIES = 20_000, 100_000, 10
MEMORY = 4 * 10**9
PAPER = "13 to 35 pages per process-second on 504 million pages, words already broken"


def texts_run(pages: int, copies: int) -> Run:
    """The texts of a made-up web, several times with other words each time, as a run."""
    folder = cache_folder() / f"quilts-web-{pages * copies}-run"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=cache_folder()) as temporary:
            source = pagekin.scan(web(pages), Path(temporary) / "source", only=[], threads=2)
            parts = [Path(temporary) / f"{copy}.parquet" for copy in range(copies)]
            for copy, part in enumerate(parts):
                write_copy(source, part, copy)
            made = Path(temporary) / "run"
            pagekin.scan(parts, made, only=[], threads=2)
            made.rename(folder)
    return Run(folder)


def detect(run: Run, *, keep_grams: bool) -> float:
    """Core-seconds of the whole detector: what the machine's other users do does not count."""
    run.clear_work("quilts")  # or it would go on where it ended
    for name in ("quilts", "quilt_sources", "originality"):
        shutil.rmtree(run.path / f"{name}.parquet", ignore_errors=True)
    begin = time.process_time()
    find_quilts(run, LocalEngine(2, memory=MEMORY), Params().replace("quilts", keep_grams=keep_grams))
    return time.process_time() - begin


def main() -> None:
    """Measures both sizes, each in a process of its own."""
    small, large = texts_run(SMALL, 1), texts_run(BASE, COPIES)
    seconds = {run.path: min(measured(run) for _ in range(tries)) for run, tries in ((small, 3), (large, 1))}
    pages = large.info["counts"]["pages"]
    growth = math.log(seconds[large.path] / seconds[small.path]) / math.log(pages / SMALL)
    _, peak = peak_rss_of([sys.executable, __file__, str(large.path), "index"])
    first, best = check_times(large)
    words = large.info["counts"]["words"] / pages
    publish(
        "quilts_growth",
        [
            Row(f"{SMALL:,} pages", seconds[small.path], "core-s"),
            Row(f"{pages:,} pages", seconds[large.path], "core-s"),
            Row("exponent of growth", growth, "", at_most=1.1),
            Row(
                f"pages of {words:.0f} words (the paper: {PAPER})",
                pages / seconds[large.path],
                "pages/core-s",
            ),
            Row("peak memory with 4 GB, index included", peak / 1e6, "MB", at_most=4400),
            Row("one page against all, the whole command, first", first, "s"),
            Row("one page against all, the whole command, best of 5", best, "s", at_most=1),
        ],
    )


def measured(run: Run) -> float:
    """Core-seconds of the detector in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, str(run.path)], check=True, capture_output=True, text=True
    )
    return float(json.loads(done.stdout))


def check_times(run: Run) -> tuple[float, float]:
    """Seconds of `pagekin check --quilts` on one of the quilts: the first time, and the best."""
    found = run.dataset("quilts").head(1).to_pylist()[0]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.txt"
        page.write_text(quilt(run, found["page"]).text)
        command = [
            str(Path(sys.executable).with_name("pagekin")),
            "check",
            str(run.path),
            str(page),
            "--quilts",
        ]
        times = [peak_rss_of([*command, "--url", found["url"]])[0] for _ in range(5)]
    return times[0], min(times)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(detect(Run(sys.argv[1]), keep_grams=len(sys.argv) > 2)))
    else:
        main()
