"""Runs the command under a library that kills it at a chosen file operation (killer.c)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

from cli.command import environment

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
    """The built library, and commands that run under it. `kills` counts those that it ended."""

    def __init__(self, folder: Path) -> None:
        library = folder / "killer.so"
        source = Path(__file__).with_name("killer.c")
        build = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
        subprocess.run(build, check=True, capture_output=True)
        self._output = folder / "output"
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm_start.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment() | {"LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1"},
        )
        self.kills = 0

    def close(self) -> None:
        self._server.communicate(timeout=60)

    def operations(self, folder: Path, *args: str | Path) -> dict[str, list[str]]:
        """Everything that a command does in a folder when nobody kills it: `steps` and `writes`.

        In folders of its own, beside this one; in a copy of it if it is there.
        """
        found = {}
        for kind in ("steps", "writes"):
            log, target = (
                folder.with_name(f"{folder.name}.{kind}.log"),
                folder.with_name(f"{folder.name}.{kind}"),
            )
            if folder.exists():
                shutil.copytree(folder, target)
            self._run(Moment(kind, 0, "before"), target, args, log)
            found[kind] = log.read_text().splitlines() if log.exists() else []
        return found

    def kill(self, moment: Moment, folder: Path, *args: str | Path) -> bool:
        """Runs a command up to a moment; whether it came so far. `FOLDER` in args stands for the folder."""
        killed = self._run(moment, folder, args, None) == -signal.SIGKILL
        self.kills += killed
        return killed

    def finish(self, folder: Path, *args: str | Path) -> None:
        """Runs a command to its end."""
        assert self._run(Moment("steps", 0, "before"), folder, args, None) == 0

    def said(self) -> str:
        """What the last command wrote to its streams."""
        return self._output.read_text(errors="replace")

    def _run(self, moment: Moment, folder: Path, args: tuple[str | Path, ...], log: Path | None) -> int:
        request = {
            "args": [str(arg).replace("FOLDER", str(folder)) for arg in args],
            "environment": {
                "KILL_FOLDER": str(folder),
                "KILL_KIND": moment.kind,
                "KILL_AT": str(moment.at),
                "KILL_HOW": moment.how,
            }
            | ({} if log is None else {"KILL_LOG": str(log)}),
            "out": str(self._output),
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request).encode() + b"\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        said = self.said()
        assert "Traceback" not in said, said
        assert code in (0, -signal.SIGKILL), f"{moment}: exit {code}: {said}"
        return code


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
