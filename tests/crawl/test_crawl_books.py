"""Patterns, bounds and the frontier, against slow versions of them."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import crawl as oracle

from pagekin.crawl.frontier import AGAIN, BREADTH_FIRST, EXPLORE, UNIQUE_FIRST, Frontier
from pagekin.crawl.patterns import Arm, SeenUrls
from pagekin.crawl.yields import WINDOWS, Outcomes, Yields, Z, upper_bound
from pagekin.urls import parse_url, url_pattern

# Few hosts, paths and values, so that URLs meet.
URLS = st.builds(
    lambda scheme, host, path, query: f"{scheme}://{host}/{path}" + (f"?{query}" if query else ""),
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.example", "www.a.example", "b.example"]),
    st.sampled_from(["", "x", "x/1", "list/shoes", "doc/blue-shoes-7.html"]),
    st.lists(
        st.builds("{}={}".format, st.sampled_from("abs"), st.sampled_from("123")),
        max_size=3,
        unique_by=lambda pair: pair[0],
    ).map("&".join),
)


@given(st.lists(URLS, max_size=25))
def test_again_is_what_the_slow_version_says(urls: list[str]) -> None:
    seen = SeenUrls()
    for place, url in enumerate(urls):
        met = seen.add(url)
        expected = oracle.again(url, urls[:place])
        if expected is None:
            assert met is None
        else:
            assert met is not None
            assert set(met.again) == expected


@given(st.text(max_size=60) | URLS)
def test_any_text_has_a_pattern(url: str) -> None:
    assert url_pattern(parse_url(url)) == url_pattern(parse_url(url))
    seen = SeenUrls()
    assert seen.add(url) is not None
    assert seen.add(url) is None


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("http://a/doc/blue-shoes-1", "http://a/doc/red-hats-22", True),
        ("http://a/2019/05/blue-shoes", "http://a/2020/11/red-hats", True),
        ("http://a/list?page=1", "http://a/list?page=2", True),
        ("http://a/list?sort=title", "http://a/list?sort=date", True),
        ("http://a/x?view=print", "http://a/x?view=full", False),
        ("http://a/news/7", "http://a/sport/7", False),
        ("http://a/x?a=1&b=2", "http://a/x?b=2&a=1", True),
        ("http://a/x", "http://a/x?sid=1", False),
        ("http://a/x;jsessionid=AB12", "http://a/x?jsessionid=CD34", True),
        ("http://a/x.html", "http://a/x.php", False),
    ],
)
def test_patterns(first: str, second: str, same: bool) -> None:
    assert (url_pattern(parse_url(first)) == url_pattern(parse_url(second))) == same


@given(st.floats(0, 1), st.integers(0, 500))
def test_upper_bound_is_the_wilson_score(rate: float, fetches: int) -> None:
    new = round(rate * fetches)
    assert upper_bound(new, fetches) == pytest.approx(oracle.wilson(new, fetches, Z), abs=1e-9)


@pytest.mark.parametrize("fetches", [8, 32, 64, 128])
def test_upper_bound_is_rarely_too_low(fetches: int) -> None:
    """Exactly: the chance that the bound of a sample lies below the true rate, whatever that is."""
    for rate in (0.02, 0.05, 0.1, 0.3, 0.7):
        missed = sum(
            comb(fetches, new) * rate**new * (1 - rate) ** (fetches - new)
            for new in range(fetches + 1)
            if upper_bound(new, fetches) < rate
        )
        assert missed < 0.06


@given(st.lists(st.booleans(), max_size=300))
def test_bound_of_outcomes(outcomes: list[bool]) -> None:
    kept = Outcomes()
    for outcome in outcomes:
        kept.add(outcome)
    assert kept.bound() == pytest.approx(oracle.bound(outcomes, WINDOWS, Z), abs=1e-9)
    assert (kept.fetches, kept.new) == (len(outcomes), sum(outcomes))


@given(st.lists(st.booleans(), max_size=200), st.lists(st.booleans(), max_size=100))
def test_relatives_speak_only_for_arms_that_were_met_before(kin: list[bool], own: list[bool]) -> None:
    yields = Yields()
    fresh, again = Arm("h", "h/new"), Arm("h", "h/again", "sid")
    for outcome in kin:
        yields.learn(Arm("h", "h/other", "sid"), outcome, outcome)
    for outcome in own:
        yields.learn(fresh, outcome, outcome)
    assert yields.bound(fresh) == oracle.bound(own, WINDOWS, Z) or yields.bound(fresh) == pytest.approx(
        oracle.bound(own, WINDOWS, Z), abs=1e-9
    )
    # Whatever relatives did, an arm of which nothing is known is worth some fetches.
    assert yields.bound(again) > 0.08


STEPS = st.lists(
    st.tuples(st.just("add"), URLS)
    | st.tuples(st.just("pop"), st.sampled_from(["", "a.example", "b.example"]))
    | st.tuples(st.just("learn"), st.booleans()),
    max_size=60,
)


@given(STEPS, st.integers(0, 3))
def test_frontier_gives_the_best_arm(steps: list[tuple[str, object]], seed: int) -> None:
    """Against a list that is searched from end to end."""
    frontier = Frontier(UNIQUE_FIRST, seed)
    waiting = []
    flying = []
    for what, value in steps:
        frontier._popped = 0  # none by lot
        if what == "add":
            target = frontier.add(str(value))
            waiting += [target] if target is not None else []
        elif what == "pop":
            popped = frontier.pop([str(value)])
            allowed = [target for target in waiting if target.arm.host != value]
            if not allowed:
                assert popped is None
                continue
            assert popped is not None
            weights = {t.arm: frontier.yields.bound(t.arm) * (AGAIN if t.arm.again else 1) for t in allowed}
            # Entries are renewed when they come up, so relatives' news may come a little late.
            assert weights[popped.arm] >= 0.7 * max(weights.values())
            assert popped == next(target for target in waiting if target.arm == popped.arm)
            waiting.remove(popped)
            flying.append(popped)
        elif flying:
            frontier.learn(flying.pop(0), bool(value), bool(value))
        assert len(frontier) == len(waiting)
        assert frontier.yields.in_flight.total() == len(flying)


@given(st.lists(URLS, max_size=30), st.sampled_from([UNIQUE_FIRST, BREADTH_FIRST]))
def test_every_url_is_given_once(urls: list[str], order: str) -> None:
    frontier = Frontier(order)
    added = [target for url in urls if (target := frontier.add(url)) is not None]
    popped = []
    while (target := frontier.pop()) is not None:
        popped.append(target)
    assert sorted(popped) == sorted(added)
    if order == BREADTH_FIRST and len({target.arm.host for target in added}) == 1:
        assert popped == added


def test_poor_patterns_sink_and_are_still_tried() -> None:
    frontier = Frontier()
    for n in range(200):
        frontier.add(f"http://a.example/rich/{n}")
        frontier.add(f"http://a.example/poor/{n}")
    order = []
    for _ in range(200):
        target = frontier.pop()
        assert target is not None
        rich = "rich" in target.url
        order.append(rich)
        frontier.learn(target, rich, rich)
    assert 2 <= order.count(False) <= 2 + 200 // EXPLORE


def test_frontier_has_a_limit() -> None:
    frontier = Frontier(limit=3)
    assert [frontier.add(f"http://a.example/{n}") is not None for n in range(5)] == [True] * 3 + [False] * 2
    assert frontier.refused == 2
