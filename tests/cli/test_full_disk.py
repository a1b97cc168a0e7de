"""A disk that is full, read-only, or limited: one clear line, and a run that goes on once there is room."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.command import assert_same_run, one_line, run

from pagekin.synth import write_web


def mount(*args: str | Path) -> bool:
    """Whether this machine let us mount something."""
    done = subprocess.run(["mount", *map(str, args)], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one page of memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=4k", "pagekin-test", folder):
        pytest.skip("only root may mount; the limit on file sizes is tested instead")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk(tiny_disk: Path, small_web: Path, scanned: Path) -> None:
    """Full at every size from nothing on, until there is room enough."""
    folder = tiny_disk / "run"
    stopped = 0
    for size in ("4k", "100k", "600k", "64m"):
        assert mount("-o", f"remount,size={size}", tiny_disk)
        done = run("scan", small_web, "-o", folder, "--resume", "--quiet", code=None)
        if done.returncode == 0:
            break
        message = one_line(done)
        assert done.returncode == 1
        assert "disk is full" in message
        assert "--resume" in message
        stopped += 1
    assert done.returncode == 0, done.stderr
    assert stopped >= 2
    assert_same_run(folder, scanned)
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("size", ["3m", "8m", "16m"])
def test_full_disk_for_much(tiny_disk: Path, tmp_path: Path, size: str) -> None:
    """While pages are written, and while detectors spill: Arrow and the kernels have words of their own."""
    write_web(tmp_path / "web.warc.gz", pages=4000, seed=3)
    assert mount("-o", f"remount,size={size}", tiny_disk)
    args = ("-o", tiny_disk / "run", "--threads", "2", "--memory", "16MB", "-q")
    message = one_line(run("scan", tmp_path / "web.warc.gz", *args, code=1))
    assert message.endswith(f"the disk is full; free some space on {tiny_disk} and run again with --resume")


def test_read_only_disk(tiny_disk: Path, small_web: Path) -> None:
    assert mount("-o", "remount,ro", tiny_disk)
    message = one_line(run("scan", small_web, "-o", tiny_disk / "run", code=1))
    assert "read-only" in message


def test_full_disk_for_synth_and_report(tiny_disk: Path, scanned: Path) -> None:
    for args in (
        ("synth", "-o", tiny_disk / "web.warc", "--pages", "50"),
        ("report", scanned, "-o", tiny_disk / "r"),
    ):
        message = one_line(run(*args, code=1))
        assert message.endswith(f"the disk is full; free some space on {tiny_disk} and run again")
        assert not list(tiny_disk.iterdir()), "nothing half-written is left"


@pytest.mark.parametrize("command", ["check", "verdicts"])
def test_full_disk_for_an_index(tiny_disk: Path, scanned: Path, small_web: Path, command: str) -> None:
    """DuckDB writes it, and has errors of its own."""
    folder = tiny_disk / "run"
    assert mount("-o", "remount,size=64m", tiny_disk)
    shutil.copytree(scanned, folder, ignore=shutil.ignore_patterns(".index*"))
    status = os.statvfs(tiny_disk)
    (tiny_disk / "rest").write_bytes(bytes(status.f_bavail * status.f_frsize - 8192))
    verdicts = tiny_disk.with_name("v.csv")
    verdicts.write_text("kind,label,url\npage,spam,http://a.example/\n")
    args = (folder, small_web) if command == "check" else (folder, "--import", verdicts)
    message = one_line(run(command, *args, code=1))
    assert message.endswith(f"the disk is full; free some space on {tiny_disk} and run again")
    assert not list((folder / ".index").glob(".building*"))


@pytest.mark.parametrize("limit", [300, 20_000])
def test_limited_file_size(small_web: Path, tmp_path: Path, scanned: Path, limit: int) -> None:
    """Writes fail in the middle of a file, wherever that is."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    folder = tmp_path / "run"
    message = one_line(run("scan", small_web, "-o", folder, "--quiet", code=1, before=limited))
    assert str(folder) in message
    run("scan", small_web, "-o", folder, "--resume", "--quiet")
    assert_same_run(folder, scanned)
