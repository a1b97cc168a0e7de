"""Classes, popular phrases and covers: how long they take on the real corpus, and how they grow."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from corpus import corpus
from harness import Row, publish
from linear import LARGE, SMALL, web

import pagekin
from pagekin.detect.duplicates.find import find_duplicates
from pagekin.detect.phrases.find import find_phrases
from pagekin.engines.local import LocalEngine
from pagekin.params import Params
from pagekin.run import Identity, Run


def steps(sketched: Run, folder: Path, repeat: int = 3) -> dict[str, float]:
    """The best seconds of each step on a sketched crawl, two threads."""
    engine, params = LocalEngine(2), Params()
    best = {"duplicates": float("inf"), "phrases": float("inf")}
    for turn in range(repeat):
        path = folder / f"turn-{turn}"
        with Run.create(path, Identity.of(sketched.inputs, params), resume=False) as run:
            for table in ("pages", "texts", "sketches"):
                (path / f"{table}.parquet").symlink_to(sketched.path / f"{table}.parquet")
            for name, find in (("duplicates", find_duplicates), ("phrases", find_phrases)):
                start = time.perf_counter()
                find(run, engine, params)
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> None:
    """Measures the real corpus and two made-up webs."""
    found = {}
    for name, crawl in (("corpus", corpus().warc), ("small", web(SMALL)), ("large", web(LARGE))):
        with tempfile.TemporaryDirectory() as folder:
            sketched = pagekin.scan(crawl, Path(folder) / "run", only=[], threads=2)
            found[name] = steps(sketched, Path(folder))
    growth = {step: found["large"][step] / found["small"][step] * SMALL / LARGE for step in found["small"]}
    publish(
        "phrases",
        [
            Row("duplicates on the real corpus, paper's rule", found["corpus"]["duplicates"], "s"),
            Row("phrases, covers and sites on the real corpus", found["corpus"]["phrases"], "s", at_most=5),
            *(
                Row(f"{step}: {LARGE:,} made-up pages", found["large"][step], "s", growth[step], at_most=1.3)
                for step in growth
            ),
        ],
    )


if __name__ == "__main__":
    main()
