"""What `pagekin scan --engine spark` says: nothing of Spark's own, or one line and the log that it names."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli.command import PAGEKIN, assert_same_run, environment
from cli.test_full_disk import mount, tiny_disk  # noqa: F401 - a fixture

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.synth import write_web

pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    write_web(path, pages=150, seed=9)
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Where logs of Spark go, and whatever else is temporary."""
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


DIVIDED = """
import sys
import pagekin
from pagekin.engines.spark import SparkEngine
from pagekin.errors import PagekinError
from contextlib import closing

web, run, disk = sys.argv[1:]
try:
    with closing(SparkEngine("local[2]", {"spark.local.dir": disk}, one_place=0, whole=0)) as engine:
        pagekin.scan(web, run, only=["duplicates"], engine=engine)
except PagekinError as error:
    sys.exit(str(error))
"""
"""A scan in which all rows travel, however few they are."""


def started(web: Path, run: Path, logs: Path, *more: str) -> subprocess.Popen[str]:
    words = [PAGEKIN, "scan", web, "-o", run, "--engine", "spark", "--spark-master", "local[2]", *more]
    return begun(words, logs)


def begun(words: Sequence[object], logs: Path) -> subprocess.Popen[str]:
    env = environment() | {"PYTHONPATH": "", "TMPDIR": str(logs)}
    return subprocess.Popen(
        [str(word) for word in words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def failure(process: subprocess.Popen[str], logs: Path) -> str:
    """The one line; the log that it names is there, and says more."""
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1, said
    (line,) = said.strip().splitlines()
    named = re.search(r"; its log is (\S+)$", line)
    assert named, line
    assert Path(named[1]).parent == logs
    assert Path(named[1]).stat().st_size > len(line)
    return line


def test_a_scan_that_ends_well_leaves_nothing(web: Path, logs: Path, tmp_path: Path) -> None:
    process = started(web, tmp_path / "run", logs, "--only", "duplicates", "--quiet")
    assert process.communicate(timeout=300) == ("", "")
    assert process.returncode == 0
    assert not list(logs.glob("*.log"))


def test_spark_does_not_start(web: Path, logs: Path, tmp_path: Path) -> None:
    process = started(web, tmp_path / "run", logs, "--spark-conf", "spark.local.dir=/proc/nowhere")
    line = failure(process, logs)
    assert "Spark did not start: Failed to create any local dir" in line
    assert not (tmp_path / "run").exists()


def test_spark_goes_away(web: Path, logs: Path, tmp_path: Path) -> None:
    """As when the system takes the memory back from the largest process."""
    run = tmp_path / "run"
    process = started(web, run, logs, "--quiet")
    end = time.monotonic() + 120
    while not (run / "duplicates.parquet").exists():
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    line = failure(process, logs)
    assert "Spark failed in " in line
    assert "its JVM has ended with exit code -9" in line
    assert not (run / "causes.parquet").exists()


def test_no_room_for_what_travels(
    web: Path,
    logs: Path,
    tiny_disk: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    """The disk of a worker is full: not that of the run."""
    assert mount("-o", "remount,size=40k", tiny_disk)
    run = tmp_path / "run"
    line = failure(begun([sys.executable, "-c", DIVIDED, web, run, tiny_disk], logs), logs)
    assert "No space left on device" in line
    assert not (run / "duplicates.parquet").exists()
    process = started(web, run, logs, "--quiet", "--resume", "--only", "duplicates")
    assert process.communicate(timeout=300) == ("", "")
    assert process.returncode == 0
    alone = pagekin.scan(web, tmp_path / "alone", only=["duplicates"], engine=LocalEngine(1))
    assert_same_run(run, alone.path)
