"""Seeds are the URLs that links lead to, however they are spelled."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urljoin

import pytest
from cli.command import one_line, run
from crawl.hostile import Answers, answer, hostile_server, page

from pagekin.crawl.scope import Scope
from pagekin.errors import UsageError
from pagekin.urls import absolute

SPELLED = {
    "http://www.example.org:80/": "http://www.example.org/",
    "https://www.example.org:443": "https://www.example.org/",
    "www.example.org": "http://www.example.org/",
    "  HTTP://Www.Example.Org/#top ": "http://www.example.org/",
    "http://bücher.example/": "http://xn--bcher-kva.example/",
    "http://a.example/café/": "http://a.example/caf%C3%A9/",
    "http://a.example/a b/": "http://a.example/a%20b/",
    "http://a.example/d/../docs/": "http://a.example/docs/",
    "http://a.example/?a=1&b=2&lt=3": "http://a.example/?a=1&b=2&lt=3",
    'http://a.example/"quoted"/': "http://a.example/%22quoted%22/",
    "http://127.1:8000/": "http://127.0.0.1:8000/",
    "http://[0:0:0:0:0:0:0:1]:8000/": "http://[::1]:8000/",
    "localhost:8000": "http://localhost:8000/",
}


@pytest.mark.parametrize(("given", "written"), SPELLED.items())
@pytest.mark.parametrize("kind", ["host", "prefix"])
def test_links_of_a_seed_are_inside(given: str, written: str, kind: str) -> None:
    scope = Scope([given], kind)
    assert scope.seeds == [written]
    link = absolute("page?x=1", written)
    assert link == urljoin(written, "page?x=1")
    assert scope.refuses(link) is None
    assert scope.refuses("http://elsewhere.example/") == "outside"


def test_user_names_are_refused() -> None:
    """They would be sent to servers and stored; and no page means to share its own."""
    scope = Scope(["http://a.example/"])
    for link in ("http://user:pw@a.example/x", "http://user@a.example/", "https://:pw@a.example/"):
        assert scope.refuses(link) == "userinfo"
    assert scope.refuses("http://a.example/@user") is None
    for seed in ("http://user:secret@a.example/", "user@a.example"):
        with pytest.raises(UsageError, match="user name") as caught:
            Scope([seed])
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("seed", ["", "http://", "http://a.example:99999/", "ftp://a.example/", "http://["])
def test_what_is_no_url(seed: str) -> None:
    with pytest.raises(UsageError, match="not a URL"):
        Scope([seed])


def test_another_spelling_goes_on(tmp_path: Path) -> None:
    """And what was not followed is said at the end."""
    links = ("one", "two", "/outside", "http://user:pw@127.0.0.1/", "http://elsewhere.example/")
    answers: Answers = {
        "/caf%C3%A9/": answer(page("a page of links", *links)),
        "/caf%C3%A9/one": answer(page("this page is the first of two")),
        "/caf%C3%A9/two": answer(page("and here we have the other of them")),
    }
    with hostile_server(answers=answers) as server:
        port = server.server_address[1]
        args = ["-o", str(tmp_path / "crawl"), "--delay", "0", "--scope", "prefix"]
        seed = f"http://127.1:{port}/x/../café/"
        done = run("crawl", seed, *args, "--max-pages", "2")
        assert done.stderr.splitlines()[1:3] == ["not followed 2: outside", "not followed 1: userinfo"]
        done = run("crawl", f"{server.url}caf%c3%a9/", *args, "--resume", code=1)
        assert "other seeds" in one_line(done), "%c3 and %C3 are two URLs to the kernel, as in links"
        done = run("crawl", f"{server.url}caf%C3%A9/", *args, "--resume", "--json")
        told = [json.loads(line) for line in done.stderr.splitlines()]
        assert {"reason": "outside", "links": 2}.items() <= told[2].items()
    assert sorted(server.paths) == ["/caf%C3%A9/", "/caf%C3%A9/one", "/caf%C3%A9/two", *["/robots.txt"] * 2]
    info = json.loads((tmp_path / "crawl" / "crawl.json").read_bytes())
    assert info["skipped"] == {"outside": 2, "userinfo": 1}


def test_user_names_in_links_and_seeds(tmp_path: Path) -> None:
    message = one_line(run("crawl", "http://user:pw@a.example/", "-o", tmp_path / "crawl", code=2))
    assert "user name" in message
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize("agent", ["me\r\nX-Evil: 1", "me\n", "a\tb", "\x7f", "  "])
def test_user_agents_of_one_line(agent: str, tmp_path: Path) -> None:
    done = run("crawl", "a.example", "-o", tmp_path / "crawl", "--user-agent", agent, code=2)
    assert "user agent" in one_line(done)
    assert not (tmp_path / "crawl").exists()


def test_a_seed_that_leads_away_says_so(tmp_path: Path) -> None:
    with hostile_server() as server:
        done = run("crawl", f"{server.url}outside/1", "-o", tmp_path / "crawl", "--delay", "0", code=1)
    assert "not followed 1: outside" in one_line(done)
