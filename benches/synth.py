"""How fast the made-up web is made, on one core."""

from __future__ import annotations

import tempfile
from pathlib import Path

from harness import Row, best_of, publish

from pagekin.synth import write_web

PAGES = 10_000


def main() -> None:
    """Measures writing, compression included."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "web.warc.gz"
        best = best_of({"synth": lambda: write_web(path, pages=PAGES, seed=1)}, repeat=3)
    publish("synth", [Row("pages made", PAGES / best["synth"], "pages/s", at_least=2000)])


if __name__ == "__main__":
    main()
