"""The add-on's book of requests, against an engine that is played by hand."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.utils.request import request_from_dict

from pagekin.crawl.extension_downloads import ARM, InFlightRequests, take_arms
from pagekin.crawl.patterns import Arm
from pagekin.crawl.yields import Yields


class Engine:
    """What Scrapy does with requests, by hand; `counts` says whether its scheduler does."""

    def __init__(self, counts: bool, order: bool) -> None:
        self.counts = counts
        self.enqueued: int | None = None
        self.queue: list[Request] = []
        self.downloader = SimpleNamespace(active=set())
        self.scraper = SimpleNamespace(slot=SimpleNamespace(active=set()))
        self.yields = Yields()
        crawler: Any = SimpleNamespace(engine=self, stats=self)
        self.in_flight = InFlightRequests(crawler, self.yields, order=order)

    def get_value(self, name: str) -> int | None:
        return self.enqueued if name == "scheduler/enqueued" else None

    def schedule(self, request: Request, fate: str) -> None:
        self.in_flight.schedule(request)
        if fate == "queued":
            self.queue.append(request)
            self.enqueued = (self.enqueued or 0) + 1 if self.counts else None
        elif fate == "dropped":
            self.in_flight.drop(request)

    def fetch(self, number: int, on_disk: bool) -> None:
        request = self.queue.pop(number % len(self.queue))
        if on_disk:
            request = request_from_dict(pickle.loads(pickle.dumps(request.to_dict())))
        self.downloader.active.add(request)
        self.in_flight.start(request)
        self.in_flight.start(request)  # the signal says it once more

    def end(self, how: str) -> None:
        if not self.downloader.active:
            return
        request = self.downloader.active.pop()
        if how == "page":
            self.scraper.slot.active.add(request)
        elif how == "refused":
            self.in_flight.refused(request)
        elif how == "redirect":
            self.schedule(request.replace(url=request.url + "0"), "queued")
        elif how == "retry":
            self.schedule(request.replace(dont_filter=True), "queued")

    def agrees(self) -> bool:
        self.in_flight.update()
        flying = len(self.downloader.active | self.scraper.slot.active)
        return (self.yields.queued.total(), self.yields.in_flight.total()) == (len(self.queue), flying)


EVENTS = st.lists(
    st.one_of(
        st.tuples(
            st.just("new"), st.integers(1, 4), st.sampled_from(["GET", "POST"]),
            st.sampled_from(["queued", "queued", "dropped", "refused"]),
        ),
        st.tuples(st.just("copy"), st.integers(0, 9), st.sampled_from(["queued", "dropped"])),
        st.tuples(st.just("fetch"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("end"), st.sampled_from(["page", "refused", "redirect", "retry", "nothing"])),
        st.tuples(st.just("parsed")),
    ),
    max_size=40,
)  # fmt: skip


@given(EVENTS, st.booleans(), st.booleans())
def test_every_request_is_where_it_is_counted(
    events: list[tuple[Any, ...]], counts: bool, order: bool
) -> None:
    engine = Engine(counts, order)
    for name, *values in events:
        match name:
            case "new" if engine.enqueued or values[2] != "refused":
                number, method, fate = values
                engine.schedule(Request(f"http://shop.example/list?id={number}", method=method), fate)
            case "copy" if engine.queue:
                engine.schedule(engine.queue[values[0] % len(engine.queue)].copy(), values[1])
            case "fetch" if engine.queue:
                engine.fetch(*values)
            case "end":
                engine.end(*values)
            case "parsed" if engine.scraper.slot.active:
                request = engine.scraper.slot.active.pop()
                assert request.priority == 0
        assert engine.agrees()
        assert order or not any(request.priority for request in engine.queue)


def test_urls_met_before_but_for_a_part_are_put_back() -> None:
    engine = Engine(counts=True, order=True)
    url = "http://shop.example/list?sid="
    for number in range(60):
        engine.schedule(Request(f"{url}{number}"), "queued")
        if number:
            engine.yields.learn(Arm(*engine.queue[-1].meta[ARM]), False, False)
    back = [request.priority for request in engine.queue]
    assert back[0] == 0
    assert back[1] == -1
    assert back == sorted(back, reverse=True)
    assert back[-1] <= -9


def test_one_object_yielded_twice_waits_once() -> None:
    engine = Engine(counts=False, order=True)
    request = Request("http://shop.example/")
    engine.schedule(request, "queued")
    engine.schedule(request, "dropped")
    assert engine.agrees()
    engine.fetch(0, False)
    assert engine.agrees()


def test_requests_of_an_earlier_run_are_not_taken_for_our_own() -> None:
    before, now = (Engine(counts=True, order=True) for _ in range(2))
    for engine in (before, now):
        for number in range(3):
            engine.schedule(Request(f"http://shop.example/list?id={number}"), "queued")
    now.queue += before.queue
    assert now.yields.queued.total() == 3
    for _ in range(3):
        now.fetch(-1, True)
    now.in_flight.update()
    assert (now.yields.queued.total(), now.yields.in_flight.total()) == (3, 3)


def test_what_comes_before_the_first_that_is_queued() -> None:
    engine = Engine(counts=True, order=False)
    for number in range(5):
        engine.schedule(Request(f"http://elsewhere.example/{number}"), "refused")
    engine.schedule(Request("http://shop.example/"), "queued")
    assert engine.agrees()


def test_a_redirect_is_worth_what_it_leads_to() -> None:
    engine = Engine(counts=True, order=False)
    engine.schedule(Request("http://shop.example/old?id=1"), "queued")
    engine.fetch(0, False)
    (request,) = engine.downloader.active
    engine.schedule(request.replace(url="http://shop.example/new"), "queued")
    assert [arm.pattern for arm in take_arms(engine.queue[0].meta)] == [
        "shop.example/{w}",
        "shop.example/{w}?id",
    ]


def test_a_redirect_to_what_is_known_was_worth_nothing() -> None:
    for fate in ("dropped", "refused"):
        engine = Engine(counts=True, order=False)
        engine.schedule(Request("http://shop.example/old"), "queued")
        engine.fetch(0, False)
        request = engine.downloader.active.pop()
        engine.schedule(request.replace(url="http://shop.example/new"), fate)
        assert engine.agrees()
        ((arm, outcomes),) = engine.yields.arms.items()
        assert (arm.pattern, outcomes.fetches, outcomes.new) == (Arm(*request.meta[ARM]).pattern, 1, 0)


def test_requests_that_are_more_than_a_url_have_arms_of_their_own() -> None:
    engine = Engine(counts=True, order=True)
    url = "http://shop.example/list?id=1"
    for request in (
        Request(url),
        Request(url, method="POST", body="page=1"),
        Request(url, method="POST", body="page=2"),
        Request(url, body="page=1"),
        Request(url, dont_filter=True),
        Request(url, dont_filter=True),
    ):
        engine.schedule(request, "queued")
    pattern = "shop.example/{w}?id"
    assert [(arm.pattern, arm.again, waiting) for arm, waiting in engine.yields.queued.items()] == [
        (pattern, "", 1), (f"POST {pattern}", "", 2), (f"GET {pattern}", "", 1), (pattern, "(url)", 2)
    ]  # fmt: skip
    assert [request.priority for request in engine.queue] == [0, 0, 0, 0, -1, -1]
