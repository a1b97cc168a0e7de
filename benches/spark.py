"""Scans on Spark beside the local engine, what each step costs when all rows are divided, and components.

python benches/spark.py                   # 20,000 and 100,000 pages
python benches/spark.py 20000 500000      # other sizes for the costs of steps
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
from harness import Row, best_of, cache_folder, publish

import pagekin
from pagekin.engines.base import EDGES
from pagekin.engines.components import rounds
from pagekin.engines.local import LocalEngine
from pagekin.engines.spark import SparkEngine
from pagekin.synth import write_web

SIZES = (20_000, 100_000)
WEB = 20_000
"""A crawl is webs of so many pages, each a file: crawls differ in size and in nothing else. Webs of different
seeds have other words, so a page shares text with as many pages however many webs there are. In one web that
grows, phrases get more holders, and so do quilts' postings."""
MASTER = "local[2]"
STEPS = ("sketch", "duplicates", "styles", "quilts", "fuzzy", "phrases", "causes")


def web(pages: int, number: int) -> Path:
    """A made-up web, kept for the next time."""
    path = cache_folder() / f"spark-{pages}-{number}.warc.gz"
    if not path.exists():
        unfinished = path.with_name(f"unfinished-{path.name}")
        write_web(unfinished, pages=pages, seed=number + 1)
        unfinished.replace(path)
    return path


def webs(pages: int) -> list[Path]:
    """Webs of so many pages together."""
    return [web(WEB, number) for number in range(pages // WEB)]


def command(inputs: list[Path], run: Path, *more: str) -> Callable[[], object]:
    """A whole scan, as a user starts it."""
    words = [str(Path(sys.executable).with_name("pagekin")), "scan", *map(str, inputs), "-o", str(run), *more]

    def scan() -> None:
        subprocess.run(["rm", "-rf", str(run)], check=True)
        subprocess.run([*words, "--quiet"], check=True)

    return scan


def beside_local(pages: int, folder: Path) -> list[Row]:
    """The same command on both engines."""
    inputs = webs(pages)
    on_spark = ("--engine", "spark", "--spark-master", MASTER)
    best = best_of(
        {
            "local": command(inputs, folder / "local"),
            "spark": command(inputs, folder / "spark", *on_spark),
        },
        repeat=2,
    )
    steps = pagekin.Run(folder / "spark").info["steps"].values()
    worker = max(step["worker_peak_bytes"] for step in steps)
    equal = [
        pagekin.Run(folder / "local").table(name).equals(pagekin.Run(folder / "spark").table(name))
        for name in pagekin.Run(folder / "local").tables
    ]
    mega = 1_000_000
    return [
        Row(f"scan of {pages:,} pages, local engine", best["local"], "s"),
        Row(f"the same on Spark, {MASTER}", best["spark"], "s", best["spark"] / best["local"], at_most=4),
        Row("tables that are equal", sum(equal) / len(equal), "share", at_least=1),
        Row("driver's peak", max(step["driver_peak_bytes"] for step in steps) / mega, "MB", at_most=600),
        Row("largest worker's peak", worker / mega, "MB", at_most=2000),
    ]


def divided(inputs: list[Path], run_folder: Path, only: list[str] | None = None) -> dict[str, Any]:
    """The steps of a scan in which nothing is done in one place, and what the whole JVM took."""
    with closing(SparkEngine(MASTER, one_place=0, whole=0)) as engine:
        run = pagekin.scan(inputs, run_folder, only=only, engine=engine)
        context: Any = engine.spark.sparkContext
        jvm = cpu_seconds_of(context._gateway.proc.pid)
    steps: dict[str, Any] = run.info["steps"]
    return {**steps, "jvm": jvm}


def cpu_seconds_of(process: int) -> float:
    """What all threads of a process took so far: of a JVM also those that compile and collect garbage."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(step: dict[str, Any]) -> float:
    """What the tasks of a step took: their threads in the JVM, and their Python workers."""
    return float(step["jvm_cpu_seconds"] + step["worker_cpu_seconds"])


def costs(sizes: tuple[int, ...], folder: Path) -> list[Row]:
    """What each step costs for a page, and how that grows."""
    found = {pages: divided(webs(pages), folder / f"divided-{pages}") for pages in sizes}
    rows = []
    for step in STEPS:
        first = cpu_seconds(found[sizes[0]][step]) / sizes[0]
        for pages, steps in found.items():
            one, name = steps[step], f"{step}, {pages:,} pages"
            cost = cpu_seconds(one) / pages
            bound = {} if pages == sizes[0] else {"ratio": cost / first, "at_most": 1.2}
            rows += [
                Row(f"{name}: processor time", cost * 1000, "ms a page", **bound),
                Row(f"{name}: of it workers", one["worker_cpu_seconds"] / pages * 1000, "ms a page"),
                Row(f"{name}: time of tasks", one["task_seconds"] / pages * 1000, "ms a page"),
                Row(f"{name}: shuffled", one["shuffled_bytes"] / pages, "bytes a page"),
                Row(f"{name}: largest worker", one["worker_peak_bytes"] / 1e6, "MB", at_most=2000),
                Row(f"{name}: driver", one["driver_peak_bytes"] / 1e6, "MB", at_most=600),
            ]
    for pages, steps in found.items():
        tasks = sum(steps[step]["jvm_cpu_seconds"] for step in STEPS)
        rows.append(Row(f"{pages:,} pages: other threads of the JVM", steps["jvm"] - tasks, "s"))
    return rows


def one_web(pages: int, folder: Path) -> list[Row]:
    """Quilts of a single web of so many pages, which share more text than those of many webs. No goal."""
    quilts = divided([web(pages, 0)], folder / "one-web", ["quilts"])["quilts"]
    name = f"quilts, one web of {pages:,} pages"
    return [
        Row(f"{name}: processor time", cpu_seconds(quilts) / pages * 1000, "ms a page"),
        Row(f"{name}: shuffled", quilts["shuffled_bytes"] / pages, "bytes a page"),
    ]


def shapes() -> dict[str, list[tuple[int, int]]]:
    """Edges that are hard to join in few rounds."""
    return {
        "a chain of 100,000 pages": [(page + 1, page) for page in range(100_000)],
        "a star of 1,000,000": [(page, 0) for page in range(1, 1_000_001)],
        "a million pairs": [(2 * pair + 1, 2 * pair) for pair in range(1_000_000)],
    }


def components() -> list[Row]:
    """Rounds until all pages know the smallest they are joined to, with the edges in no order."""
    rows = []
    for name, edges in shapes().items():
        random.Random(3).shuffle(edges)
        columns = [pa.array(column, pa.int64()) for column in zip(*edges, strict=True)]
        table = pa.Table.from_batches(pa.table(columns, schema=EDGES).to_batches(max_chunksize=10_000))
        engine, told = LocalEngine(), [0]
        found = engine.collect(rounds(engine, engine.table(table), told.append, one_place=0))
        bound = 2 * math.log2(found.num_rows)
        rows.append(Row(f"{name}: rounds", told[-1], "rounds", at_most=math.floor(bound)))
    return rows


def main() -> None:
    sizes = tuple(int(size) for size in sys.argv[1:]) or SIZES
    with tempfile.TemporaryDirectory(dir=cache_folder()) as name:
        folder = Path(name)
        rows = [] if sys.argv[1:] else [*beside_local(100_000, folder), *components()]
        publish("spark", [*rows, *costs(sizes, folder), *one_web(sizes[-1], folder)])


if __name__ == "__main__":
    main()
