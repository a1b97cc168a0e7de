"""What it costs to begin: importing the package, and asking for help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from harness import Row, best_of, publish

COMMAND = str(Path(sys.executable).with_name("pagekin"))


def main() -> None:
    """Measures whole processes; the import is what an interpreter takes longer with it than without."""
    best = best_of(
        {
            "nothing": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
            "import": lambda: subprocess.run([sys.executable, "-c", "import pagekin"], check=True),
            "help": lambda: subprocess.run([COMMAND, "--help"], check=True, stdout=subprocess.DEVNULL),
        },
        repeat=10,
    )
    publish(
        "startup",
        [
            Row("import pagekin", best["import"] - best["nothing"], "s", at_most=0.15),
            Row("pagekin --help, whole process", best["help"], "s", at_most=0.3),
        ],
    )


if __name__ == "__main__":
    main()
