"""`pagekin serve` as a process: killed, with several workers, over a disk that cannot be written."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from web.serving import Served

from pagekin.verdicts.store import FILE, Store

COMMAND = [sys.executable, "-c", "from pagekin.cli.main import main; main()", "serve"]


@contextmanager
def process(run: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The service with all its workers, and where it answers; killed at the end."""
    command = [*COMMAND, str(run), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stderr is not None
        try:
            url = next(found[1] for line in server.stderr if (found := re.search(r"app: (\S+)/", line)))
            answers(url)
            yield server, url
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def answers(url: str) -> None:
    """Waits until it does."""
    for _ in range(300):
        with suppress(httpx.TransportError):
            httpx.get(f"{url}/api/run", timeout=30).raise_for_status()
            return
        time.sleep(0.1)
    raise TimeoutError(url)


def test_answers_are_not_held_back(app: Served) -> None:
    """An answer of several pieces waits for none of them to be acknowledged, which takes 40 ms."""
    with httpx.Client() as client:
        taken = []
        for _ in range(30):
            begin = time.perf_counter()
            client.get(f"{app.url}/static/app.css").raise_for_status()
            taken.append(time.perf_counter() - begin)
    assert min(taken[5:]) < 0.03, taken


def test_kill_loses_no_verdict_that_was_answered(run_folder: Path) -> None:
    """Two judges at once, two workers, everything killed in the middle."""
    with process(run_folder, "--workers", "2") as (server, url):
        ids = [row["page"] for row in httpx.get(f"{url}/api/tables/pages?limit=600").json()["rows"]]

        def judge(who: str) -> list[tuple[str, str]]:
            told = []
            with httpx.Client(timeout=30) as client, suppress(httpx.TransportError):
                for target in map(str, ids):
                    body = {"kind": "page", "target": target, "label": "spam", "who": who}
                    client.post(f"{url}/api/verdicts", json=body).raise_for_status()
                    told.append((who, target))
                    if who == "ann" and len(told) == 40:
                        os.killpg(server.pid, signal.SIGKILL)
            return told

        with ThreadPoolExecutor(2) as pool:
            told = [one for judged in pool.map(judge, ["ann", "bob"]) for one in judged]
    kept = {(row.who, row.target) for row in Store(run_folder).rows()}
    assert len(told) > 40
    assert len(told) < 2 * len(ids)
    assert set(told) <= kept
    assert len(kept) <= len(told) + 2  # at most one of each judge that was written and not told
    with process(run_folder) as (_, url):  # and it goes on
        assert httpx.get(f"{url}/api/verdicts").json()["total"] == len(kept)


def test_workers_end_with_their_parent(run_folder: Path) -> None:
    with process(run_folder, "--workers", "2") as (server, url):
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        for _ in range(100):
            try:
                httpx.get(f"{url}/api/run", timeout=5)
            except httpx.TransportError:
                return
            time.sleep(0.1)
    pytest.fail("a worker still answers")


HEAD = b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKS = HEAD + b"Transfer-Encoding: chunked\r\n\r\n1"
FLOODS = {
    "headers": (HEAD, b"X-A: y\r\n" * 1000),
    "one header": (HEAD + b"X-A: ", b"y" * 10_000),
    "a path": (b"GET /", b"y" * 10_000),
    "after the size of a chunk": (CHUNKS + b";", b"y" * 10_000),
    "after the last chunk": (CHUNKS + b"\r\n{\r\n0\r\n", b"X-A: y\r\n" * 1000),
}


def test_requests_without_an_end(run_folder: Path) -> None:
    """200 MB of headers took 1.5 GB, and a header of 200 MB kept everybody else waiting for two minutes."""
    with process(run_folder) as (server, url):
        address = httpx.URL(url)
        for name, (first, more) in FLOODS.items():
            with socket.create_connection((address.host, address.port or 0), timeout=60) as connection:
                sent = 0
                with suppress(ConnectionError):
                    connection.sendall(first)
                    while sent < 100 << 20:
                        connection.sendall(more)
                        sent += len(more)
            assert sent < 16 << 20, name
        # What headers may be, and bodies in pieces, are as before.
        body = {"pages": [{"url": "http://a.example/", "text": "some words " * 50_000}]}
        for length in (10, 50_000):
            headers = {"X-Long": "y" * length}
            httpx.post(f"{url}/api/check", json=body, headers=headers, timeout=60).raise_for_status()
        assert server.poll() is None


@pytest.fixture
def read_only_disk(run_folder: Path, tmp_path: Path) -> Iterator[Path]:
    """The run folder with verdicts, the last of them only in the journal, on a disk mounted read-only."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() or not mount("-t", "tmpfs", "tmpfs", disk):
        pytest.skip("this needs the right to mount")
    try:
        store = Store(run_folder)
        page = int(_first(run_folder))
        store.judge("ann", "page", page, "spam", why="before the disk was locked")
        assert (run_folder / f"{FILE}-wal").stat().st_size
        shutil.copytree(run_folder, disk / "run", ignore=shutil.ignore_patterns(".index", "*-shm"))
        store.close()
        assert mount("-o", "remount,ro", disk)
        yield disk / "run"
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def mount(*words: object) -> bool:
    return subprocess.run(["mount", *map(str, words)], capture_output=True, check=False).returncode == 0


def _first(run: Path) -> int:
    import pagekin

    page: int = pagekin.Run(run).table("quilts", ["page"])["page"][0].as_py()
    return page


def test_a_read_only_disk_serves(read_only_disk: Path) -> None:
    with process(read_only_disk, "--workers", "2") as (_, url):
        page = _first(read_only_disk)
        lists = ("/quilts", "/clusters", "/copies", "/phrases", "/sites", "/precision", "/verdicts")
        for path in ("/", *lists, f"/quilts/{page}", f"/pages/{page}", "/judge/quilts/random/5/0/1"):
            answer = httpx.get(url + path, timeout=60, follow_redirects=True)
            assert answer.status_code == 200, path
            assert "no verdict can be given here" in answer.text
        assert httpx.get(f"{url}/api/pages/{page}").json()["verdict"]["why"] == "before the disk was locked"
        assert httpx.post(f"{url}/api/check", json={"text": "some words"}).status_code == 200
        body = {"kind": "page", "target": str(page), "label": "not spam"}
        refused = httpx.post(f"{url}/api/verdicts", json=body)
        assert refused.status_code == 403
        assert "read-only" in refused.json()["message"]
