"""Commands that may start few threads say so in one line. With those they ask for, they work."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cli.command import one_line, run

from pagekin.cli.limits import LIBRARY_THREADS

COMMANDS: dict[str, tuple[str, ...]] = {
    "scan": ("scan", "WEB", "-o", "OUT/run", "-q", "--threads", "2"),
    "show": ("show", "RUN", "pages", "--top", "1"),
    "report": ("report", "RUN", "-o", "OUT/report.html"),
    "figures": ("figures", "RUN", "-o", "OUT/figures"),
    "check": ("check", "RUN", "WEB"),
}


@pytest.fixture(scope="module")
def few_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library to be preloaded: limits of threads do not hold for root."""
    library = tmp_path_factory.mktemp("few") / "few.so"
    source = Path(__file__).with_name("few_threads.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.mark.parametrize("command", COMMANDS)
def test_threads_that_commands_need(
    command: str, few_threads: Path, tmp_path: Path, small_web: Path, scanned: Path
) -> None:
    """With one they ended as if by Ctrl-C, and with twelve some waited for ever."""
    places = {"WEB": str(small_web), "RUN": str(scanned), "OUT": str(tmp_path)}
    args = list(COMMANDS[command])
    for name, place in places.items():
        args = [part.replace(name, place) for part in args]
    needed = LIBRARY_THREADS + 3 * (os.cpu_count() or 1)
    for most in (0, 1, 12, needed - 1):
        limit = {"LD_PRELOAD": str(few_threads), "MAX_THREADS": str(most)}
        message = one_line(run(*args, code=1, env=limit))
        assert f"only {most} threads can be started, and pagekin needs {needed}; raise the limit" in message
    run(*args, env={"LD_PRELOAD": str(few_threads), "MAX_THREADS": str(needed)})
