"""robots.txt is obeyed, and what cannot be read forbids all: RFC 9309."""

from __future__ import annotations

import gzip
import json
import signal
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli.command import one_line, run
from crawl.hostile import BOMB, Answers, Send, answer, hostile_server, page, stall
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from pagekin.crawl.middleware import ROBOTS_BYTES
from pagekin.crawl.replay import is_empty, replay
from pagekin.crawl.robots import UnreachableError, rules_in
from pagekin.crawl.robots_groups import own_groups
from pagekin.crawl.scope import Scope
from pagekin.crawl.state import FrontierCrawl
from pagekin.crawl.warc import CrawlWriter, Exchange

RULES = b"User-agent: *\nDisallow: /good/1\n"
FORBID = b"User-agent: *\nDisallow: /\n"


def head(status: int = 200, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} x", *headers, "", ""]).encode()


def info_of(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "crawl.json").read_bytes())
    return loaded


def test_rules_with_many_stars_are_tried_once() -> None:
    """As a regular expression, such a rule takes longer than the universe is old, and nothing else runs."""

    def too_long(*_: object) -> None:
        raise AssertionError("more than ten seconds of work for one URL")

    rules = Protego.parse("User-agent: *\nDisallow: /" + "*a" * 30 + "*b$\nDisallow: /" + "*" * 500 + "c\n")
    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, 10)
    try:
        assert rules.can_fetch("http://a.example/" + "a" * 1900, "pagekin")
        assert not rules.can_fetch("http://a.example/" + "a" * 1900 + "b", "pagekin")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_many_names_before_many_rules() -> None:
    """Each rule is stored for each name of its group, so more than a few names would make a square."""
    names = [f"User-agent: bot{number}" for number in range(3000)]
    rules = [f"Disallow: /{number}" for number in range(3000)]
    text = "\n".join([*names, *rules, *names, "User-agent: *", *rules])
    lines = own_groups(text, "pagekin/1.0").splitlines()
    assert len({line for line in lines if line.startswith("User-agent")}) == 2
    assert not Protego.parse("\n".join(lines)).can_fetch("http://a.example/2999", "pagekin/1.0")


LINES = st.sampled_from(
    [
        *(
            "User-agent: *",
            "user-agent:pagekin",
            "User agent page*kin",
            "USERAGENT : Page",
            "User-agent: bot",
        ),
        *(
            "User-agent:",
            "User-agent",
            "user-agent bot: x",
            "user-agent bot:x",
            "User-agent: **",
            "User-agent: kin",
        ),
        *(
            "Disallow: /a",
            "Allow: /a/b",
            "Disallow: /*c",
            "Disallow:",
            "Allow /",
            "Crawl-delay: 3",
            "Crawl-delay: 4",
        ),
        *("Sitemap: http://a/", "# a comment", "", "what: ever", "whatever", "User-agent: pagekin # ours"),
    ]
)


@given(
    st.lists(LINES, max_size=12),
    st.sampled_from(["pagekin", "Pagekin/1.0 (+http://a.example/bot)", "kin page"]),
)
def test_the_groups_of_one_robot_say_what_the_file_says(lines: list[str], agent: str) -> None:
    text = "\n".join(lines)
    whole, own = Protego.parse(text), Protego.parse(own_groups(text, agent))
    for path in ("", "a", "a/b", "b/c", "d"):
        url = f"http://a.example/{path}"
        assert own.can_fetch(url, agent) == whole.can_fetch(url, agent), path
    assert own.crawl_delay(agent) == whole.crawl_delay(agent)


@pytest.mark.parametrize("status", [300, 304, 400, 401, 403, 404, 410, 499])
def test_no_such_file_is_no_rules(status: int) -> None:
    assert rules_in(head(status), FORBID) == b""


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599, 600, 100])
def test_not_now(status: int) -> None:
    with pytest.raises(UnreachableError) as caught:
        rules_in(head(status), b"")
    assert caught.value.why == f"robots-{status}"


def test_rules_are_unpacked() -> None:
    assert rules_in(head(), RULES) == RULES
    packed = head(200, "Content-Encoding: gzip")
    assert rules_in(packed, gzip.compress(RULES)) == RULES
    assert rules_in(packed, RULES) == RULES, "it was never packed"
    assert rules_in(packed, b"") == b""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (gzip.compress(RULES * 99)[:40], "bad-encoding"),
        (b"\x1f\x8b\x08" + b"no gzip at all" * 9, "bad-encoding"),
        (b"\0\1\2 neither gzip nor text", "bad-encoding"),
        (gzip.compress(bytes(17 << 20)), "too-large"),
    ],
    ids=["cut", "garbage", "binary", "bomb"],  # gzip writes the time, which must not become a name
)
def test_rules_that_cannot_be_unpacked(body: bytes, why: str) -> None:
    with pytest.raises(UnreachableError) as caught:
        rules_in(head(200, "Content-Encoding: gzip"), body)
    assert caught.value.why == f"robots-{why}"


def test_no_http() -> None:
    with pytest.raises(UnreachableError):
        rules_in(b"HTTP/1.1 99 x\r\n\r\n", RULES)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_line_that_was_cut_is_dropped(end: bytes) -> None:
    whole = b"User-agent: *" + end
    rest = ROBOTS_BYTES - len(whole)
    assert rules_in(head(), whole + b"Disallow: /" + b"x" * rest) == whole
    assert rules_in(head(), b"x" * (2 * ROBOTS_BYTES)) == b""


def reset(send: Send) -> None:
    """The server closes without a word."""


def endless(send: Send) -> None:
    send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + RULES)
    for _ in range(400):
        send(b"# and so on\n" * 1000)


def text(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    return answer(body, "Content-Type: text/plain", *headers, status=status, length=length)


LONG = b"# nothing\n" * (600 << 10 >> 3) + RULES
OBEYED: dict[str, Answers] = {
    "plain": {"/robots.txt": text(RULES)},
    "long": {"/robots.txt": text(LONG[-(600 << 10) :])},
    "endless": {"/robots.txt": endless},
    "gzip": {"/robots.txt": text(gzip.compress(RULES), "Content-Encoding: gzip")},
    "moved": {
        "/robots.txt": text(b"", "Location: /rules", status="301 Moved"),
        "/rules": text(RULES),
    },
}
NO_RULES: dict[str, Answers] = {
    "gone": {"/robots.txt": text(FORBID, status="404 Not Found")},
    "circle": {"/robots.txt": text(FORBID, "Location: /robots.txt", status="302 Found")},
}
UNREACHABLE: dict[str, tuple[Answers, str]] = {
    "503": ({"/robots.txt": text(b"", status="503 Busy")}, "robots-503"),
    "429": ({"/robots.txt": text(b"", status="429 Busy")}, "robots-429"),
    "bomb": ({"/robots.txt": text(BOMB + BOMB, "Content-Encoding: gzip")}, "robots-too-large"),
    "broken": ({"/robots.txt": text(BOMB[:99], "Content-Encoding: gzip")}, "robots-bad-encoding"),
    "cut": ({"/robots.txt": text(b"User-agent: *\n", length=999)}, "connection"),
    "reset": ({"/robots.txt": reset}, "connection"),
    "stall": ({"/robots.txt": stall}, "timeout"),
}


def test_all_ways_to_answer(tmp_path: Path) -> None:
    """Many hosts in one crawl, each with its own robots.txt; --max-page is not for these."""
    with ExitStack() as stack:
        served = {
            name: stack.enter_context(hostile_server(answers=answers))
            for name, answers in [
                *OBEYED.items(), *NO_RULES.items(), *((name, way) for name, (way, _) in UNREACHABLE.items()),
            ]
        }  # fmt: skip
        seeds = [f"{server.url}good/{n}" for server in served.values() for n in (1, 2)]
        folder = tmp_path / "crawl"
        run("crawl", *seeds, "-o", folder, "--delay", "0", "--timeout", "3", "--max-page", "250B", "--quiet")
        asked = {
            name: {path for path in server.paths if path.startswith("/good/")}
            for name, server in served.items()
        }
        assert asked == {
            **{name: {"/good/2"} for name in OBEYED},
            **{name: {"/good/1", "/good/2"} for name in NO_RULES},
            **{name: set() for name in UNREACHABLE},
        }
        whys = [why for _, why in UNREACHABLE.values() for _ in range(2)]
        expected = {why: whys.count(why) for why in whys} | {"robots": len(OBEYED)}
        assert info_of(folder)["failures"] == expected
        assert info_of(folder)["counts"]["fetched"] == len(OBEYED) + 2 * len(NO_RULES)


def test_unreachable_is_not_for_ever(tmp_path: Path) -> None:
    with hostile_server(answers={"/robots.txt": text(b"", status="503 Busy")}) as server:
        args = ["crawl", f"{server.url}good/1", f"{server.url}good/2", "-o", str(tmp_path / "crawl")]
        message = one_line(run(*args, "--delay", "0", code=1))
        assert "robots-503" in message
        assert server.paths == ["/robots.txt"] * 2, "asked once more, and for nothing else"
        server.answers["/robots.txt"] = text(RULES)
        run(*args, "--delay", "0", "--resume")
    assert [path for path in server.paths if path != "/robots.txt"] == ["/good/2"]
    assert info_of(tmp_path / "crawl")["failures"] == {"robots": 1}


@pytest.mark.parametrize("way", ["moved", "long"])
def test_only_robots_txt_is_robots_txt(way: str, tmp_path: Path) -> None:
    """Pages of such a name are pages, and what robots.txt redirects to is none: also when read back."""
    answers: Answers = {
        **OBEYED[way],
        "/docs/robots.txt": answer(page("a page about robots and their texts", "/robots.txt")),
        "/odd": b"HTTP/1.1 99 Odd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    }
    with hostile_server(answers=answers) as server:
        seeds = [f"{server.url}{path}" for path in ("docs/robots.txt", "odd", "good/2")]
        args = ["crawl", *seeds, "-o", str(tmp_path / "crawl"), "--delay", "0", "--max-page", "1KB"]
        run(*args)
        before, info = server.paths, info_of(tmp_path / "crawl")
        assert before.count("/robots.txt") == 2, "for its rules, and as a page"
        assert info["failures"]["bad-http"] == 1
        run(*args, "--resume")
        assert server.paths == before
    again = info_of(tmp_path / "crawl")
    assert again["failures"] == info["failures"]
    assert again["counts"] == info["counts"]


def test_crawls_from_before_records_were_marked(tmp_path: Path) -> None:
    writer = CrawlWriter(tmp_path, "test")

    def write(url: str, body: bytes) -> None:
        html = head(200, "Content-Type: text/html")
        writer.write(Exchange(url, b"GET / HTTP/1.1\r\n\r\n", html, body, None, datetime.now(UTC)))

    write("http://a.example/robots.txt", RULES)
    assert is_empty(tmp_path, 1000)
    write("http://a.example/docs/robots.txt", page("a page"))
    assert not is_empty(tmp_path, 1000)
    writer.close()
    state = FrontierCrawl(Scope(["http://a.example/docs/robots.txt"]))
    assert replay(tmp_path, state, 1000) == 1
