"""A crawl stays out of networks it was not sent to, whatever links, redirects and name servers say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.command import run
from crawl.hostile import Answers, answer, hostile_server, page

from pagekin.crawl.resolver import Resolver, is_public, named_places

FAST = ("--delay", "0", "--timeout", "5", "-q")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
        "2002:7f00:1::", "64:ff9b::a00:1", "2001:0:0:0:0:0:80ff:fffe", "no address",
        "fec0::1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b:1::7f00:1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


def test_places_that_seeds_name() -> None:
    assert named_places(["http://a.example:8080/x", "https://[::1]/"]) == {
        ("a.example", 8080), ("a.example", 80), ("a.example", 443), ("::1", 80), ("::1", 443),
    }  # fmt: skip


class _Resolution:
    """Gives a name the addresses of a hostile name server."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self.passed: list[str] = []

    def resolveHostName(self, receiver: Any, name: str, *_: Any) -> None:  # noqa: N802
        from twisted.internet.address import IPv4Address

        receiver.resolutionBegan(None)
        for address in self.addresses:
            receiver.addressResolved(IPv4Address("TCP", address, 0))
        receiver.resolutionComplete()

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802
        pass

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self.passed.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        pass


@pytest.mark.parametrize(
    ("host", "port", "passed"),
    [
        ("rebind.example", 80, ["8.8.8.8"]),
        ("seed.example", 80, ["127.0.0.1", "8.8.8.8"]),
        ("seed.example", 8080, ["127.0.0.1", "8.8.8.8"]),
        ("seed.example", 6379, ["8.8.8.8"]),
    ],
)
def test_what_name_servers_say(host: str, port: int, passed: list[str]) -> None:
    """A name of the public web may point inside: such addresses are dropped, but where a seed is."""
    inner = _Resolution("127.0.0.1", "8.8.8.8")
    resolver = Resolver.__new__(Resolver)
    resolver.original_resolver = inner  # type: ignore[assignment]
    resolver._private = named_places(["http://seed.example:8080/"])
    Resolver.refused.clear()
    resolver.resolveHostName(inner, host, port)
    assert inner.passed == passed
    assert Resolver.refused == ({host} if len(passed) == 1 else set())


def failures(folder: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((folder / "crawl.json").read_bytes())["failures"]
    return found


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_robots_txt_elsewhere_on_the_machine(tmp_path: Path, host: str) -> None:
    """Another port of our own machine is not asked, and the crawl says why it fetched nothing."""
    with hostile_server() as other:
        place = other.url.replace("127.0.0.1", host)
        to = answer(b"", f"Location: {place}robots.txt", status="302 Found")
        with hostile_server(answers={"/robots.txt": to}) as server:
            done = run("crawl", server.url, "-o", tmp_path / "c", *FAST, code=1)
    assert other.paths == []
    assert server.paths == ["/robots.txt"]
    assert "private-address" in done.stderr


def test_robots_txt_elsewhere_if_allowed(tmp_path: Path) -> None:
    with hostile_server(robots="User-agent: *\nDisallow: /good\n") as other:
        to = answer(b"", f"Location: {other.url}robots.txt", status="302 Found")
        home = answer(page("home", "/good/1", "/fine"))
        answers: Answers = {"/robots.txt": to, "/": home, "/fine": answer(page("fine"))}
        with hostile_server(answers=answers) as server:
            run("crawl", server.url, "-o", tmp_path / "c", *FAST, "--allow-private")
    assert other.paths == ["/robots.txt"]
    assert sorted(server.paths) == ["/", "/fine", "/robots.txt"]


def test_other_hosts_of_the_domain_may_not_lead_inside(tmp_path: Path) -> None:
    """In the scope of a domain a link may name another port of the machine."""
    with hostile_server() as other:
        home = answer(page("home", f"{other.url}secret", "/fine"))
        with hostile_server(answers={"/": home, "/fine": answer(page("fine"))}) as server:
            run("crawl", server.url, "-o", tmp_path / "c", *FAST, "--scope", "domain")
    assert other.paths == []
    assert "/fine" in server.paths
