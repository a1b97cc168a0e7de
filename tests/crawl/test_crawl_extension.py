"""The add-on in somebody else's spider."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from contextlib import AbstractContextManager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from scrapy.settings import Settings

from pagekin.crawl.extension import (
    Options,
    PagekinAddon,
    PagekinDownloads,
    PagekinExtension,
    PagekinMiddleware,
)
from pagekin.errors import ParamsError
from pagekin.synth.cms_site import CmsSite
from pagekin.synth.serve import served, serving

SCRIPT = Path(__file__).with_name("spider_script.py")
SITE = CmsSite("printer", 1, 30)
SMALL = CmsSite("printer", 1, 10)


class Shop(ThreadingHTTPServer):
    """Every link has a new session id. There are more pages in private, behind redirects, and for forms."""

    daemon_threads = True
    request_queue_size = 128
    pages = 40

    def __init__(self) -> None:
        self.sessions = count(1)
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class _Handler(BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/robots.txt":
            return self._send(200, "User-agent: *\nDisallow: /private", "text/plain")
        self.server.asked.append(path)
        if path.startswith("/gone"):
            return self._send(404, words(path))
        if path.startswith("/old"):
            return self._send(301, "", Location="/1?sid=0")
        if path.startswith("/moved"):
            return self._send(301, "", Location=f"/1?sid={next(self.server.sessions)}")
        number, pages = int(path[1:] or 0), self.server.pages
        to = (
            [str((number + step) % pages + 1) for step in (1, 7)] if number else map(str, range(1, pages + 1))
        )
        links = [f'<a href="/{page}?sid={next(self.server.sessions)}"></a>' for page in [*to, ""]]
        return self._send(200, f"<p>{words(path)}</p>{''.join(links)}")

    def do_POST(self) -> None:
        self._send(200, words(self.rfile.read(int(self.headers["Content-Length"])).decode()))

    def _send(self, status: int, text: str, content_type: str = "text/html", **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": content_type,
            "Content-Length": str(len(text)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def words(of: str) -> str:
    return " ".join(sha256(f"{of} {number}".encode()).hexdigest()[:6] for number in range(80))


def shop() -> AbstractContextManager[Shop]:
    return serving(Shop())


def spider(server: Any, **settings: Any) -> dict[str, Any]:
    given = json.dumps({"url": server.url, **settings})
    done = subprocess.run([sys.executable, SCRIPT, given], capture_output=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["errors"] == 0
    return result | {"log": done.stderr.decode()}


def test_items_are_tagged_and_counted(tmp_path: Path) -> None:
    with served(SITE) as server:
        result = spider(server, copies=True, PAGEKIN_CURVE=str(tmp_path / "curve.parquet"))
    kinds = Counter(item["pagekin"]["kind"] for item in result["items"])
    assert kinds["unique"] == len(SITE.uniques())
    assert result["stats"]["pagekin/unique"] == kinds["unique"]
    assert result["stats"]["pagekin/dup_exact"] == kinds["exact"] > 0
    assert result["stats"]["pagekin/dup_near"] == kinds["near"] > 0
    assert result["reason"] == "finished"
    assert result["seen"] == [item["pagekin"] for item in result["items"]]
    for item in result["items"]:
        said = item["pagekin"]
        if said["kind"] != "unique":
            path, other = (url.removeprefix(server.url[:-1]) for url in (item["url"], said["url"]))
            assert SITE.view(path).content == SITE.view(other).content
    curve = pq.read_table(tmp_path / "curve.parquet")
    last = curve.slice(curve.num_rows - 1).to_pylist()[0]
    assert (last["fetched"], last["unique"]) == (len(result["items"]), kinds["unique"])


@pytest.mark.parametrize(("drop", "left"), [("exact", {"unique", "near"}), ("all", {"unique"})])
def test_duplicates_are_dropped_when_asked(drop: str, left: set[str]) -> None:
    with served(SMALL) as server:
        result = spider(server, PAGEKIN_DROP=drop)
    assert {item["pagekin"]["kind"] for item in result["items"]} == left
    assert result["stats"]["pagekin/dropped"] > 0


def test_saturation_closes_the_spider() -> None:
    site = CmsSite("sessions", 1, 25)  # endless
    with served(site) as server:
        result = spider(server, PAGEKIN_SATURATION="stop")
    assert result["reason"] == "pagekin_saturated"
    assert result["stats"]["pagekin/unique"] == len(site.uniques())
    assert result["stats"]["pagekin/saturated_at"] <= len(result["items"]) < 700


def test_items_without_a_field_pass() -> None:
    with served(SMALL) as server:
        result = spider(server, fixed=True, CLOSESPIDER_PAGECOUNT=10)
    assert result["stats"]["pagekin/untagged"] == len(result["items"]) > 0


def test_off() -> None:
    with served(SMALL) as server:
        result = spider(server, PAGEKIN_ENABLED=False, CLOSESPIDER_PAGECOUNT=10)
    assert result["stats"] == {}
    assert "pagekin" not in result["items"][0]


def saturates(result: dict[str, Any], unique: int = Shop.pages + 1) -> None:
    assert result["reason"] == "pagekin_saturated", result["stats"]
    assert result["stats"]["pagekin/unique"] == unique
    assert result["stats"]["pagekin/saturated_at"] < 600


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("copies", [False, True])
def test_sessions_saturate_in_scrapys_own_order(slow: bool, copies: bool) -> None:
    with shop() as server:
        saturates(spider(server, slow=slow, copies=copies, PAGEKIN_SATURATION="stop"))


@pytest.mark.parametrize(
    ("given", "happened"),
    [
        ({"extra": ["http://elsewhere.example/"], "allowed": ["127.0.0.1"]}, "offsite/filtered"),
        ({"extra": ["http://elsewhere.example/{n}"], "allowed": ["127.0.0.1"]}, "offsite/filtered"),
        ({"extra": ["/private"], "ROBOTSTXT_OBEY": True}, "robotstxt/forbidden"),
        ({"extra": ["/private/{n}"], "ROBOTSTXT_OBEY": True}, "robotstxt/forbidden"),
        ({"extra": ["/gone/{n}"]}, "downloader/response_status_count/404"),
        ({"extra": ["/old?sid={n}"]}, "downloader/response_status_count/301"),
        ({"extra": ["/moved?sid={n}"]}, "downloader/response_status_count/301"),
    ],
)
def test_what_is_never_a_page_does_not_hold_up_saturation(given: dict[str, Any], happened: str) -> None:
    with shop() as server:
        result = spider(server, PAGEKIN_SATURATION="stop", **given)
    saturates(result)
    assert result["theirs"][happened] > 0
    assert not any(path.startswith("/private") for path in server.asked)


def test_pages_from_a_cache_are_fetched_too(tmp_path: Path) -> None:
    kept = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path), "extra": ["/old/3", "/old/4"]}
    with shop() as server:
        saturates(spider(server, PAGEKIN_SATURATION="stop", **kept))
        result = spider(server, PAGEKIN_SATURATION="stop", **kept)
    saturates(result)
    assert result["theirs"]["httpcache/hit"] > 50


def test_forms_that_are_posted_to_one_url_are_pages_each() -> None:
    with shop() as server:
        result = spider(server, PAGEKIN_SATURATION="stop", posts=100)
    assert result["reason"] == "finished"
    assert result["stats"]["pagekin/unique"] == 101


def test_requests_can_wait_on_disk(tmp_path: Path) -> None:
    kept = {"JOBDIR": str(tmp_path), "PAGEKIN_SATURATION": "stop", "SCHEDULER_DEBUG": True}
    with shop() as server:
        first = spider(server, CLOSESPIDER_PAGECOUNT=40, **kept)
        second = spider(server, **kept)
    assert first["reason"] == "closespider_pagecount"
    saturates(second, len(set(server.asked[len(first["items"]) :])))
    for result in (first, second):
        assert result["theirs"]["scheduler/enqueued/disk"] == result["theirs"]["scheduler/enqueued"]
        assert "serialize" not in result["log"]


PARTS = {
    "EXTENSIONS": PagekinExtension,
    "SPIDER_MIDDLEWARES": PagekinMiddleware,
    "DOWNLOADER_MIDDLEWARES": PagekinDownloads,
}
THEIRS = {
    "EXTENSIONS": {"scrapy.extensions.logstats.LogStats": None},
    "SPIDER_MIDDLEWARES": {"scrapy.spidermiddlewares.referer.RefererMiddleware": None},
    "DOWNLOADER_MIDDLEWARES": {"scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None},
}


@pytest.mark.parametrize("priority", ["default", "project", "spider", "cmdline"])
@pytest.mark.parametrize("theirs", [{}, THEIRS])
def test_the_parts_join_those_of_the_project(priority: str, theirs: dict[str, Any]) -> None:
    settings = Settings(theirs, priority)
    PagekinAddon().update_settings(settings)
    for name, part in PARTS.items():
        assert isinstance(settings.getdict(name).pop(part), int)
        assert settings.getdict(name).items() >= theirs.get(name, {}).items()


def test_parts_that_are_there_stay_as_they_are() -> None:
    settings = Settings({name: {f"{part.__module__}.{part.__name__}": None} for name, part in PARTS.items()})
    PagekinAddon().update_settings(settings)
    assert all(list(settings.getdict(name).values()) == [None] for name in PARTS)


@pytest.mark.parametrize("given", [THEIRS, {"custom": THEIRS}])
def test_a_spider_with_components_of_its_own(given: dict[str, Any]) -> None:
    with shop() as server:
        result = spider(server, CLOSESPIDER_PAGECOUNT=10, **given)
    assert result["stats"]["pagekin/unique"] > 0
    assert "pagekin" not in result["log"]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_missing_is_told(name: str) -> None:
    missing = f"pagekin.crawl.extension.{PARTS[name].__name__}"
    with shop() as server:
        result = spider(server, CLOSESPIDER_PAGECOUNT=10, **{name: {missing: None}})
        assert PARTS[name].__name__ in result["log"]
        assert "ADDONS" in result["log"]
        off = spider(server, CLOSESPIDER_PAGECOUNT=10, PAGEKIN_ENABLED=False, **{name: {missing: None}})
    assert "pagekin" not in off["log"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"PAGEKIN_SATURATION": "maybe"},
        {"PAGEKIN_DROP": "some"},
        {"PAGEKIN_THRESHOLD": 0},
        {"PAGEKIN_THRESHOLD": "abc"},
        {"PAGEKIN_THRESHOLD": [90]},
        {"PAGEKIN_WORTH": 0},
        {"PAGEKIN_WORTH": "abc"},
        {"PAGEKIN_WORTH": "nan"},
        {"PAGEKIN_ORDER": "maybe"},
    ],
)
def test_wrong_settings_are_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParamsError, match=next(iter(wrong))):
        Options.of(Settings(wrong))


@pytest.mark.parametrize(
    ("given", "order"),
    [({}, False), ({"PAGEKIN_SATURATION": "stop"}, True), ({"PAGEKIN_ORDER": "1"}, True),
     ({"PAGEKIN_SATURATION": "stop", "PAGEKIN_ORDER": False}, False), ({"PAGEKIN_ORDER": None}, False)],
)  # fmt: skip
def test_the_order_goes_with_the_stop(given: dict[str, Any], order: bool) -> None:
    assert Options.of(Settings(given)).order is order
