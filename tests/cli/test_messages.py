"""Who hears what: results on stdout, messages on stderr, as lines, as JSON, or not at all."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
import warcs
from cli.command import PAGEKIN, check, environment, one_line, run

import pagekin


def test_scan_speaks_on_stderr_only(small_web: Path, tmp_path: Path) -> None:
    done = run("scan", small_web, "-o", tmp_path / "run")
    assert done.stdout == ""
    assert "400 pages" in done.stderr
    assert "[revisit]" in done.stderr, "every skip is counted by its reason"
    assert str(tmp_path / "run") in done.stderr


def test_quiet(small_web: Path, tmp_path: Path) -> None:
    done = run("scan", small_web, "-o", tmp_path / "run", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")
    done = run("synth", "-o", tmp_path / "web.warc", "--pages", "5", "-q")
    assert (done.stdout, done.stderr) == ("", "")


def test_quiet_is_not_silent_about_errors(small_web: Path, tmp_path: Path) -> None:
    done = run("scan", tmp_path / "nosuch", "-o", tmp_path / "run", "--quiet", code=1)
    assert "nosuch" in done.stderr


def test_json_lines(small_web: Path, tmp_path: Path) -> None:
    done = run("scan", small_web, "-o", tmp_path / "run", "--json")
    assert done.stdout == ""
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert all({"time", "message"} <= line.keys() for line in lines)
    assert {line["pages"] for line in lines if "words" in line} == {400}
    assert {line["reason"] for line in lines if "reason" in line} >= {"not-a-page", "revisit", "status"}
    told = next(line for line in lines if "run" in line)
    assert told["run"] == str(tmp_path / "run")
    assert "pages" in told["tables"]
    assert {line["finding"] for line in lines if "finding" in line} >= {"style_clusters", "quilts", "sites"}


@pytest.mark.parametrize("flags", [("--json",), ("--json", "--quiet")])
def test_errors_are_json_too(flags: tuple[str, ...], tmp_path: Path) -> None:
    done = run("scan", tmp_path / "nosuch", "-o", tmp_path / "run", *flags, code=1)
    last = json.loads(done.stderr.splitlines()[-1])
    assert (last["error"], last["exit"]) == ("input", 1)
    assert "nosuch" in last["message"]


def test_json_holds_odd_names(tmp_path: Path) -> None:
    """File names are bytes, not always UTF-8; they stay legible and the lines stay JSON."""
    path = tmp_path / os.fsdecode(b"caf\xe9 \x1b[1m.warc")
    path.write_bytes(warcs.page(1))
    done = run("scan", path, "-o", tmp_path / "run", "--json")
    assert all(json.loads(line) for line in done.stderr.splitlines())
    info = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert info["inputs"][0]["path"] == str(path)
    run("scan", path, "-o", tmp_path / "run", "--resume")


def test_exit_code_3_for_damaged_input(small_web: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "cut.warc.gz"
    damaged.write_bytes(small_web.read_bytes()[:-5000])
    done = run("scan", small_web, damaged, "-o", tmp_path / "run", code=3)
    assert "[truncated]" in done.stderr
    assert done.stdout == ""
    cut = ("--where", "truncated = 'end'", "--format", "jsonl")
    assert len(run("show", tmp_path / "run", "pages", *cut).stdout.splitlines()) == 1


def test_strict_fails_on_damaged_input(small_web: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "cut.warc.gz"
    damaged.write_bytes(small_web.read_bytes()[:-5000])
    done = run("scan", damaged, "-o", tmp_path / "run", "--strict", "-q", code=1)
    assert "damaged" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    # What was read is there, and going on without --strict accepts it.
    run("scan", damaged, "-o", tmp_path / "run", "--resume", code=3)


def test_progress_bar_on_a_terminal(small_web: Path, tmp_path: Path) -> None:
    """On a terminal there is a bar, still on stderr only."""
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [PAGEKIN, "scan", small_web, "-o", tmp_path / "run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment() | {"TERM": "xterm"},
    )
    os.close(terminal)
    said = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        said += piece
    os.close(master)
    stdout, _ = process.communicate(timeout=60)
    check(process.returncode, said.decode(), 0)
    assert stdout == b""
    assert "sketch" in said.decode()
    assert "400 pages" in said.decode()


def test_stdout_that_is_full(scanned: Path) -> None:
    for form in ("table", "csv"):
        with open("/dev/full", "wb") as full:  # noqa: PTH123
            done = subprocess.run(
                [PAGEKIN, "show", scanned, "pages", "--format", form],
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=60,
                check=False,
                env=environment(),
            )
        check(done.returncode, done.stderr.decode(), 1)
        assert b"No space left" in done.stderr


def test_stdout_that_is_closed_early(scanned: Path) -> None:
    """As in `pagekin show ... | head -1`."""
    process = subprocess.Popen(
        [PAGEKIN, "show", scanned, "links", "--format", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read().decode()
    process.stderr.close()
    check(process.wait(60), stderr, 0)
    assert stderr == ""


def test_stdout_without_unicode(hostile: Path) -> None:
    done = run("show", hostile, "pages", env={"PYTHONIOENCODING": "ascii"})
    assert "formula.example" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(tmp_path: Path, closed: str) -> None:
    """As some service managers start programs. No file may then take the place of a stream."""
    crawl = warcs.write(tmp_path, "crawl.warc", [warcs.page(1)])
    line = f'"{PAGEKIN}" scan "{crawl}" -o "{tmp_path}/run" {closed}'
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, timeout=60, check=False, env=environment()
    )
    check(done.returncode, done.stderr.decode(), 0)
    assert run("show", tmp_path / "run", "pages", "--format", "jsonl").stdout.count("\n") == 1


def test_threads_are_not_cores_of_spark(small_web: Path, tmp_path: Path) -> None:
    args = ("-o", tmp_path / "run", "--engine", "spark", "--threads", "2")
    message = one_line(run("scan", small_web, *args, code=2))
    assert "--threads is for the local engine" in message
    assert "--spark-conf spark.executor.cores=4" in message
    assert not (tmp_path / "run").exists()


def test_missing_extras(scanned: Path, small_web: Path, tmp_path: Path) -> None:
    """What an extra brings is asked for by the extra's name."""
    for package in ("pyspark", "resvg_py"):
        (tmp_path / f"{package}.py").write_text(f"raise ImportError('no {package}')")
    env = {"PYTHONPATH": str(tmp_path)}
    done = run("scan", small_web, "-o", tmp_path / "run", "--engine", "spark", code=2, env=env)
    assert "`spark`: pip install 'pandas" in one_line(done)
    run("report", scanned, "-o", tmp_path / "report.html", env=env)
    url = pagekin.Run(scanned).table("style_members")["url"][0].as_py()
    done = run("like", scanned, url, "--plot", tmp_path / "curve.png", code=2, env=env)
    assert "`report`: pip install 'resvg-py>=" in one_line(done)
    done = run("figures", scanned, "-o", tmp_path / "figures", env=env)
    assert "no PNG files; for those: pip install 'resvg-py>=" in done.stderr
    assert not (tmp_path / "run").exists()
