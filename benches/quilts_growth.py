"""Quilts from 20,000 to 1,000,000 made-up pages: how time grows, and how fast one page is checked.

The large collection is the small one fifty times, with other words each time, so that no gram of one copy
is in another. Its tables are written without a scan: what is measured here begins with texts.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
from harness import Row, cache_folder, peak_rss_of, publish
from linear import web

import pagekin
from pagekin.detect.quilts.find import find_quilts
from pagekin.engines.local import LocalEngine
from pagekin.params import Params
from pagekin.query.quilt_view import quilt
from pagekin.readers.base import RECORD_BITS
from pagekin.run import Run

PAGES, COPIES = 20_000, 50
MEMORY = 4 * 10**9
PAPER = "13 to 35 pages per process-second on 504 million pages, words already broken"

ALONE = r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])"
"""Characters that are words by themselves."""


def texts_run(copies: int) -> Run:
    """The texts of a made-up web so many times, as a run."""
    folder = cache_folder() / f"quilts-web-{copies}x-run"
    if not folder.exists():
        source = cache_folder() / "quilts-web-run"
        if not source.exists():
            unfinished = source.with_name("unfinished-quilts-web-run")
            shutil.rmtree(unfinished, ignore_errors=True)
            pagekin.scan(web(PAGES), unfinished, only=[], threads=2)
            unfinished.rename(source)
        unfinished = folder.with_name(f"unfinished-{folder.name}")
        shutil.rmtree(unfinished, ignore_errors=True)
        for name in ("pages", "texts", "links"):
            write_copies(Run(source), name, unfinished / f"{name}.parquet", copies)
        info = json.loads((source / "run.json").read_text())
        info["counts"] = {name: count * copies for name, count in info["counts"].items()}
        (unfinished / "run.json").write_text(json.dumps(info))
        unfinished.rename(folder)
    return Run(folder)


def write_copies(run: Run, name: str, folder: Path, copies: int) -> None:
    """A table so many times, each time with other page ids, addresses and words."""
    folder.mkdir(parents=True)
    for copy in range(copies):
        rows = run.table(name)
        suffix = "qrstuvwxyz"[copy % 10] + "qrstuvwxyz"[copy // 10]
        made = {"page": pc.add(rows["page"], copy << RECORD_BITS)}
        for column in {"url", "target_url"}.intersection(rows.column_names):
            made[column] = pc.binary_join_element_wise(rows[column], f"?copy={copy}", "")
        if name == "texts":
            alone = pc.replace_substring_regex(rows["text"], ALONE, rf"\1 {suffix} ")
            made["text"] = pc.replace_substring_regex(alone, r"(\s)", rf"{suffix}\1")
        for column, values in made.items():
            at = rows.schema.get_field_index(column)
            rows = rows.set_column(at, rows.schema.field(at), pc.cast(values, rows.schema.field(at).type))
        pq.write_table(rows, folder / f"part-{copy:06}.parquet", compression="zstd", row_group_size=4096)


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
    small, large = texts_run(1), texts_run(COPIES)
    seconds = {run.path: min(measured(run) for _ in range(tries)) for run, tries in ((small, 3), (large, 1))}
    pages = large.info["counts"]["pages"]
    growth = math.log(seconds[large.path] / seconds[small.path]) / math.log(COPIES)
    _, peak = peak_rss_of([sys.executable, __file__, str(large.path), "index"])
    first, best = check_times(large)
    words = large.info["counts"]["words"] / pages
    publish(
        "quilts_growth",
        [
            Row(f"{PAGES:,} pages", seconds[small.path], "core-s"),
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
