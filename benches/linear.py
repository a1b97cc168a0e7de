"""Time grows with pages and no faster: five times the made-up pages in at most 5.75 times the time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from harness import Row, best_of, cache_folder, publish
from scan import scan

from pagekin.synth import write_web

SMALL, LARGE = 20_000, 100_000


def web(pages: int) -> Path:
    """A made-up web, kept for the next time."""
    path = cache_folder() / f"web-{pages}.warc.gz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"unfinished-{path.name}")
        write_web(unfinished, pages=pages, seed=1)
        unfinished.replace(path)
    return path


def main() -> None:
    small, large = web(SMALL), web(LARGE)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        best = best_of({"small": lambda: scan(small, run), "large": lambda: scan(large, run)}, repeat=3)
    growth = best["large"] / best["small"] / (LARGE / SMALL)
    publish(
        "linear",
        [
            Row(f"scan of {SMALL:,} made-up pages", best["small"], "s"),
            Row(f"scan of {LARGE:,} made-up pages", best["large"], "s", growth, at_most=1.15),
        ],
    )


if __name__ == "__main__":
    main()
