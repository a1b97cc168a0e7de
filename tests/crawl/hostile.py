"""A server on loopback that does everything wrong. Each path has its own way."""

from __future__ import annotations

import gzip
import socket
import socketserver
import struct
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from pagekin.synth.serve import serving

GOOD = 20
BOMB = gzip.compress(bytes(16 << 20))
PATIENCE = 10.0
"""Seconds after which the server gives up being a nuisance, so that no test can hang on it."""

Send = Callable[[bytes], None]
Answers = dict[str, bytes | Callable[[Send], None]]
"""What is answered to paths, whatever else is known of them."""


def page(text: str, *links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return f"<title>t</title><p>{text}</p>{anchors}".encode()


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append("Content-Type: text/html")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


def moved(where: str) -> bytes:
    return answer(b"", f"Location: {where}", status="302 Found")


ODD_LINKS = (
    "javascript:alert(1)", "mailto:x@example.org", "ftp://example.org/x", "http://[::1", "//", "http://",
    "/a b/ü?q=ö", "/x?" + "k=1&amp;" * 400, "/y/" + "z" * 5000, "/same/" * 9, "data:text/html,x", "#top", "",
    "/picture.jpg", "http://elsewhere.example/",
)  # fmt: skip

WAYS: dict[str, Callable[[str], bytes]] = {
    "loop1": lambda _: moved("/loop2"),
    "loop2": lambda _: moved("/loop1"),
    "self": lambda _: moved("/self"),
    "chain": lambda path: moved(f"/chain/{int(path.split('/')[2]) + 1}"),
    "outside": lambda _: moved("http://elsewhere.example/"),
    "nowhere": lambda _: moved("http://["),
    "long-lie": lambda _: answer(page("this page says it is longer than it is"), length=100_000),
    "short-lie": lambda _: answer(page("this page is longer than it says " * 50), length=40),
    "bad-length": lambda _: answer(page("a length of minus five"), length=-5),
    "type-lie": lambda _: answer(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
    "not-a-picture": lambda _: answer(page("html that says it is a picture"), "Content-Type: image/png"),
    "bomb": lambda _: answer(BOMB, "Content-Encoding: gzip"),
    "bad-gzip": lambda _: answer(b"\x1f\x8b\x08" + b"no gzip at all" * 9, "Content-Encoding: gzip"),
    "large": lambda _: answer(page("a large page " * 150_000)),
    "charset": lambda _: answer(b"<p>caf\xe9", "Content-Type: text/html; charset=utf-8"),
    "nonsense": lambda _: answer(page("what charset"), "Content-Type: text/html; charset=x-klingon"),
    "links": lambda _: answer(page("many", *(f"/missing/{n}" for n in range(10_000)))),
    "odd": lambda _: answer(page("odd links", *ODD_LINKS)),
    "frames": lambda _: answer(b"<frameset><frame src='/framed/1'></frameset>"),
    "refresh": lambda _: answer(b"<meta http-equiv=refresh content='0; url=/refreshed/1'>"),
    "framed": lambda _: answer(page("what is in the frame")),
    "refreshed": lambda _: answer(page("where the refresh leads")),
    "headers": lambda _: answer(page("headers"), *(f"X-{n}: {'y' * 1000}" for n in range(200))),
    "garbage": lambda _: b"\0\1\2 this is no HTTP at all\r\n\r\n",
    "silence": lambda _: b"",
    "error": lambda _: answer(page("broken"), status="500 Oops"),
    "later": lambda _: answer(page("busy"), "Retry-After: 1", status="503 Busy"),
    "count": lambda path: answer(page(f"number {path[7:]}", f"/count/{int(path[7:]) + 1}")),
    "good": lambda path: answer(page(f"this good page has the number {path.split('/')[2]} and nothing else")),
}  # fmt: skip


def stall(send: Send) -> None:
    time.sleep(PATIENCE)


def drip(send: Send) -> None:
    send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
    for _ in range(int(PATIENCE / 0.1)):
        send(b"drop ")
        time.sleep(0.1)


def endless(send: Send) -> None:
    send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        send(b"<p>and so on" * 1000)


SLOW = {"stall": stall, "drip": drip, "endless": endless}


class HostileServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, robots: str | None = None, answers: Answers | None = None, host: str = "127.0.0.1"
    ) -> None:
        self.robots = robots
        self.answers = answers or {}
        self.asked: list[tuple[float, str]] = []
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), _Handler)

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        return (
            f"http://[{host!s}]:{port}/"
            if self.address_family == socket.AF_INET6
            else f"http://{host!s}:{port}/"
        )

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self.asked]


class _Handler(socketserver.BaseRequestHandler):
    server: HostileServer

    def handle(self) -> None:
        try:
            data = b""
            while b"\r\n\r\n" not in data and len(data) < 1 << 16:
                piece = self.request.recv(4096)
                if not piece:
                    return
                data += piece
            self._answer(data.split(b" ", 2)[1].decode("latin-1"))
        except OSError:
            pass  # the crawler went away

    def _answer(self, path: str) -> None:
        self.server.asked.append((time.monotonic(), path))
        name = path.split("?")[0].split("/")[1]
        special = self.server.answers.get(path)
        if isinstance(special, bytes):
            self.request.sendall(special)
        elif special is not None:
            special(self.request.sendall)
        elif path == "/robots.txt":
            robots = self.server.robots
            status = "404 Not Found" if robots is None else "200 OK"
            self.request.sendall(answer((robots or "").encode(), "Content-Type: text/plain", status=status))
        elif path == "/":
            ways = [f"/{way}/1" for way in [*WAYS, *SLOW, "reset"] if way not in ("framed", "refreshed")]
            good = [f"/good/{n}" for n in range(GOOD)]
            self.request.sendall(answer(page("a list of everything", *ways, *good)))
        elif name == "reset":
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.request.close()
        elif name in SLOW:
            SLOW[name](self.request.sendall)
        elif name in WAYS:
            self.request.sendall(WAYS[name](path))
        else:
            self.request.sendall(answer(page("not found"), status="404 Not Found"))


def hostile_server(
    robots: str | None = None, answers: Answers | None = None, host: str = "127.0.0.1"
) -> AbstractContextManager[HostileServer]:
    return serving(HostileServer(robots, answers, host))
