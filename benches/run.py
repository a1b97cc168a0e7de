"""All benches, one after the other: `make bench`. Fails when a goal is missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from harness import cache_folder

BENCHES = (
    "startup",
    "words",
    "scan",
    "linear",
    "complexity",
    "synth",
    "shingles",
    "duplicates",
    "phrases",
    "phrases_growth",
    "fuzzy",
    "crawl",
    "crawl_cost",
    "styles",
    "truth",
    "estimators",
    "clusters",
    "quilts",
    "quilts_growth",
    "report",
    "serve",
    "spark",
    "spark_skew",
)


def main() -> int:
    """Runs the named benches, or all; each in a process of its own, so that none sees another's memory."""
    missed = []
    for bench in sys.argv[1:] or BENCHES:
        print(f"\n## {bench}\n", flush=True)
        subprocess.run([sys.executable, str(Path(__file__).with_name(f"{bench}.py"))], check=True)
        result = json.loads((cache_folder() / "results" / f"{bench}.json").read_text(encoding="utf-8"))
        missed += [f"{bench}: {row['name']}" for row in result["rows"] if row["passed"] is False]
    print("\n" + ("missed: " + "; ".join(missed) if missed else "every goal reached"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
