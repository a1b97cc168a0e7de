"""The real command, as a user starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

import pagekin

PAGEKIN = str(Path(sys.executable).with_name("pagekin"))
TIMEOUT = 60.0

Arguments = Sequence[str | os.PathLike[str]]
Completed = subprocess.CompletedProcess[str]


def run(
    *args: str | os.PathLike[str],
    code: int | None = 0,
    timeout: float = TIMEOUT,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Completed:
    """Runs the command to its end and checks its exit code (None: any).

    Whatever a user does, a traceback is a bug. `before` runs in the new process, to set limits.
    """
    done = run_bytes(*args, code=code, timeout=timeout, stdin=stdin, cwd=cwd, env=env, before=before)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), _text(done.stderr))


def run_bytes(
    *args: str | os.PathLike[str],
    code: int | None = 0,
    timeout: float = TIMEOUT,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The same with stdout as it comes."""
    done = subprocess.run(
        [PAGEKIN, *(os.fspath(arg) for arg in args)],
        input=stdin if stdin is not None else b"",
        capture_output=True,
        timeout=timeout,
        cwd=cwd,
        env=environment() | (env or {}),
        preexec_fn=before,
        check=False,
    )
    check(done.returncode, _text(done.stderr), code)
    return done


def environment() -> dict[str, str]:
    """Ours, without what would change how the command speaks, and without pandas, as after a base install."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COLUMNS"))}
    return kept | {"PYTHONPATH": str(Path(__file__).with_name("base_install"))}


def check(returncode: int, stderr: str, code: int | None) -> None:
    """No traceback, no crash, and the exit code that was expected."""
    assert "Traceback" not in stderr, stderr
    assert "panicked" not in stderr, stderr
    assert code is None or returncode == code, f"exit {returncode}, not {code}:\n{stderr}"


def start(
    *args: str | os.PathLike[str], cwd: Path | None = None, piped: bool = False
) -> subprocess.Popen[bytes]:
    """Starts the command and goes on. With `piped`, its standard input is open and ours to write."""
    return subprocess.Popen(
        [PAGEKIN, *(os.fspath(arg) for arg in args)],
        stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment(),
        # Whoever runs the tests in the background may have Ctrl-C ignored, and children inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def finish(process: subprocess.Popen[bytes], code: int | None, timeout: float = TIMEOUT) -> str:
    """Waits for a started command; returns what it said on stderr."""
    try:
        _, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        _, stderr = process.communicate()
        raise AssertionError(f"still running after {timeout} s:\n{_text(stderr)}") from None
    check(process.returncode, _text(stderr), code)
    return _text(stderr)


def interrupt(process: subprocess.Popen[bytes], timeout: float = TIMEOUT) -> str:
    """Ctrl-C; the command must end by itself, saying so."""
    process.send_signal(signal.SIGINT)
    return finish(process, 130, timeout)


def wait_until(
    condition: Callable[[], bool], process: subprocess.Popen[bytes], timeout: float = TIMEOUT
) -> None:
    """Waits for something to be true while a command runs."""
    end = time.monotonic() + timeout
    while not condition():
        assert process.poll() is None, f"ended early with {process.returncode}: {_stderr_of(process)}"
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


def one_line(done: Completed) -> str:
    """The only line on stderr; and nothing on stdout."""
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("pagekin: ")
    return lines[0]


def tables(folder: Path) -> dict[str, pa.Table]:
    """Every table of a finished run."""
    opened = pagekin.Run(folder)
    assert opened.info["state"] == "done"
    return {name: opened.table(name) for name in opened.tables}


def assert_same_run(ours: Path, theirs: Path) -> None:
    """Two runs hold the same, whatever happened on the way."""
    mine, yours = tables(ours), tables(theirs)
    assert mine.keys() == yours.keys()
    for name, table in mine.items():
        assert table.schema == yours[name].schema
        assert table.equals(yours[name]), name
    one, other = pagekin.Run(ours).info, pagekin.Run(theirs).info
    for key in ("counts", "skipped", "inputs", "params"):
        assert one[key] == other[key], key
    assert not (ours / ".work").exists(), "work is left behind"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _stderr_of(process: subprocess.Popen[bytes]) -> str:
    return _text(process.stderr.read()) if process.stderr is not None else ""
