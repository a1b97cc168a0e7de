"""Servers that do everything wrong: the crawl goes on, ends by itself, and says what happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.command import one_line, run, tables
from crawl.hostile import GOOD, HostileServer, hostile_server

import pagekin
from pagekin.crawl.series import STEPS

BAD = {"truncated", "corrupt", "garbage", "bad-length", "bad-http"}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, HostileServer]:
    folder = tmp_path_factory.mktemp("hostile") / "crawl"
    with hostile_server() as server:
        run(
            "crawl", server.url, "-o", folder, "--delay", "0", "--timeout", "4", "--max-page", "1MB",
            "--max-pages", "1000", "--quiet", timeout=300,
        )  # fmt: skip
        return folder, server


@pytest.fixture(scope="module")
def info(crawled: tuple[Path, HostileServer]) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((crawled[0] / "crawl.json").read_bytes())
    return loaded


def test_every_good_page_is_found(crawled: tuple[Path, HostileServer]) -> None:
    folder, server = crawled
    assert {f"/good/{n}" for n in range(GOOD)} <= set(server.paths)
    stored = {page.url for page in pagekin.read(folder)}
    assert {f"{server.url}good/{n}" for n in range(GOOD)} <= stored


def test_nothing_is_asked_for_twice_without_need(crawled: tuple[Path, HostileServer]) -> None:
    """Only what failed in passing is tried once more."""
    _, server = crawled
    again = {path.split("/")[1] for path in server.paths if server.paths.count(path) > 1}
    passing = {"stall", "drip", "reset", "error", "later", "garbage", "silence", "bad-length"}
    assert again <= passing
    assert max(map(server.paths.count, set(server.paths))) == 2


def test_failures_are_counted_by_reason(info: dict[str, Any]) -> None:
    failures = info["failures"]
    assert failures["too-large"] == 3  # the bomb, the large page, the endless one
    assert failures["timeout"] >= 1
    assert failures["connection"] >= 1
    assert failures["not-html"] == 1
    assert failures["bad-encoding"] == 1
    assert failures["status-500"] == 1
    assert failures["status-404"] >= 1
    assert info["skipped"] == {"no-page": 1, "outside": 2, "redirects": 1, "trap": 2}


def test_it_ends_by_itself(crawled: tuple[Path, HostileServer], info: dict[str, Any]) -> None:
    """Though there are ten thousand dead links, and a counter without end."""
    _, server = crawled
    assert info["reason"] == "pagekin_saturated"
    assert info["idle"] == len([path for path in server.paths if path.startswith("/count/")]) - STEPS


def test_redirect_loops_and_chains_end(crawled: tuple[Path, HostileServer]) -> None:
    paths = crawled[1].paths
    assert paths.count("/loop1/1") == paths.count("/loop2") == paths.count("/self") == 1
    assert 5 < len([path for path in paths if path.startswith("/chain/")]) <= 12


def test_frames_and_refreshes_are_followed(crawled: tuple[Path, HostileServer]) -> None:
    assert {"/framed/1", "/refreshed/1"} <= set(crawled[1].paths)


def test_ten_thousand_dead_links_sink(crawled: tuple[Path, HostileServer]) -> None:
    _, server = crawled
    dead = [path for path in server.paths if path.startswith("/missing/")]
    assert 10 < len(dead) < 300


def test_scan_reads_what_came(crawled: tuple[Path, HostileServer], tmp_path: Path) -> None:
    folder, server = crawled
    run("scan", folder, "-o", tmp_path / "run", "--only", "", "--quiet")
    found = tables(tmp_path / "run")
    pages = dict(zip(found["pages"]["url"].to_pylist(), found["texts"]["text"].to_pylist(), strict=True))
    assert "longer than it is" in pages[f"{server.url}long-lie/1"]
    assert "caf" in pages[f"{server.url}charset/1"]
    assert set(found["pages"]["ip"].to_pylist()) == {"127.0.0.1"}
    assert None not in found["pages"]["date"].to_pylist()
    skipped = found["skipped"].to_pylist()
    bad = {row["url"]: row["reason"] for row in skipped if row["reason"] in BAD}
    # Headers of 200 KB are stored as they came, and are more than the reader looks at.
    assert bad == {f"{server.url}headers/1": "bad-http"}
    large = {row["url"]: row["detail"] for row in skipped if row["reason"] == "too-large"}
    assert large.keys() == {f"{server.url}{way}/1" for way in ("large", "endless")}
    assert set(large.values()) == {"left out by the crawler"}


def test_pages_too_large_are_not_asked_for_again(tmp_path: Path) -> None:
    """Unless there is more room for them now."""
    ways = ("large", "endless", "bomb", "good")
    with hostile_server() as server:

        def asked(*args: str) -> list[int]:
            seeds = [f"{server.url}{way}/1" for way in ways]
            run("crawl", *seeds, "-o", tmp_path / "crawl", "--delay", "0", "--quiet", "--timeout", "5", *args)
            return [server.paths.count(f"/{way}/1") for way in ways]

        assert asked("--max-page", "1MB") == [1, 1, 1, 1]
        assert asked("--max-page", "1MB", "--resume") == [1, 1, 1, 1]
        # The bomb is stored as it came, and read again with the new limit.
        assert asked("--max-page", "3MB", "--resume") == [2, 2, 1, 1]
        assert asked("--max-page", "3MB", "--resume") == [2, 2, 1, 1]
    stored = {page.url for page in pagekin.read(tmp_path / "crawl") if page.url}
    assert f"{server.url}large/1" in stored
    assert f"{server.url}endless/1" not in stored
    failures = json.loads((tmp_path / "crawl" / "crawl.json").read_bytes())["failures"]
    assert failures == {"too-large": 2}


def test_robots_that_forbids_all(tmp_path: Path) -> None:
    with hostile_server("User-agent: *\nDisallow: /\n") as server:
        message = one_line(run("crawl", server.url, "-o", tmp_path / "crawl", "--delay", "0", code=1))
    assert "robots" in message
    assert server.paths == ["/robots.txt"]


def test_robots_that_forbids_a_part_and_asks_for_time(tmp_path: Path) -> None:
    robots = "User-agent: *\nDisallow: /good/1\nCrawl-delay: 0.3\n"
    with hostile_server(robots) as server:
        seeds = [f"{server.url}good/{n}" for n in (2, 3, 4, 1)]
        run("crawl", *seeds, "-o", tmp_path / "crawl", "--delay", "0")
        assert sorted(server.paths) == ["/good/2", "/good/3", "/good/4", "/robots.txt"]
        times = [when for when, path in server.asked if path != "/robots.txt"]
    # The first requests may be on their way before robots.txt has been read; the last one is not.
    assert times[-1] - times[0] >= 0.25


def test_what_robots_forbids_takes_no_room(tmp_path: Path) -> None:
    with hostile_server("User-agent: *\nDisallow: /good/1\nDisallow: /good/2\n") as server:
        seeds = [f"{server.url}good/{n}" for n in range(6)]
        run("crawl", *seeds, "-o", tmp_path / "crawl", "--delay", "0", "--max-pages", "3")
        asked = [path for path in server.paths if path != "/robots.txt"]
    assert len(asked) == 3
    assert not {"/good/1", "/good/2"} & set(asked)


def test_nobody_there(tmp_path: Path) -> None:
    with hostile_server() as server:
        gone = server.url
    message = one_line(run("crawl", gone, "-o", tmp_path / "crawl", "--delay", "0", code=1))
    assert "refused" in message
    assert json.loads((tmp_path / "crawl" / "crawl.json").read_bytes())["failures"] == {"refused": 1}
    # The folder is not in the way of another attempt, or of an attempt at another URL.
    with hostile_server() as server:
        run("crawl", f"{server.url}good/1", "-o", tmp_path / "crawl", "--delay", "0")
        message = one_line(run("crawl", server.url, "-o", tmp_path / "crawl", code=1))
    assert "already holds a crawl" in message
