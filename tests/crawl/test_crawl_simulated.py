"""Ordering and stopping on whole sites, without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from random import Random
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import Simulated, simulate

import pagekin
from pagekin.crawl.frontier import BREADTH_FIRST
from pagekin.crawl.saturation import WORTH
from pagekin.crawl.scope import Scope
from pagekin.crawl.seen import EXACT, UNIQUE, SeenPages
from pagekin.crawl.state import FrontierCrawl
from pagekin.synth.cms_site import SITE_TYPES, CmsSite
from pagekin.synth.serve import html_of

START = "http://site.test/"
DOCUMENTS = 300
SEEDS = (11,)


def fetcher(site: CmsSite) -> Callable[[str], tuple[str | None, Iterable[str]]]:
    def fetch(url: str) -> tuple[str | None, Iterable[str]]:
        parts = urlsplit(url)
        view = site.view(f"{parts.path}?{parts.query}" if parts.query else parts.path)
        return view.content, [link for link, _ in view.links]

    return fetch


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", SITE_TYPES)
def test_site_types(kind: str, seed: int) -> None:
    site = CmsSite(kind, seed, DOCUMENTS)
    pages = len(site.uniques())
    ours = simulate(fetcher(site), START, seed=seed, in_flight=8, limit=8 * pages)
    assert len(ours.found_at) >= 0.97 * pages
    if kind == "clean":
        assert not ours.saturated
        assert ours.fetches == pages
        return
    assert ours.saturated
    enough = -(-95 * pages // 100)
    cap = 3 * pages
    theirs = simulate(fetcher(site), START, order=BREADTH_FIRST, stop=False, limit=cap)
    first = ours.fetches_for(enough)
    assert first is not None
    # Breadth-first may not get that far within the limit: then it needs more than that.
    assert first <= 0.6 * (theirs.fetches_for(enough) or cap)


def test_the_late_site_has_a_plateau() -> None:
    """It would be no test of the rule if the door were found at once."""
    site = CmsSite("late", 11, DOCUMENTS)
    found = simulate(fetcher(site), START, in_flight=8).found_at
    assert max(later - sooner for sooner, later in pairwise(found)) > 60


def test_same_seed_same_crawl() -> None:
    site = CmsSite("replies", 1, 60)

    def crawl(seed: int) -> list[str]:
        asked: list[str] = []
        fetch = fetcher(site)
        simulate(lambda url: (asked.append(url), fetch(url))[1], START, seed=seed)  # type: ignore[func-returns-value]
        return asked

    assert crawl(1) == crawl(1)
    assert crawl(1) != crawl(2)


def graph(pages: int, seed: int) -> Callable[[str], tuple[str | None, Iterable[str]]]:
    """A site on which every URL shows something of its own, in whatever folders, with whatever keys."""
    rng = Random(seed)
    shapes = ["/a/{}", "/b/{}.html", "/c?id={}", "/d/{}?x={}", "/e/page-{}", "/list?page={}&sort=up"]
    urls = ["/", *(rng.choice(shapes).replace("{}", str(n)) for n in range(1, pages))]
    links = {url: [rng.choice(urls) for _ in range(3)] for url in urls}
    for n in range(1, pages):  # every page can be reached
        links[urls[rng.randrange(n)]].append(urls[n])

    def fetch(url: str) -> tuple[str | None, Iterable[str]]:
        path = url.removeprefix("http://site.test")
        return path, links[path]

    return fetch


@settings(max_examples=30)
@given(pages=st.integers(1, 400), seed=st.integers(0, 10**6), in_flight=st.integers(1, 16))
def test_a_site_without_duplicates_is_never_saturated(pages: int, seed: int, in_flight: int) -> None:
    done = simulate(graph(pages, seed), START, in_flight=in_flight, seed=seed)
    assert done == Simulated(list(range(1, pages + 1)), pages, saturated=False)


@settings(max_examples=10)
@given(kind=st.sampled_from(sorted(set(SITE_TYPES) - {"clean"})), seed=st.integers(0, 1000))
def test_when_it_stops_nothing_is_left_that_may_be_rich(kind: str, seed: int) -> None:
    fetch = fetcher(CmsSite(kind, seed, 40))
    state = FrontierCrawl(Scope([START]), seed=seed)
    seen: set[str] = set()
    for _ in range(3000):
        target = state.next()
        if target is None:
            break
        content, links = fetch(target.url)
        assert content is not None
        state.page(
            target, EXACT if content in seen else UNIQUE, [urljoin(target.url, link) for link in links]
        )
        seen.add(content)
        if state.saturation.reached():
            yields = state.frontier.yields
            assert all(yields.bound(arm) <= WORTH for arm in yields.queued)
            assert yields.all.bound() <= WORTH
            return
    assert not state.frontier.yields.queued


@pytest.mark.parametrize("kind", ["printer", "catalogue", "replies", "late", "clean"])
def test_sites_have_as_many_unique_pages_as_they_say(kind: str) -> None:
    """Told by the texts of all their URLs."""
    site = CmsSite(kind, 5, 60)
    known, queue, met, kinds = SeenPages(), ["/"], {"/"}, []
    contents: dict[str, str] = {}
    for url in queue:
        view = site.view(url)
        assert view.content is not None
        verdict = known.see(pagekin.text(html_of(site, view)))
        kinds.append(verdict.kind)
        contents.setdefault(view.content, url)
        assert (verdict.kind == UNIQUE) == (contents[view.content] == url), url
        for link, _ in view.links:
            if link not in met:
                met.add(link)
                queue.append(link)
    assert contents.keys() == site.uniques()
    assert kinds.count(UNIQUE) == len(site.uniques())
    assert (len(queue) == len(site.uniques())) == (kind == "clean")
