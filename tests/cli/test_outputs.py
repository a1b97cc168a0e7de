"""Where `scan` is told to write: taken, foreign, in use, impossible."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import warcs
from cli.command import assert_same_run, finish, one_line, run, start, wait_until


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return warcs.write(tmp_path, "crawl.warc", [warcs.page(number) for number in range(5)])


def contents(folder: Path) -> Iterator[tuple[str, int]]:
    files = sorted(path for path in folder.rglob("*") if path.name != ".lock")
    return ((str(path), path.stat().st_mtime_ns) for path in files)


def test_folder_that_holds_a_run(crawl: Path, tmp_path: Path) -> None:
    run("scan", crawl, "-o", tmp_path / "run", "-q")
    before = list(contents(tmp_path / "run"))
    assert "--resume" in one_line(run("scan", crawl, "-o", tmp_path / "run", code=1))
    assert list(contents(tmp_path / "run")) == before, "left as it was"
    run("scan", crawl, "-o", tmp_path / "run", "--resume", "-q")


@pytest.mark.parametrize("flags", [(), ("--resume",)])
def test_folder_that_holds_other_things(crawl: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    message = one_line(run("scan", crawl, "-o", tmp_path / "mine", *flags, code=1))
    assert "not a run folder" in message
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_empty_and_deep_folders_will_do(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    run("scan", crawl, "-o", tmp_path / "empty")
    run("scan", crawl, "-o", tmp_path / "a" / "b" / "c")


@pytest.mark.parametrize(
    ("place", "hint"),
    [
        ("file", "in the way"),
        ("file/below", "is a file"),
        ("dangling", "in the way"),
        ("/proc/nosuch", ""),
        ("/sys/nosuch", ""),
        ("/dev/null", "in the way"),
        ("x" * 300, "too long"),
        (os.fsdecode(b"caf\xe9"), "UTF-8"),
    ],
)
def test_places_that_cannot_be(crawl: Path, tmp_path: Path, place: str, hint: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere/at/all")
    message = one_line(run("scan", crawl, "-o", place, code=1, cwd=tmp_path))
    assert hint in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.warc", "dangling", "file"]


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        (("--keep-errors",), "read.keep_errors: False then, True now"),
        (("--max-page", "1MB"), "read.max_page_bytes"),
    ],
)
def test_parameters_are_not_mixed(crawl: Path, tmp_path: Path, flags: tuple[str, ...], hint: str) -> None:
    run("scan", crawl, "-o", tmp_path / "run")
    before = list(contents(tmp_path / "run"))
    message = one_line(run("scan", crawl, "-o", tmp_path / "run", "--resume", *flags, code=1))
    assert "other params" in message
    assert hint in message
    assert list(contents(tmp_path / "run")) == before


def test_inputs_are_not_mixed(crawl: Path, tmp_path: Path) -> None:
    run("scan", crawl, "-o", tmp_path / "run")
    other = warcs.write(tmp_path, "other.warc", [warcs.page(1)])
    assert "other inputs" in one_line(run("scan", other, "-o", tmp_path / "run", "--resume", code=1))
    assert "other.warc" in one_line(run("scan", crawl, other, "-o", tmp_path / "run", "--resume", code=1))
    crawl.write_bytes(crawl.read_bytes() + warcs.page(9))
    assert "crawl.warc" in one_line(run("scan", crawl, "-o", tmp_path / "run", "--resume", code=1))


def test_killed_before_the_first_word(crawl: Path, tmp_path: Path) -> None:
    """What a kill leaves of a run that had hardly begun does not stop the next attempt."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".lock").touch()
    (folder / ".run.json.4711.tmp").write_text('{"half')
    run("scan", crawl, "-o", folder, "--resume")
    run("scan", crawl, "-o", tmp_path / "clean")
    assert_same_run(folder, tmp_path / "clean")
    assert not list(folder.glob(".run.json*"))


def test_two_processes_one_folder(many_pages: Path, tmp_path: Path) -> None:
    first = start("scan", many_pages, "-o", tmp_path / "run")
    wait_until((tmp_path / "run" / ".work").exists, first)
    message = one_line(run("scan", many_pages, "-o", tmp_path / "run", "--resume", code=1))
    assert "another process" in message
    assert first.poll() is None, "and the first goes on"
    first.kill()
    finish(first, -9)


def test_two_processes_at_once(crawl: Path, tmp_path: Path) -> None:
    """Exactly one of them gets the folder; the other says so."""
    racers = [start("scan", crawl, "-o", tmp_path / "run") for _ in range(3)]
    for racer in racers:
        finish(racer, None)
    assert sorted(racer.returncode for racer in racers) == [0, 1, 1]
    run("scan", crawl, "-o", tmp_path / "alone")
    assert_same_run(tmp_path / "run", tmp_path / "alone")
