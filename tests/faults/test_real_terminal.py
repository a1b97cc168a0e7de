"""Ctrl-C in a real terminal, and what a page may not do to one."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from cli.command import PAGEKIN, assert_same_run, environment, run
from crawl.hostile import Answers, answer, hostile_server, page

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m \u202egnp.exe"


def in_terminal(
    args: list[str],
    press: Callable[[bytes], bytes | None] = lambda seen: None,
    timeout: float = 120,
    variables: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """Runs the command in a terminal of its own; `press` sees all output and may type something once."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PAGEKIN, *args],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment() | {"TERM": "xterm-256color", "COLUMNS": "120"} | (variables or {}),
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(slave)
    seen, typed, end = b"", False, time.monotonic() + timeout
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            try:
                more = os.read(master, 65536)
            except OSError:
                break  # the other side is closed
            seen += more
        keys = None if typed else press(seen)
        if keys is not None:
            os.write(master, keys)
            typed = True
        if not ready and process.poll() is not None:
            break
    os.close(master)
    return process.wait(timeout=30), seen


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # Who runs the tests in the background of a shell has it ignored, and a terminal's shell has not.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_in_a_scan(tmp_path: Path, small_web: Path) -> None:
    """Exit 130, in one line, and --resume makes the same tables."""
    # Enough of them to be still at it when the key comes.
    webs = [str(tmp_path / f"{number}.warc.gz") for number in range(8)]
    for web in webs:
        shutil.copy(small_web, web)
    args = ["scan", *webs, "-o", str(tmp_path / "r"), "--resume", "--threads", "2"]
    code, seen = in_terminal(args, lambda _: b"\x03" if (tmp_path / "r" / "run.json").exists() else None)
    assert b"Traceback" not in seen
    assert code == 130, seen
    assert b"interrupted" in seen
    run(*args, "-q")
    run("scan", *webs, "-o", tmp_path / "whole", "--threads", "2", "-q")
    assert_same_run(tmp_path / "r", tmp_path / "whole")


def test_ctrl_c_in_a_crawl(tmp_path: Path) -> None:
    links = [f"/page{number}" for number in range(40)]
    answers: Answers = {link: answer(page(f"words of {link} " * 9)) for link in links}
    with hostile_server(answers=answers | {"/": answer(page("home", *links))}) as server:
        args = ["crawl", server.url, "-o", str(tmp_path / "c"), "--saturation", "off", "--resume"]
        slow = [*args, "--delay", "0.3"]
        code, seen = in_terminal(slow, lambda _: b"\x03" if len(server.paths) > 4 else None)
        assert code == 130, seen
        assert b"Traceback" not in seen
        run(*args, "--delay", "0", "-q")
        assert {"/", *links} <= set(server.paths)
        assert server.paths.count("/") == 1, "what was fetched is not fetched again"


def test_pages_do_not_reach_the_terminal(tmp_path: Path) -> None:
    row = {"url": "http://a.example/", "html": f"<title>{HOSTILE}</title><p>some words"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    run("scan", tmp_path / "a.jsonl", "-o", tmp_path / "r", "--only", "", "-q")
    for form in ("table", "csv", "jsonl"):
        shown = ["show", str(tmp_path / "r"), "pages", "--columns", "title", "--format", form]
        code, seen = in_terminal(shown)
        assert code == 0
        text = seen.decode()
        assert "\x1b]" not in text
        assert "\x1b[2J" not in text
        assert not {"\x07", "\x9b", "\u202e"} & set(text)
    code, seen = in_terminal(["show", str(tmp_path / "r"), "pages", "--format", "parquet"])
    assert code == 2
    assert b"not for a terminal" in seen


def test_words_do_not_break_on_a_narrow_terminal(tmp_path: Path, small_web: Path) -> None:
    """Neither in what a scan found nor in the text of a quilt."""
    folder = str(tmp_path / "r")
    narrow = {"COLUMNS": "80", "NO_COLOR": "1"}
    code, said = in_terminal(["scan", str(small_web), "-o", folder], variables=narrow)
    assert code == 0
    page = run("show", folder, "quilts", "--top", "1", "--columns", "page", "--format", "jsonl").stdout
    code, quilt = in_terminal(
        ["show", folder, "quilts", "--page", str(json.loads(page)["page"])], variables=narrow
    )
    assert code == 0
    # A long path has a line of its own.
    found = said.decode().split("run folder:")[1].splitlines()[1:]
    shown = quilt.decode().splitlines()
    assert any("quilt" in line for line in found)
    for line in (*found, *shown):
        assert len(line) <= 80 or " " not in line.strip(), line
