"""Sites that make up folders and query keys: what one of them brings tells about the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from urllib.parse import parse_qsl, urlsplit

import pytest
from simulate import simulate

from pagekin.crawl.answer import ParsedAnswer
from pagekin.crawl.frontier import BREADTH_FIRST
from pagekin.crawl.scope import Scope
from pagekin.crawl.state import FrontierCrawl

START = "http://site.test/"
POSTS = 60

Site = Callable[[str], tuple[str | None, Iterable[str]]]


def letters(*of: object) -> str:
    """A made-up word of letters only."""
    return sha256(repr(of).encode()).hexdigest()[:12].translate(str.maketrans("0123456789", "ghijklmnop"))


def forum(url: str) -> tuple[str, list[str]]:
    """Threads name users, each of whom has a folder, in which there is the same page to log in."""
    path = urlsplit(url).path
    if path == "/":
        return "home", [f"/t/{n}" for n in range(200)]
    if path.startswith("/t/"):
        n = int(path[3:])
        users = [letters("user", n * 5 + k) for k in range(5)]
        return f"thread {n - n % 20 if n % 20 == 1 else n}", [f"/users/{user}/message" for user in users]
    return "please log in", ["/"]


def facets(url: str) -> tuple[str, list[str]]:
    """A shop whose filters are folders in any order, all of them showing one list."""
    path = urlsplit(url).path
    if path.startswith("/post/"):
        return path, ["/"]
    chosen = [part for part in path.split("/")[2:] if part]
    filters = ["red", "blue", "large", "small", "new", "sale", "wool", "silk"]
    links = [f"/shop/{'/'.join([*chosen, other])}" for other in filters if other not in chosen]
    posts = [f"/post/{n}" for n in range(POSTS)] if path == "/" else []
    return "shop", [*links, *posts]


def sessions(url: str) -> tuple[str, list[str]]:
    """A session id as the first folder, without digits, anew on every page."""
    parts = urlsplit(url).path.strip("/").split("/")
    rest = parts[1:] if parts[0].startswith("z") else parts
    sid = f"z{letters(url)}"
    if rest[:1] == ["post"]:
        n = int(rest[1])
        return f"post {n}", [f"/{sid}/", f"/{sid}/post/{(n + 1) % POSTS}"]
    return "home", [f"/{sid}/post/{n}" for n in range(POSTS)]


def keys(url: str) -> tuple[str, list[str]]:
    """A list with eight query keys, none of which changes anything."""
    parts = urlsplit(url)
    if parts.path.startswith("/post/"):
        return parts.path, ["/list"]
    query = dict(parse_qsl(parts.query))
    links = [
        "&".join(f"{key}={value}" for key, value in sorted({**query, key: "1"}.items())) for key in "abcdefgh"
    ]
    posts = [f"/post/{n}" for n in range(POSTS)] if parts.path == "/" else []
    return "list" if parts.path == "/list" else "home", [*(f"/list?{link}" for link in links), *posts]


SITES: dict[str, tuple[Site, int]] = {
    "forum": (forum, 192),
    "facets": (facets, POSTS + 1),
    "sessions": (sessions, POSTS + 1),
    "keys": (keys, POSTS + 2),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SITES)
def test_poor_folders_sink_together(name: str, seed: int) -> None:
    site, pages = SITES[name]
    ours = simulate(site, START, in_flight=8, limit=5000, seed=seed)
    theirs = simulate(site, START, order=BREADTH_FIRST, stop=False, limit=5000)
    found, other = ours.fetches_for(pages), theirs.fetches_for(pages)
    assert found is not None
    assert other is not None
    assert found <= 1.25 * other, "nothing is much later than in the order of finding"
    assert ours.saturated
    assert ours.fetches <= found + 220


@pytest.mark.parametrize("barren", [5, 20, 35])
def test_a_rich_folder_among_barren_ones_is_found(barren: int) -> None:
    def sections(url: str) -> tuple[str, list[str]]:
        path = urlsplit(url).path
        if path == "/":
            return "home", [*(f"/{letters(n)}/index" for n in range(barren)), "/archive/index"]
        if path.startswith("/archive/"):
            return path, [f"/archive/{n}" for n in range(100)]
        return "empty section", [f"{path}?view={n}" for n in range(20)]

    done = simulate(sections, START, in_flight=8)
    assert done.saturated
    assert len(done.found_at) == 1 + 1 + 101


def test_folders_that_bring_something_are_not_judged_by_others() -> None:
    """Half of the sections are copies of one another, the others are not."""

    def sections(url: str) -> tuple[str, list[str]]:
        folder, _, page = urlsplit(url).path.strip("/").partition("/")
        if not folder:
            return "home", [f"/{letters(n)}/0" for n in range(60)]
        own = min(n for n in range(60) if letters(n) == folder)
        links = [f"/{folder}/{n}" for n in range(10)]
        return f"section {own if own % 2 else 0} page {page}", links

    done = simulate(sections, START, in_flight=8)
    assert len(done.found_at) == 1 + 31 * 10


def test_redirects_are_worth_what_they_lead_to() -> None:
    """Every page has new URLs that redirect to yet other ones, and all of those show one page."""
    state = FrontierCrawl(Scope([START]))
    asked: list[str] = []
    while len(asked) < 2000 and (target := state.next()) is not None:
        asked.append(target.url)
        path = target.url.removeprefix(START)
        links = [f"{START}go?to={len(asked) * 10 + n}" for n in range(5)]
        if path.startswith("go"):
            answer = ParsedAnswer(302, location=f"{START}in/{path[6:]}")
        elif path.startswith("in"):
            answer = ParsedAnswer(200, "please log in", tuple(links))
        else:
            text = " ".join(f"{path or 'home'}{n}" for n in range(300))
            answer = ParsedAnswer(200, text, (*links, *(f"{START}doc/{n}" for n in range(POSTS))))
        state.settle(target, answer)
        if state.saturation.reached():
            break
    assert {f"{START}doc/{n}" for n in range(POSTS)} <= set(asked)
    assert len(asked) < 500
