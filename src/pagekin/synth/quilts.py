"""Pages made of other sites' passages: quilts, aggregators that attribute, and pages that quote.

Which documents give what is settled before any page is made (`Origins`), so that each passage is used once:
it occurs in its source and in one page that took it, and nowhere else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Any

from pagekin.synth.content import EXCERPT_WORDS, documents_of
from pagekin.synth.page import Page, page_of
from pagekin.synth.prose import Document, Paragraph, opening, passage, prose, title
from pagekin.synth.rand import between, pick, rng_for
from pagekin.synth.site import SiteInfo
from pagekin.synth.web import Origin, Unit, Web

QUILT_SOURCES = (4, 10)
QUOTE_SOURCES = (1, 3)
AGGREGATOR_SOURCES = (6, 10)
MIN_QUILT_SITES = 4


class Origins:
    """Deals out documents of the article sites, one language at a time, never two of one site in a hand."""

    def __init__(self, web: Web) -> None:
        self.pools: dict[str, list[int]] = {}
        for place, unit in enumerate(web.articles):
            self.pools.setdefault(unit.language, []).append(place)
        self._queues: dict[tuple[str, str], deque[Origin]] = {}
        for language, places in self.pools.items():
            rng_for(web.seed, "donors", language).shuffle(places)
            counts = [(place, documents_of(web.articles[place])) for place in places]
            # The first document of every site, then the second: neighbours are of different sites.
            rounds = range(max(count for _, count in counts))
            queue = [Origin(place, number) for number in rounds for place, count in counts if number < count]
            self._queues["passage", language] = deque(queue)
            self._queues["opening", language] = deque(queue)

    def languages(self) -> list[str]:
        """Languages with enough sites for any hand, each as often as it has sites."""
        return [code for code, places in self.pools.items() if len(places) >= 12 for _ in places] or [
            "qaa-Latn"
        ]

    def hand(self, what: str, language: str, size: int) -> list[Origin]:
        """The next `size` documents for a use (`passage` or `opening`), or fewer when they run out."""
        queue = self._queues.get((what, language), deque())
        hand: dict[int, Origin] = {}
        aside: list[Origin] = []
        while queue and len(hand) < size and len(aside) < 100:
            origin = queue.popleft()
            if origin.site in hand:
                aside.append(origin)
            else:
                hand[origin.site] = origin
        queue.extendleft(reversed(aside))
        return list(hand.values())


def deal(web: Web, origins: Origins, unit: Unit) -> None:
    """Give a unit's pages their sources."""
    rng = web.rng(unit, "deal")
    what, (low, high) = {
        "quilt": ("passage", QUILT_SOURCES),
        "quoting": ("passage", QUOTE_SOURCES),
        "aggregator": ("opening", AGGREGATOR_SOURCES),
    }[unit.kind]
    unit.language = pick(rng, origins.languages())
    unit.origins = [origins.hand(what, unit.language, between(rng, low, high)) for _ in range(unit.pages)]


def _source(web: Web, origin: Origin) -> tuple[SiteInfo, Document, str]:
    info = web.info(web.articles[origin.site])
    return info, info.document(web.seed, origin.document), info.url(web.seed, origin.document)


def _taken(web: Web, rng: Random, origins: list[Origin], min_words: int) -> list[tuple[Paragraph, str]]:
    """A passage and its URL for each origin; never of the opening paragraph, which aggregators take."""
    found = []
    for origin in origins:
        _, doc, url = _source(web, origin)
        rest = Document(doc.title, doc.paragraphs[1:])
        found.append((passage(rng, rest, 0, min_words, 80), url))
    return found


def _sources(taken: list[tuple[Paragraph, str]], attributed: list[bool]) -> list[dict[str, Any]]:
    total = sum(len(words) for words, _ in taken)
    return [
        {"url": url, "share": len(words) / total, "attributed": said}
        for (words, url), said in zip(taken, attributed, strict=True)
    ]


def quilts(web: Web, unit: Unit) -> Iterator[Page]:
    """Pages stitched from passages of four to ten foreign pages; half of them name all or some sources."""
    info = web.info(unit)
    site = web.site(info)
    for number, origins in enumerate(unit.origins):
        rng = web.rng(unit, number)
        url = info.url(web.seed, number)
        if len(origins) < MIN_QUILT_SITES:  # a web too small to quilt from
            doc = info.document(web.seed, number)
            html = site.article(rng, url, doc.title, site.body(rng, doc.paragraphs))
            yield page_of(info, url, "article", html, **site.marks, body_words=doc.words)
            continue
        taken = _taken(web, rng, origins, 20 if len(origins) > 6 else 45)
        habit = rng.random()  # how much this quilt says of where its words are from
        chance = 0.0 if habit < 0.5 else 1.0 if habit < 0.75 else 0.5
        attributed = [rng.random() < chance for _ in taken]
        glue = len(origins) > 5 and rng.random() < 0.5
        planted = body_words = 0
        parts = []
        for (words, source), said in zip(taken, attributed, strict=True):
            planted += len(words)
            body_words += len(words)
            link = f' <a href="{source}">{site.more}</a>' if said else ""
            parts.append([*words, link] if link else words)
            if glue and rng.random() < 0.4:
                own = prose(rng, site.words, between(rng, 6, 18))
                parts += own
                body_words += sum(map(len, own))
        name = site.words.label(rng, between(rng, 3, 4))
        html = site.article(rng, url, name, site.body(rng, parts, plain=True), lean=True)
        yield page_of(
            info, url, "quilt", html, **site.marks, quilt_sources=_sources(taken, attributed),
            quilt_fraction=planted / body_words, body_words=body_words,
        )  # fmt: skip


def quoting(web: Web, unit: Unit) -> Iterator[Page]:
    """Articles that quote one to three others and say so: too few sources, too little taken for a quilt."""
    info = web.info(unit)
    site = web.site(info)
    for number, origins in enumerate(unit.origins):
        rng = web.rng(unit, number)
        doc, url = info.document(web.seed, number, between(rng, 350, 700)), info.url(web.seed, number)
        taken = _taken(web, rng, origins, 20)
        body = [site.body(rng, [paragraph]) for paragraph in doc.paragraphs]
        planted = 0
        for words, source in taken:
            planted += len(words)
            quote = site.body(rng, [words], plain=True)
            body.insert(between(rng, 1, len(body)), f'<blockquote cite="{source}">{quote}</blockquote>\n')
            body.append(f'<p><a href="{source}">{site.more}</a></p>\n')
        html = site.article(rng, url, doc.title, "".join(body))
        total = doc.words + planted
        yield page_of(
            info, url, "quoting", html, **site.marks, body_words=total,
            quilt_sources=_sources(taken, [True] * len(taken)) or None, quilt_fraction=planted / total,
        )  # fmt: skip


def aggregator(web: Web, unit: Unit) -> Iterator[Page]:
    """News pages that collate the openings of others' articles, each under a link to it."""
    info = web.info(unit)
    site = web.site(info)
    for number, origins in enumerate(unit.origins):
        rng = web.rng(unit, number)
        url = f"http://{info.host}/{number or ''}"
        taken: list[tuple[Paragraph, str]] = []
        items = []
        for origin in origins:
            _, doc, source = _source(web, origin)
            words = opening(doc, between(rng, *EXCERPT_WORDS))
            taken.append((words, source))
            # A headline of its own: the article's would be shared by every page that links to the article.
            items.append((source, title(rng, site.words), site.body(rng, [words], plain=True)))
        html = site.listing(rng, url, site.name, items, lean=True, pager=0)
        planted = sum(len(words) for words, _ in taken)
        yield page_of(
            info,
            url,
            "aggregator",
            html,
            **site.marks,
            quilt_sources=_sources(taken, [True] * len(taken)) or None,
            quilt_fraction=1.0 if planted else None,
            body_words=planted,
        )
