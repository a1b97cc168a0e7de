"""What can happen to a scan on Spark: the same tables, or one clear line and nothing half published."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cli.command import PAGEKIN, assert_same_run, environment
from cli.test_full_disk import mount, tiny_disk  # noqa: F401 - a fixture

import pagekin
from pagekin.engines.base import Batch, BatchFunction, Engine, Silent
from pagekin.engines.local import LocalEngine
from pagekin.synth import write_web
from pagekin.tables import TABLES

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROWS = pa.schema([("key", pa.int64())])


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    write_web(path, pages=150, seed=9)
    return path


@pytest.fixture(scope="module")
def alone(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pagekin.scan(web, tmp_path_factory.mktemp("alone") / "run", engine=LocalEngine(1)).path


@dataclass(frozen=True)
class FailsTwice:
    """A kernel that fails the first two times it is tried."""

    schema: pa.Schema = ROWS

    def open(self, threads: int) -> BatchFunction:
        def tried(batch: Batch) -> Batch:
            if pyspark.TaskContext.get().attemptNumber() < 2:
                raise RuntimeError("not yet")
            return batch

        return tried


def test_a_task_that_fails_twice(spark: Engine) -> None:
    rows = spark.table(pa.table([pa.array(range(1000), pa.int64())], schema=ROWS))
    kept = spark.collect(spark.keep(spark.map(rows, FailsTwice())))
    assert sorted(kept["key"].to_pylist()) == list(range(1000))


def executors() -> list[int]:
    """The processes in which tasks of this session run: another's are none of our business."""
    listed = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True)
    return [process for process in map(int, listed.stdout.split()) if is_ours(process)]


def is_ours(process: int) -> bool:
    """Whether this process, or one that it started, started that one."""
    while process > 1 and process != os.getpid():
        try:
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return process == os.getpid()


class KillsExecutors(Silent):
    """Kills an executor a while after steps have begun."""

    def __init__(self, steps: set[str]) -> None:
        self.steps = steps
        self.killed: list[str] = []

    def step(self, name: str) -> None:
        if name in self.steps:
            threading.Thread(target=self._kill, args=(name,), daemon=True).start()

    def _kill(self, name: str) -> None:
        time.sleep(1.0)
        for process in executors()[:1]:
            os.kill(process, signal.SIGKILL)
            self.killed.append(name)


def scan_with_kills(
    web: Path, run: Path, engine: Engine, step: str, only: list[str] | None = None
) -> pagekin.Run:
    progress = KillsExecutors({step})
    found = pagekin.scan(web, run, engine=engine, only=only, progress=progress)
    assert progress.killed == [step]
    return found


def test_an_executor_is_lost(spark: Engine, web: Path, alone: Path, tmp_path: Path) -> None:
    run = scan_with_kills(web, tmp_path / "run", spark, "duplicates", ["duplicates"])
    assert run.table("duplicates").equals(pagekin.Run(alone).table("duplicates"))


@pytest.mark.slow
@pytest.mark.parametrize("step", ["sketch", "duplicates", "styles", "quilts", "fuzzy", "phrases", "causes"])
def test_an_executor_is_lost_in_each_step(
    spark: Engine, web: Path, alone: Path, tmp_path: Path, step: str
) -> None:
    scan_with_kills(web, tmp_path / "run", spark, step)
    assert_same_run(tmp_path / "run", alone)


def command(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(arg) for arg in args],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **({"env": environment() | {"PYTHONPATH": ""}} | more),
    )


def on_spark(web: Path, run: Path, *more: object) -> list[object]:
    return [PAGEKIN, "scan", web, "-o", run, "--engine", "spark", "--spark-master", "local[2]", *more]


def test_a_killed_driver_goes_on(web: Path, alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    env = environment() | {"PYTHONPATH": ""}
    process = subprocess.Popen([str(arg) for arg in on_spark(web, run)], env=env, stderr=subprocess.DEVNULL)
    until(lambda: (run / "duplicates.parquet").exists())
    process.kill()
    process.wait()
    assert len([name for name in TABLES if (run / f"{name}.parquet").exists()]) < len(TABLES)
    done = command(*on_spark(web, run, "--resume"))
    assert done.returncode == 0, done.stderr
    # Nothing that Java says reaches the user.
    said = [
        line
        for line in done.stderr.splitlines()
        if "WARN" in line or "java" in line or "spark" in line.lower()
    ]
    assert not said
    assert_same_run(run, alone)


def until(condition: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_full_disk(web: Path, alone: Path, tiny_disk: Path) -> None:  # noqa: F811
    assert mount("-o", "remount,size=300k", tiny_disk)
    run = tiny_disk / "run"
    done = command(*on_spark(web, run, "--quiet"))
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "No space left" in line or "disk is full" in line
    assert mount("-o", "remount,size=200m", tiny_disk)
    done = command(*on_spark(web, run, "--quiet", "--resume"))
    assert done.returncode == 0, done.stderr
    assert_same_run(run, alone)


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python for workers that has everything but pagekin."""
    path = tmp_path_factory.mktemp("python") / "python"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "hide_pagekin.py"} "$@"\n')
    path.chmod(0o755)
    return path


def submit(web: Path, run: Path, worker: Path, *more: object) -> subprocess.CompletedProcess[str]:
    """The example as a job. Workers have a Python of their own."""
    env = environment() | {
        "PYTHONPATH": "",
        "PYSPARK_PYTHON": str(worker),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    master = ["--master", "local-cluster[2,1,1024]", "--conf", "spark.ui.enabled=false"]
    job = [ROOT / "examples" / "scan_on_spark.py", web, "-o", run, "--only", "duplicates"]
    return command(Path(sys.executable).with_name("spark-submit"), *master, *more, *job, env=env)


def test_workers_without_pagekin(web: Path, without: Path, tmp_path: Path) -> None:
    done = submit(web, tmp_path / "run", without)
    assert done.returncode != 0
    lines = (done.stdout + done.stderr).splitlines()
    (line,) = [line for line in lines if line.startswith("error: ")]
    assert "the workers have no pagekin" in line
    assert not list((tmp_path / "run").glob("*.parquet"))


def test_pagekin_is_sent_to_workers(web: Path, without: Path, alone: Path, tmp_path: Path) -> None:
    """As an archive, to machines that do not have it."""
    package = Path(pagekin.__file__).parent
    with tarfile.open(tmp_path / "pagekin.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(package, "pagekin", filter=lambda file: None if "__pycache__" in file.name else file)
    sent = [
        "--archives",
        f"{tmp_path / 'pagekin.tar.gz'}#sent",
        "--conf",
        "spark.executorEnv.PYTHONPATH=sent",
    ]
    done = submit(web, tmp_path / "run", without, *sent)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "tables: pages, texts, links, sketches, skipped, duplicates" in done.stdout
    ours, theirs = (pagekin.Run(path).table("duplicates") for path in (tmp_path / "run", alone))
    assert ours.equals(theirs)
