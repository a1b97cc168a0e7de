"""Duplicate classes, popular phrases and covers from 20,000 to 1,000,000 made-up pages, within a memory."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path

from harness import Row, peak_rss_of, publish
from quilts_growth import COPIES, PAGES, texts_run

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.run import Run

MEMORY = 10**9
STEPS = ("duplicates", "phrases")


def scan(texts: Path, out: Path) -> None:
    """Texts to tables."""
    parts = sorted(texts.glob("*.parquet"))
    pagekin.scan(parts, out, only=STEPS, engine=LocalEngine(2, memory=MEMORY))


def measured(run: Run, repeat: int) -> tuple[dict[str, float], int]:
    """The best seconds of each step, and the peak memory, in processes of their own."""
    best = dict.fromkeys(STEPS, math.inf)
    peak = 0
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            _, rss = peak_rss_of([sys.executable, __file__, str(run.path / "texts.parquet"), str(out)])
            steps = json.loads((out / "run.json").read_text())["steps"]
            best = {step: min(best[step], steps[step]["seconds"]) for step in STEPS}
            peak = max(peak, rss)
    return best, peak


def main() -> None:
    (small, _), (large, peak) = measured(texts_run(1), 3), measured(texts_run(COPIES), 1)
    rows = []
    for step in STEPS:
        growth = math.log(large[step] / small[step]) / math.log(COPIES)
        rows += [
            Row(f"{step}: {PAGES:,} pages", small[step], "s"),
            Row(f"{step}: {PAGES * COPIES:,} pages", large[step], "s"),
            Row(f"{step}: exponent of growth", growth, "", at_most=1.1),
        ]
    rows.append(Row("peak memory with 1 GB", peak / 1e6, "MB", at_most=1400))
    publish("phrases_growth", rows)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        scan(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main()
