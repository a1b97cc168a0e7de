"""Runs the command under a library that kills it at a chosen file operation (killer.c)."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

from cli.command import PAGEKIN, environment

HOWS = ("before", "middle", "after")
SEED = int(os.environ.get("FAULT_SEED", "0"))
"""Another seed samples other moments."""


@dataclass(frozen=True)
class Moment:
    """Where to kill: the `at`-th of the `steps` or of the `writes`, before, in the middle of, or after it."""

    kind: str
    at: int
    how: str


class Killer:
    """The built library, and commands that run under it."""

    def __init__(self, folder: Path) -> None:
        self._library = folder / "killer.so"
        source = Path(__file__).with_name("killer.c")
        build = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(self._library), str(source), "-ldl"]
        subprocess.run(build, check=True, capture_output=True)

    def operations(self, folder: Path, *args: str | Path) -> dict[str, list[str]]:
        """Everything that a command does in a folder when nobody kills it: `steps` and `writes`."""
        found = {}
        for kind in ("steps", "writes"):
            log = folder.with_name(f"{folder.name}.{kind}.log")
            target = folder.with_name(f"{folder.name}.{kind}")
            self._run(Moment(kind, 0, "before"), target, args, log)
            found[kind] = log.read_text().splitlines() if log.exists() else []
        return found

    def kill(self, moment: Moment, folder: Path, *args: str | Path) -> bool:
        """Runs a command up to a moment; whether it came so far. `FOLDER` in args stands for the folder."""
        return self._run(moment, folder, args, None) == -signal.SIGKILL

    def _run(self, moment: Moment, folder: Path, args: tuple[str | Path, ...], log: Path | None) -> int:
        more = {
            "LD_PRELOAD": str(self._library),
            "KILL_FOLDER": str(folder),
            "KILL_KIND": moment.kind,
            "KILL_AT": str(moment.at),
            "KILL_HOW": moment.how,
        }
        if log is not None:
            more["KILL_LOG"] = str(log)
        done = subprocess.run(
            [PAGEKIN, *(str(folder) if arg == "FOLDER" else str(arg) for arg in args)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment() | more,
            timeout=300,
            check=False,
        )
        stderr = done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in stderr, stderr
        assert done.returncode in (0, -signal.SIGKILL), f"{moment}: exit {done.returncode}: {stderr}"
        return done.returncode


def sample(operations: dict[str, list[str]], count: int, seed: int = SEED) -> list[Moment]:
    """Moments by a seed. Those at which something is published come first: renames and what removes."""
    rng = Random(seed)
    steps = operations["steps"]
    publish = [at for at, line in enumerate(steps, 1) if line.split(" ")[1] in ("rename", "unlink", "rmdir")]
    chosen = [
        Moment("steps", at, rng.choice(HOWS)) for at in rng.sample(publish, min(len(publish), count // 2))
    ]
    while len(chosen) < count:
        kind = rng.choice(("steps", "writes"))
        chosen.append(Moment(kind, rng.randint(1, max(1, len(operations[kind]))), rng.choice(HOWS)))
    return chosen


def every_step(operations: dict[str, list[str]]) -> list[Moment]:
    """Before and after each operation that is not a write, and in the middle of some writes."""
    steps = range(1, len(operations["steps"]) + 1)
    writes = range(1, len(operations["writes"]) + 1, max(1, len(operations["writes"]) // 40))
    return [Moment("steps", at, how) for at in steps for how in ("before", "after")] + [
        Moment("writes", at, "middle") for at in writes
    ]
