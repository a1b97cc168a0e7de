"""Series without end are left; what only looks like one is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from hashlib import sha256
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest

from pagekin.crawl.answer import ParsedAnswer
from pagekin.crawl.scope import Scope
from pagekin.crawl.seen import UNIQUE
from pagekin.crawl.series import ENTRY, MAX_SAYINGS, STEPS, LinkPath, Series
from pagekin.crawl.state import FrontierCrawl
from pagekin.synth.prose import document
from pagekin.synth.rand import rng_for
from pagekin.synth.vocabulary import vocabulary

BASE = "http://site.test"
DOCUMENTS = 40
LIMIT = 6000

Page = tuple[str, list[str]]
Site = Callable[[str], Page | None]


def letters(*of: object) -> str:
    """A made-up word."""
    return sha256(repr(of).encode()).hexdigest()[:12].translate(str.maketrans("0123456789", "ghijklmnop"))


def prose(number: int, words: int = 12) -> str:
    paragraphs = document(rng_for(7, number), vocabulary("qaa-Latn", 7), words).paragraphs
    return " ".join(word for paragraph in paragraphs for word in paragraph)


def number(url: str, key: str) -> int:
    return int(parse_qs(urlsplit(url).query)[key][0])


def month(url: str) -> Page:
    """Both ways for ever, a page for each day, and two views of each day."""
    day = date(2020, 1, 1) + timedelta(days=30 * number(url, "m"))
    if "d=" in url:
        there = day + timedelta(days=number(url, "d"))
        views = [f"{url}&view={view}" for view in ("week", "agenda")] if "view" not in url else []
        return f"{there:%A %d %B %Y}. No events. {url[-4:]}", views
    steps = [f"/calendar?m={number(url, 'm') + step}" for step in (-1, 1)]
    return f"{day:%B %Y}. Previous month. Next month.", [*steps, *(f"{url}&d={d}" for d in range(28))]


def counter(url: str) -> Page:
    return f"Page {number(url, 'n')}", [f"/counter?n={number(url, 'n') + 1}"]


def maze(url: str) -> Page:
    """Folders with names that mean nothing, each with two doors."""
    name = urlsplit(url).path.rpartition("/")[2]
    doors = [sha256(f"{name}{door}".encode()).hexdigest()[:12] for door in "ab"]
    return f"You are in room {name}. There are two doors.", [f"/maze/{door}" for door in doors]


MONTHS = [f"{date(2020, month, 1):%B}".lower() for month in range(1, 13)]


def folders(url: str) -> Page:
    """A folder of its own for each month, and in it the days."""
    year, name, *day = urlsplit(url).path.split("/")[2:]
    if day:
        return f"{day[0]} {name} {year}. Nothing on this day.", [f"/cal/{year}/{name}"]
    count = int(year) * 12 + MONTHS.index(name)
    turns = [f"/cal/{n // 12}/{MONTHS[n % 12]}" for n in (count - 1, count + 1)]
    return f"{name} {year}. Previous. Next.", [*turns, *(f"/cal/{year}/{name}/{n}" for n in range(1, 29))]


def turns(url: str) -> Page:
    """Months and weeks that lead to each other only."""
    _, kind, n = urlsplit(url).path.split("/")
    count = int(n)
    if kind == "month":
        return f"Month {n}. No events.", [f"/week/{count * 4}", f"/week/{count * 4 + 3}"]
    return f"Week {n}. No events.", [f"/month/{count // 4}", f"/month/{count // 4 + 1}"]


TRAPS: dict[str, tuple[str, Callable[[str], Page]]] = {
    "folders": ("/cal/2024/may", folders),
    "turns": ("/month/5", turns),
    "calendar": ("/calendar?m=0", month),
    "counter": ("/counter?n=1", counter),
    "maze": ("/maze/1", maze),
}


def site_with(entrance: str, trap: Callable[[str], Page]) -> Site:
    """Documents that lead from one to the next, and a trap that is open on every page."""

    def fetch(url: str) -> Page | None:
        path = url.removeprefix(BASE)
        if path.startswith("/doc/"):
            n = int(path.rpartition("/")[2])
            links = [f"/doc/{n + 1}"] if n + 1 < DOCUMENTS else []
            return prose(n), [*links, entrance]
        if path == "/":
            return "Welcome to this site", ["/doc/0", entrance]
        return trap(path)

    return fetch


def crawled(fetch: Site, limit: int = LIMIT) -> tuple[FrontierCrawl, list[str], bool]:
    """State, URLs in the order of fetching, and whether the rule ended it."""
    state, asked = FrontierCrawl(Scope([f"{BASE}/"])), list[str]()
    while len(asked) < limit and (target := state.next()) is not None:
        asked.append(target.url)
        page = fetch(target.url)
        answer = (
            ParsedAnswer(404, why="status-404")
            if page is None
            else ParsedAnswer(200, page[0], tuple(urljoin(target.url, link) for link in page[1]))
        )
        state.settle(target, answer)
        if state.saturation.reached():
            return state, asked, True
    return state, asked, False


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_left(name: str) -> None:
    entrance, trap = TRAPS[name]
    state, asked, saturated = crawled(site_with(entrance, trap))
    assert saturated
    assert {f"{BASE}/doc/{n}" for n in range(DOCUMENTS)} <= set(asked)
    assert state.series.idle > 0


@pytest.mark.parametrize("name", TRAPS)
def test_by_duplicates_alone_it_is_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be no test of the rule if pages of a trap were duplicates anyway."""
    monkeypatch.setattr(Series, "is_idle", lambda *_: False)
    entrance, trap = TRAPS[name]
    _, asked, saturated = crawled(site_with(entrance, trap))
    assert not saturated
    assert len(asked) == LIMIT


def test_a_book_is_read_to_its_end() -> None:
    """Short pages, each but the last with a link to the next and to nothing else."""

    def book(url: str) -> Page:
        n = int(url.rpartition("/")[2] or 0)
        return f"Page {n} of this book. {prose(n, 6)}", [f"/{n + 1}"] if n < 500 else []

    state, asked, saturated = crawled(book)
    assert not saturated
    assert len(asked) == 501
    assert state.series.idle == 0


def test_tables_of_numbers_are_fetched_if_a_list_names_them() -> None:
    def tables(url: str) -> Page:
        path = urlsplit(url).path
        if path == "/":
            return "Stations", [f"/station/{n}" for n in range(300)]
        n = int(path.rpartition("/")[2])
        return f"Station {n}: {n * 31 % 97} degrees", ["/"]

    _, asked, saturated = crawled(tables)
    assert not saturated
    assert len(asked) == 301


def path(steps: int, aside: bool = False) -> LinkPath:
    return LinkPath(("p",), steps, aside)


def test_what_a_long_list_names_is_fetched() -> None:
    """Products that differ in numbers alone, on a list with a link to its next page only."""

    def shop(url: str) -> Page:
        path = url.removeprefix(BASE)
        if path.startswith("/product"):
            return f"Product {number(path, 'id')}: {number(path, 'id') * 37 % 101} euros", ["/"]
        page = number(path, "page") if "page" in path else 0
        following = [f"/list?page={page + 1}"] if page < 30 else []
        return f"Products: {prose(page, 30)}", [f"/product?id={page * 10 + n}" for n in range(10)] + following

    _, asked, saturated = crawled(shop)
    assert not saturated
    assert len(asked) == 31 * 10 + 31


def test_what_is_idle() -> None:
    series = Series()
    assert not series.is_idle("p", path(STEPS), "page 0"), "the first one says something"
    assert not series.is_idle("p", path(STEPS - 1), "page 1"), "it may be the last one"
    assert series.is_idle("p", path(STEPS + 1), "page 2")
    assert not series.is_idle("p", path(STEPS + 1, aside=True), "page 2")
    assert not series.is_idle("other", path(STEPS + 1), "page 3"), "each pattern has its own"
    assert not series.is_idle("p", path(STEPS + 2), "chapter 4")
    assert not series.is_idle("p", path(STEPS + 3), "2031")
    assert series.is_idle("p", path(STEPS + 3), "2032")
    assert series.is_idle("p", path(STEPS + 3), "")
    assert series.idle == 3


def test_a_series_that_says_much_is_none() -> None:
    series = Series()
    for n in range(MAX_SAYINGS):
        assert not series.is_idle("p", path(STEPS), f"page {letters(n)}")
    assert series.is_idle("p", path(STEPS), f"page {letters(0)} 7")
    assert not series.is_idle("p", path(STEPS), "one more")
    assert not series.is_idle("p", path(STEPS), f"page {letters(0)} 8")


def test_records_of_few_words_are_read_to_their_end() -> None:
    """Each word is known from other records; what they say together is not."""
    values = {field: [letters(field, n) for n in range(12)] for field in range(8)}

    def records(url: str) -> Page:
        n = int(url.rpartition("/")[2] or 0)
        rng = rng_for(5, n)
        fields = " ".join(f"{letters(field)}: {rng.choice(values[field])}." for field in values)
        return fields, [f"/{n + 1}"] if n < 300 else []

    state, asked, saturated = crawled(records)
    assert not saturated
    assert len(asked) == 301
    assert state.series.idle == 0


def test_link_paths() -> None:
    """Steps are counted whatever the folders are called, and when patterns take turns."""
    month = ENTRY.on("h/cal/may/{n}", idle=False)
    assert month == LinkPath(("h/{w}/{n}",), 0, aside=True)
    later = month.on("h/cal/june/{n}", idle=False)
    assert (later.steps, later.aside) == (1, False)
    week = later.on("h/week/{s}", idle=False)
    assert (week.steps, week.aside) == (1, True)
    assert week.on("h/cal/may/{n}", idle=False)[1:] == (2, False)
    assert later.on("h/{w}?day", idle=True)[1:] == (1, False), "what hangs on an idle page belongs to it"
    for pattern in ("h/a/{w}.x", "h/a/{w}.y", "h/a/{w}.z"):
        week = week.on(pattern, idle=False)
    assert week.on("h/cal/may/{n}", idle=False).steps == 1, "too long ago"


def test_the_kind_stays_unique() -> None:
    state, asked, _ = crawled(site_with(*TRAPS["counter"]))
    assert state.curve.counts[UNIQUE] == len(asked)
