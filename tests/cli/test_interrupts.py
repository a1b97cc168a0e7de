"""A scan that is stopped, by Ctrl-C or by kill -9, goes on where it was and ends with the same tables."""

from __future__ import annotations

import json
import random
import time
from functools import partial
from pathlib import Path

import pytest
import warcs
from cli.command import assert_same_run, finish, interrupt, one_line, run, start, tables, wait_until

KILLS = 10


@pytest.fixture(scope="module")
def undisturbed(many_pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the scan of very many pages gives when nobody interferes."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    run("scan", many_pages, "-o", folder)
    assert len(list((folder / "pages.parquet").iterdir())) >= 5, "several parts"
    return folder


def marks(folder: Path) -> dict[str, int]:
    """The finished parts of a run that is being written, and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / ".work" / "sketch").glob("*.done")}


def has_more_marks(folder: Path, than: int) -> bool:
    return len(marks(folder)) > than


def test_kill_ten_times(many_pages: Path, undisturbed: Path, tmp_path: Path) -> None:
    """At any moment, and some of the times a moment after a part was finished."""
    folder = tmp_path / "run"
    chance = random.Random(20240506)
    finished: dict[str, int] = {}
    reused = 0
    for attempt in range(KILLS):
        process = start("scan", many_pages, "-o", folder, "--resume")
        if attempt % 3 == 2:
            wait_until(partial(has_more_marks, folder, len(finished)), process)
            time.sleep(chance.uniform(0, 0.05))
        else:
            time.sleep(chance.uniform(0.05, 0.7))
        process.kill()
        process.communicate()
        assert process.returncode == -9, "the kill met a running process"
        reused += bool(finished)
        assert finished.items() <= marks(folder).items(), "a finished part is not written again"
        finished = marks(folder)
    assert reused, "some attempts found finished parts"
    run("scan", many_pages, "-o", folder, "--resume")
    assert_same_run(folder, undisturbed)


def test_interrupt(many_pages: Path, undisturbed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start("scan", many_pages, "-o", folder)
    wait_until(partial(has_more_marks, folder, 0), process)
    said = interrupt(process).strip()
    assert said.startswith("pagekin: interrupted; ")
    assert "--resume" in said
    first = (folder / ".work" / "sketch" / "pages.parquet" / "part-000000.parquet").stat().st_ino
    assert json.loads((folder / "run.json").read_text())["state"] == "running"
    assert "not finished" in one_line(run("show", folder, "pages", code=1))
    assert "--resume" in one_line(run("scan", many_pages, "-o", folder, code=1))
    process = start("scan", many_pages, "-o", folder, "--resume", "--json")
    wait_until(partial(has_more_marks, folder, len(marks(folder))), process)
    last = json.loads(interrupt(process).splitlines()[-1])
    assert (last["error"], last["exit"]) == ("interrupted", 130)
    run("scan", many_pages, "-o", folder, "--resume")
    assert_same_run(folder, undisturbed)
    assert (folder / "pages.parquet" / "part-000000.parquet").stat().st_ino == first, "read once only"


def test_interrupt_while_waiting_for_input(tmp_path: Path) -> None:
    """Standard input is a pipe on which nothing comes: Ctrl-C works at once, and once is enough."""
    process = start("scan", "-", "-o", tmp_path / "run", piped=True)
    assert process.stdin is not None
    process.stdin.write(warcs.page(1))
    process.stdin.flush()
    wait_until((tmp_path / "run" / ".work").exists, process)
    assert "interrupted" in interrupt(process, timeout=15)


def test_stream_begins_anew(small_web: Path, tmp_path: Path) -> None:
    """What was read from a pipe before a kill cannot be read on, but nothing is lost but time."""
    process = start("scan", "-", "-o", tmp_path / "run", piped=True)
    assert process.stdin is not None
    process.stdin.write(small_web.read_bytes()[:200_000])
    process.stdin.flush()
    wait_until((tmp_path / "run" / ".work").exists, process)
    process.kill()
    finish(process, -9)
    run("scan", "-", "-o", tmp_path / "run", "--resume", stdin=small_web.read_bytes())
    assert tables(tmp_path / "run")["pages"].num_rows == 400
