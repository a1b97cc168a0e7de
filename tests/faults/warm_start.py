"""A process that has loaded everything already and forks for each command.

To start Python and load Arrow takes longer than most of the commands that are killed, and a thousand kills
are two thousand starts. Reads one request a line (arguments, environment, a file for the output), and answers
with the exit code, negative for a signal.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from pathlib import Path

TIMEOUT = 300


def load() -> None:
    """What commands import."""
    for name in (
        "duckdb",
        "pyarrow.compute",
        "pyarrow.dataset",
        "pyarrow.parquet",
        "rich.console",
        "scrapy.crawler",
        "pagekin.cli.main",
        "pagekin.pipeline",
        "pagekin.report",
    ):
        importlib.import_module(name)
    # Threads do not survive a fork. The allocator's knows how to begin again.
    names = {path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")}
    assert names <= {Path(sys.executable).resolve().name, "python", "jemalloc_bg_thd"}, names


def command(request: dict[str, object]) -> None:
    """In the new process: the command, as its script would start it."""
    signal.alarm(TIMEOUT)
    out = os.open(str(request["out"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(old, new)
    environment, args = request["environment"], request["args"]
    assert isinstance(environment, dict)
    assert isinstance(args, list)
    os.environ.update(environment)
    sys.argv = ["pagekin", *args]

    from pagekin.cli.main import main

    main()


def serve() -> None:
    load()
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    for line in iter(requests.readline, b""):
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            requests.close()
            answers.close()
            command(request)
            return
        _, status = os.waitpid(child, 0)
        answers.write(b"%d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    serve()
