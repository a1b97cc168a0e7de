"""What passes between the crawler and servers, and what of it is written down."""

from __future__ import annotations

import socket
import subprocess
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count, pairwise
from pathlib import Path

import pytest
from cli.command import one_line, run
from crawl.hostile import Answers, Send, answer, hostile_server, moved, page, stall

from pagekin.crawl.answer import parse_answer


def records(folder: Path) -> dict[str, list[str]]:
    """The WARC headers of the response to each path."""
    raw = subprocess.run(["zcat", folder / "crawl-00000.warc.gz"], capture_output=True, check=True).stdout
    heads = [
        record.partition("\r\n\r\n")[0].split("\r\n") for record in raw.decode("latin-1").split("WARC/1.1")
    ]
    return {
        next(line for line in head if line.startswith("WARC-Target-URI"))
        .partition("//")[2]
        .partition("/")[2]: head
        for head in heads
        if "WARC-Type: response" in head
    }


def closing(send: Send) -> None:
    send(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("a page that ends by closing"))


def picture(send: Send) -> None:
    """Its body comes later than its headers."""
    send(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 50000000\r\n\r\n")
    for _ in range(100):
        send(bytes(100_000))


def test_records_say_where_from_and_whether_whole(tmp_path: Path) -> None:
    answers: Answers = {
        "/picture": picture,
        "/empty": answer(b"", "Content-Type: image/png"),
        "/large": answer(page("a large page " * 9000)),
        "/closing": closing,
        "/cut": answer(page("a page that is cut"), length=5000),
    }
    with hostile_server(answers=answers) as server:
        seeds = [f"{server.url}{path[1:]}" for path in answers]
        run("crawl", *seeds, "-o", tmp_path / "crawl", "--delay", "0", "--max-page", "50KB", "--timeout", "5")
        assert sorted(server.paths) == sorted([*answers, "/robots.txt"]), "nothing was asked for twice"
    found = records(tmp_path / "crawl")
    assert found.keys() == {path[1:] for path in server.paths}
    assert all("WARC-IP-Address: 127.0.0.1" in head for head in found.values())
    truncated = {
        path: line.partition(": ")[2]
        for path, head in found.items()
        for line in head
        if line.startswith("WARC-Truncated")
    }
    assert truncated == {"picture": "unspecified", "large": "length", "cut": "disconnect"}
    lengths = {
        path: int(line.partition(": ")[2])
        for path, head in found.items()
        for line in head
        if line.startswith("Content-Length")
    }
    assert max(lengths["picture"], lengths["large"]) < 300, "only the headers are kept"
    assert [path for path, head in found.items() if "Pagekin-Fetched-As: robots.txt" in head] == [
        "robots.txt"
    ]


def test_a_body_that_never_begins(tmp_path: Path) -> None:
    """It is waited for once; then its headers are all there is to know."""

    def events(send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        stall(send)

    with hostile_server(answers={"/events": events}) as server:
        args = ["crawl", f"{server.url}events", f"{server.url}good/1", "-o", str(tmp_path / "crawl")]
        done = run(*args, "--delay", "0", "--timeout", "1")
        assert "no page 1: not-html" in done.stderr
        run(*args, "--delay", "0", "--timeout", "1", "--resume")
    assert server.paths.count("/events") == 2


HEADERS = {
    "lines": (b"HTTP/1.1 200 OK\r\n", b"X-A: y\r\n" * 1000),
    "one line": (b"HTTP/1.1 200 OK\r\nX-A: y\r\n", b" y\r\n" * 1000),
    "announcements": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_headers_without_an_end(tmp_path: Path, kind: str) -> None:
    """They were held until the time was up, hundreds of megabytes of them."""
    first, more = HEADERS[kind]
    sent = []

    def flood(send: Send) -> None:
        send(first)
        for _ in range(10_000):
            send(more)
            sent.append(len(more))

    with hostile_server(answers={"/flood": flood}) as server:
        seeds = [f"{server.url}flood", f"{server.url}good/1"]
        done = run("crawl", *seeds, "-o", tmp_path / "crawl", "--delay", "0", "--timeout", "30")
    assert "no page 1: connection" in done.stderr
    assert server.paths.count("/flood") == 2
    # Beside our limit, what is on its way: the buffers of two connections.
    assert sum(sent) < 16 << 20


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/final-ü".encode(), "/final-%C3%BC"),
        ("/final-ü".encode("latin-1"), "/final-%C3%BC"),
        (b"/final-%FC", "/final-%FC"),
        ("http://bücher.example/ü?ö".encode(), "http://xn--bcher-kva.example/%C3%BC?%C3%B6"),
    ],
)
def test_redirects_in_utf_8(raw: bytes, path: str) -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: " + raw + b"\r\n\r\n"
    location = parse_answer("http://a.example/", head, b"", 1000).location
    assert location == (path if "//" in path else f"http://a.example{path}")


def test_redirects_over_the_wire(tmp_path: Path) -> None:
    with hostile_server(answers={"/x": moved("/final-ü".encode().decode("latin-1"))}) as server:
        server.answers["/final-%C3%BC"] = answer(page("here it is"))
        run("crawl", f"{server.url}x", "-o", tmp_path / "crawl", "--delay", "0")
    assert server.paths == ["/robots.txt", "/x", "/final-%C3%BC"]


def test_retry_after_holds_whatever_else_comes(tmp_path: Path) -> None:
    """Answers that were on their way when the server asked for time are no reason to go on."""
    turns = count(1)

    def fourth(send: Send) -> None:
        turn = next(turns)
        busy = answer(b"", "Retry-After: 2", status="429 Too Many Requests")
        send(busy if turn == 4 else answer(page(f"page number {turn} of a dozen")))

    answers: Answers = dict.fromkeys((f"/doc/{n}" for n in range(24)), fourth)
    answers["/all"] = answer(page("all of them", *answers))
    with hostile_server(answers=answers) as server:
        run("crawl", f"{server.url}all", "-o", tmp_path / "crawl", "--delay", "0", "--quiet")
        times = [when for when, path in server.asked if path.startswith("/doc/")]
    assert len(times) == 25
    assert max(later - sooner for sooner, later in pairwise(times)) >= 1.5


@pytest.mark.parametrize("zone", ["GMT", "+0100"])
def test_retry_after_a_date(zone: str, tmp_path: Path) -> None:
    """Dates have no fractions of a second, so it is at least the whole seconds."""

    def busy(send: Send) -> None:
        when = datetime.now(UTC) + timedelta(seconds=4, hours=1 if zone != "GMT" else 0)
        date = format_datetime(when, usegmt=True).replace("GMT", zone)
        send(answer(b"", f"Retry-After: {date}", status="503 Busy"))
        server.answers.clear()

    with hostile_server(answers={"/good/1": busy}) as server:
        run("crawl", f"{server.url}good/1", "-o", tmp_path / "crawl", "--delay", "0")
    times = [when for when, path in server.asked if path == "/good/1"]
    assert len(times) == 2
    assert 2.5 < times[1] - times[0] < 10


@pytest.mark.parametrize(
    "value", ["soon", "-5", "Mon, 99 Foo 2020 99:99:99 GMT", "Wed, 01 Jan 2020 00:00:00 GMT"]
)
def test_retry_after_that_says_nothing(value: str, tmp_path: Path) -> None:
    answers: Answers = {"/x": answer(b"", f"Retry-After: {value}", status="503 Busy")}
    with hostile_server(answers=answers) as server:
        done = run("crawl", f"{server.url}x", "-o", tmp_path / "crawl", "--delay", "0", code=1)
    assert "status-503" in one_line(done)
    times = [when for when, path in server.asked if path == "/x"]
    assert times[1] - times[0] < 2


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="::1 cannot be bound")
def test_ipv6(tmp_path: Path) -> None:
    with hostile_server(host="::1") as server:
        port = server.server_address[1]
        server.answers["/x"] = answer(page("links", "/good/1", f"//[0:0:0:0:0:0:0:1]:{port}/good/2"))
        run("crawl", f"{server.url}x", "-o", tmp_path / "crawl", "--delay", "0")
    assert sorted(server.paths) == ["/good/1", "/good/2", "/robots.txt", "/x"]
    assert all("WARC-IP-Address: ::1" in head for head in records(tmp_path / "crawl").values())


def test_names_are_looked_up(tmp_path: Path) -> None:
    """Where one answers at one of its addresses, and where there can be none."""
    with hostile_server() as server:
        port = server.server_address[1]
        nobody = (f"{'a' * 70}.invalid", "a..invalid")  # no resolver is asked for these
        seeds = [f"http://localhost:{port}/good/1", *(f"http://{name}:{port}/" for name in nobody)]
        done = run("crawl", *seeds, "-o", tmp_path / "crawl", "--delay", "0", "--timeout", "20")
    assert sorted(server.paths) == ["/good/1", "/robots.txt"]
    assert "no page 2: dns" in done.stderr
