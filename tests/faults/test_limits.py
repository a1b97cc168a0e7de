"""Limits of the system: one clear line and exit code 1, no abort and no traceback."""

from __future__ import annotations

import json
import os
import random
import resource
import threading
from functools import partial
from pathlib import Path

import pytest
from cli.command import finish, one_line, run, start

from pagekin.cli.limits import check_limits, met_limit
from pagekin.cli.main import cli, main
from pagekin.errors import LimitError, RunError
from pagekin.synth import write_web

MIB = 1 << 20


def limit(kind: int, size: int) -> partial[None]:
    return partial(resource.setrlimit, kind, (size, size))


@pytest.mark.parametrize("megabytes", [400, 700, 1500, 4000])
def test_too_little_address_space(tmp_path: Path, small_web: Path, megabytes: int) -> None:
    before = limit(resource.RLIMIT_AS, megabytes * MIB)
    message = one_line(run("scan", small_web, "-o", tmp_path / "r", "-q", code=1, before=before))
    assert "memory" in message or "address space" in message
    assert "raise the limit" in message


@pytest.mark.parametrize("command", ["show", "export", "report", "check", "crawl"])
def test_other_commands_in_too_little_address_space(tmp_path: Path, command: str) -> None:
    """They ended in an abort, or called a table unreadable."""
    before = limit(resource.RLIMIT_AS, 1200 * MIB)
    message = one_line(run(command, tmp_path, code=1, before=before))
    assert "the address space is limited to 1.3 GB" in message


@pytest.mark.parametrize("command", ["scan", "show", "export", "report", "check", "crawl", "serve"])
def test_too_few_open_files(tmp_path: Path, command: str) -> None:
    """`serve` ended in an abort with 10 to 13, and in a traceback with 18."""
    before = limit(resource.RLIMIT_NOFILE, 18)
    message = one_line(run(command, tmp_path, code=1, before=before))
    assert message.endswith("only 18 files may be open (ulimit -n), and pagekin needs 64; raise the limit")


@pytest.mark.parametrize(
    "error",
    [
        RunError("cannot read the table pages; scan again"),
        type("OutOfMemoryException", (Exception,), {})("Out of Memory Error: no block"),
    ],
)
def test_a_table_is_not_blamed_for_a_limit(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise error from MemoryError()

    monkeypatch.setattr(cli, "main", fail)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    assert "the system gave no more memory" in capsys.readouterr().err


def test_enough_address_space(tmp_path: Path, small_web: Path) -> None:
    before = limit(resource.RLIMIT_AS, 6000 * MIB)
    memory = ("--memory", "1GB", "--threads", "2")
    run("scan", small_web, "-o", tmp_path / "r", "-q", "--only", "duplicates", *memory, before=before)


def test_too_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[threading.Thread] = []
    begin = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if len(started) == 5:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(LimitError, match="only 5 threads can be started, and this scan needs"):
        check_limits(10**9, 4)
    assert not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "no more memory"),
        (OSError(12, "Cannot allocate memory"), "no more memory"),
        (ImportError("libx.so: failed to map segment from shared object"), "no more memory"),
        (RuntimeError("can't start new thread"), "no more threads"),
        (OSError(24, "Too many open files"), "no more open files"),
        (RunError("cannot read the table x: [errno 24] Too many open files"), "no more open files"),
    ],
)
def test_limits_met_on_the_way(error: Exception, said: str) -> None:
    assert said in str(met_limit(error))


def test_other_errors_are_not_taken_for_limits() -> None:
    assert met_limit(RuntimeError("a kernel failed")) is None


def test_a_pipe_without_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = start("scan", tmp_path / "pipe", "-o", tmp_path / "r", "--only", "")
    assert process.stderr is not None
    assert (
        process.stderr.readline().decode()
        == f"{tmp_path}/pipe: waits until something is written to this pipe\n"
    )
    with (tmp_path / "pipe").open("w") as pipe:
        pipe.write(json.dumps({"url": "http://a.example/", "html": "<p>some words here"}) + "\n")
    finish(process, 0)


@pytest.mark.parametrize("kind", ["words", "tags"])
def test_one_huge_page_keeps_to_the_memory(tmp_path: Path, kind: str) -> None:
    """A page may be a 32nd of --memory, and so often its bytes are there at once at most."""
    rng = random.Random(2)
    size = 8 * MIB
    if kind == "words":
        text = " ".join(rng.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=size // 2 - 100))
        row = {"url": "http://a.example/", "text": text}
    else:
        row = {"url": "http://a.example/", "html": "<a href=x>y</a>" * (size // 15 - 100)}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    memory = size * 32
    run("scan", tmp_path / "a.jsonl", "-o", tmp_path / "r", "--memory", str(memory), "-q", timeout=300)
    steps = json.loads((tmp_path / "r" / "run.json").read_bytes())["steps"]
    assert max(step["peak_memory_bytes"] for step in steps.values()) < memory + 400 * MIB


def test_every_step_keeps_to_little_memory(tmp_path: Path) -> None:
    """What was freed goes back to the system; else it would take 290 MB beside the 16. More pages, and the
    promise, are in benches/complexity.py."""
    write_web(tmp_path / "web.warc.gz", pages=4000, seed=1)
    memory = 16_000_000
    args = ("-o", tmp_path / "r", "--memory", str(memory), "--threads", "2", "-q")
    run("scan", tmp_path / "web.warc.gz", *args, timeout=300)
    steps = json.loads((tmp_path / "r" / "run.json").read_bytes())["steps"]
    peaks = {name: step["peak_memory_bytes"] for name, step in steps.items()}
    assert max(peaks.values()) < memory + 265_000_000, peaks
    assert {step["memory_bytes"] for step in steps.values()} == {memory}
