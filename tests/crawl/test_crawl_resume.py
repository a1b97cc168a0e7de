"""Stopped anywhere, a crawl goes on: nothing written is lost, nothing is fetched twice without need."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cli.command import interrupt, one_line, run, start, tables, wait_until
from hypothesis import given, settings
from hypothesis import strategies as st

import pagekin
from pagekin.crawl.answer import parse_answer
from pagekin.crawl.params import CrawlParams
from pagekin.crawl.replay import replay
from pagekin.crawl.scope import Scope
from pagekin.crawl.start import crawl
from pagekin.crawl.state import FrontierCrawl
from pagekin.crawl.warc import CrawlWriter, Exchange, segments
from pagekin.errors import PagekinError
from pagekin.synth.cms_site import CmsSite
from pagekin.synth.serve import SiteServer, html_of, served

SITE = CmsSite("printer", 1, 30)
FLYING = 8
"""Requests that may be on their way when a crawl is killed."""


@pytest.fixture
def server() -> Iterator[SiteServer]:
    with served(SITE) as serving:
        yield serving


def crawl_args(server: SiteServer, folder: Path) -> list[str]:
    return ["crawl", server.url, "-o", str(folder), "--delay", "0", "--saturation", "off"]


def stored(folder: Path) -> list[str]:
    return [page.url or "" for path in segments(folder) for page in pagekin.read(path)]


def test_kill_and_resume(server: SiteServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    process = start(*crawl_args(server, folder))
    wait_until(lambda: len(server.requests) >= 40, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = stored(folder)
    assert before
    done = run(*crawl_args(server, folder), "--resume")
    assert f"{len(before):,} answers were there already" in done.stderr
    after = stored(folder)
    assert after[: len(before)] == before, "what was written stays"
    assert len(after) == len(set(after)), "no page is stored twice"
    asked = Counter(server.requests)
    assert sum(count - 1 for count in asked.values()) <= FLYING
    assert {SITE.view(path).content for path in asked} >= SITE.uniques()
    run("scan", folder, "-o", tmp_path / "run", "--only", "", "--quiet", code=0)
    assert tables(tmp_path / "run")["pages"].num_rows == len(after)


def test_interrupt_and_resume(server: SiteServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    process = start(*crawl_args(server, folder))
    wait_until(lambda: len(server.requests) >= 40, process)
    assert "--resume" in interrupt(process)
    assert json.loads((folder / "crawl.json").read_bytes())["reason"] == "interrupted"
    run(*crawl_args(server, folder), "--resume", "--quiet")
    assert max(Counter(server.requests).values()) == 1, "it waited for what was on its way"
    assert {SITE.view(path).content for path in server.requests} >= SITE.uniques()


@pytest.mark.parametrize("kind", ["printer", "sessions"])
def test_a_saturated_crawl_stays_so(kind: str, tmp_path: Path) -> None:
    with served(CmsSite(kind, 1, 60)) as server:
        args = ["crawl", server.url, "-o", str(tmp_path / "crawl"), "--delay", "0"]
        done = run(*args)
        assert "saturated" in done.stderr
        before = len(server.requests)
        again = run(*args, "--resume")
        assert "saturated" in again.stderr
        assert len(server.requests) == before
        run(*args, "--resume", "--saturation", "off", "--max-pages", str(before + 5), "--quiet")
        assert len(server.requests) == before + 5


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_file_size_limit_and_resume(server: SiteServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    message = one_line(run(*crawl_args(server, folder), "--quiet", code=1, before=limited))
    assert str(folder) in message
    before = stored(folder)
    run(*crawl_args(server, folder), "--resume", "--quiet")
    assert stored(folder)[: len(before)] == before
    run("scan", folder, "-o", tmp_path / "run", "--only", "", "--quiet", code=0)
    assert {SITE.view(path).content for path in server.requests} >= SITE.uniques()


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40k", "pagekin-test", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount; the limit on file sizes is tested instead")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk_and_resume(server: SiteServer, tiny_disk: Path, tmp_path: Path) -> None:
    message = one_line(run(*crawl_args(server, tiny_disk / "crawl"), "--quiet", code=1))
    assert "disk is full" in message
    assert "--resume" in message
    before = stored(tiny_disk / "crawl")
    assert before
    roomy = tmp_path / "crawl"
    shutil.copytree(tiny_disk / "crawl", roomy)
    run(*crawl_args(server, roomy), "--resume", "--quiet")
    assert stored(roomy)[: len(before)] == before
    run("scan", roomy, "-o", tmp_path / "run", "--only", "", "--quiet", code=0)


def test_folders_that_cannot_be_used(server: SiteServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    args = [*crawl_args(server, folder), "--max-pages", "3"]
    run(*args)
    assert "already holds a crawl" in one_line(run(*args, code=1))
    assert "not a URL" in one_line(run("crawl", "mailto:x@y.example", "-o", tmp_path / "new", code=2))
    assert not (tmp_path / "new").exists()
    # The command says it like this; the rest is asked of what is behind it.
    with pytest.raises(PagekinError, match="other seeds"):
        crawl(CrawlParams(seeds=[f"{server.url}doc/"]), folder, resume=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(PagekinError, match="not a crawl folder"):
        crawl(CrawlParams(seeds=[server.url]), tmp_path / "mine")
    (folder / "crawl.json").write_text("{")
    with pytest.raises(PagekinError, match=r"crawl\.json"):
        crawl(CrawlParams(seeds=[server.url]), folder, resume=True)


# The same without a network: every place at which a kill can cut.

LIMIT = 1 << 20
BASE = "http://site.test"


def step(state: FrontierCrawl, writer: CrawlWriter) -> bool:
    target = state.next()
    if target is None:
        return False
    view = SITE.view(target.url.removeprefix(BASE))
    body = html_of(SITE, view).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    if target.url.endswith("0?size=large"):
        head, body = b"HTTP/1.1 302 Found\r\nLocation: /list/1?page=1\r\n\r\n", b""
    writer.write(Exchange(target.url, b"GET / HTTP/1.1\r\n\r\n", head, body, "127.0.0.1", datetime.now(UTC)))
    state.settle(target, parse_answer(target.url, head, body, LIMIT))
    return True


def books(state: FrontierCrawl) -> tuple[object, ...]:
    yields = state.frontier.yields
    return (
        sorted(state.frontier._targets()), yields.queued, yields.in_flight, state.curve.counts,
        {arm: (o.bits, o.fetches) for arm, o in yields.arms.items()}, state.skipped, state.frontier.met,
    )  # fmt: skip


def new_state() -> FrontierCrawl:
    return FrontierCrawl(Scope([f"{BASE}/"]))


@settings(max_examples=15)
@given(steps=st.integers(0, 60), cut=st.integers(0, 5000))
def test_replay_knows_what_was_known(tmp_path_factory: pytest.TempPathFactory, steps: int, cut: int) -> None:
    folder = tmp_path_factory.mktemp("replay")
    state = new_state()
    writer = CrawlWriter(folder, "test", segment_bytes=20_000)
    for _ in range(steps):
        assert step(state, writer)
    writer.close()
    again = new_state()
    assert replay(folder, again, LIMIT) == steps
    assert books(again) == books(state)
    assert len(again.seen) == len(state.seen)
    # Cut the last file anywhere: what is left is a beginning of the same story, and ends with a whole record.
    last = segments(folder)[-1]
    with last.open("r+b") as file:
        file.truncate(max(0, last.stat().st_size - cut))
    shorter = new_state()
    count = replay(folder, shorter, LIMIT)
    assert count <= steps
    assert replay(folder, new_state(), LIMIT) == count
    more = CrawlWriter(folder, "test", segment_bytes=20_000)
    shorter = new_state()
    replay(folder, shorter, LIMIT)
    assert step(shorter, more)
    more.close()
    assert replay(folder, new_state(), LIMIT) == count + 1
