"""Spam: a link farm over many domains, and a farm that slices and dices a stock of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pagekin.synth.code import Coder
from pagekin.synth.markup import Markup
from pagekin.synth.names import identifier, label, server_address, stuffed_domain
from pagekin.synth.page import Page
from pagekin.synth.prose import Paragraph, sentence
from pagekin.synth.rand import between, pick
from pagekin.synth.web import Unit, Web

FARM_ADDRESSES = 4  # machines per link farm
SENTENCES_PER_PAGE = 5  # of the stock: the larger the farm, the larger the stock


def farm_domains(pages: int) -> int:
    """How many domains a farm of so many pages has: dozens if it can."""
    return max(1, min(90, pages, max(24, pages // 3)))


class _Template:
    """A farm's page: little but links, and the same on every domain."""

    def __init__(self, rng: Random, links: bool) -> None:
        m = Markup(rng)
        coder = Coder(rng)
        head = [
            m.inline("title", "%(title)s", plain=True),
            m.single("meta", ("name", "keywords"), ("content", "%(title)s")),
        ]
        head += m.wrap(coder.sheet(between(rng, 4, 8)), "style", ("type", "text/css"), plain=True)
        head += m.wrap(coder.script(between(rng, 3, 7)), "script", plain=True)
        top = m.wrap([m.inline("h1", "%(title)s"), m.inline("p", "%(words)s")], "header")
        body = [*top, *m.columns([m.wrap(["%(items)s"], "ul"), m.nest(["%(side)s"])])]
        body += m.wrap(
            [m.inline("a", "%(words)s", ("href", "/")), m.single("img", ("src", "/hit.gif"))], "footer"
        )
        body += m.wrap(coder.script(between(rng, 3, 5)), "script", plain=True)
        page = m.wrap(head, "head", plain=True) + m.wrap(m.nest(body), "body")
        self.page = m.text(m.wrap(page, "html", plain=True))
        self.item = m.text(
            m.wrap([m.inline("a", "%s", ("href", "%s")), m.inline("span", "%s")] if links else ["%s"], "li")
        )


def link_farm(web: Web, unit: Unit) -> Iterator[Page]:
    """Result pages for every search word, on word-stuffed domains, each full of links to the others."""
    name = f"farm{unit.number}"
    form = _Template(web.rng(unit, "template"), links=True)
    words = web.words(unit.language)
    own = web.rng(unit, "own")
    bait = [identifier(own, 3) for _ in range(60)]
    domains = [stuffed_domain(own, unit.site + n, web.seed, bait) for n in range(unit.sites)]

    def url(number: int) -> str:
        query = bait[number * 7919 % len(bait)]
        return f"http://www.{domains[number % len(domains)]}/result.php?Keywords={query}&p={number}"

    for number in range(unit.pages):
        rng = web.rng(unit, number)
        items = []
        others = rng.sample(range(unit.pages), min(unit.pages, between(rng, 14, 28)))
        said = words.draw(rng, 12 * len(others))
        for place, other in enumerate(others):
            if other != number:
                text = said[12 * place : 12 * place + 6 + place % 7]
                items.append(form.item % (url(other), " ".join(text[:3]), " ".join(text[3:])))
        stuffing = " ".join([pick(rng, bait) for _ in range(between(rng, 20, 60))])
        values = {
            "title": words.label(rng, 3),
            "words": words.label(rng, 2),
            "items": "".join(items),
            "side": stuffing,
        }
        domain = domains[number % len(domains)]
        truth = {"template": name, "farm": name}
        ip = server_address(100 + unit.number * FARM_ADDRESSES + number % len(domains) % FARM_ADDRESSES)
        yield Page(
            url(number), "farm", f"www.{domain}", domain, ip, form.page % values, unit.language, truth=truth
        )


def slice_and_dice(web: Web, unit: Unit) -> Iterator[Page]:
    """Hosts without end on one machine; every page a random handful of sentences from the same stock."""
    name = f"slice{unit.number}"
    form = _Template(web.rng(unit, "template"), links=False)
    words = web.words(unit.language)
    own = web.rng(unit, "own")
    stock: list[Paragraph] = [sentence(own, words) for _ in range(max(150, SENTENCES_PER_PAGE * unit.pages))]
    for number in range(unit.pages):
        rng = web.rng(unit, number)
        domain = f"{label(unit.site + number % unit.sites, web.seed)}.example"
        host = f"{identifier(rng)}{number}.{domain}"
        chosen = rng.sample(stock, between(rng, 15, 45))
        items = [form.item % " ".join(part) for part in chosen[: len(chosen) * 3 // 4]]
        values = {
            "title": words.label(rng, 3), "words": words.label(rng, 2), "items": "".join(items),
            "side": " ".join([" ".join(part) for part in chosen[len(items) :]]),
        }  # fmt: skip
        truth = {"template": name, "farm": name, "body_words": sum(map(len, chosen))}
        ip = server_address(50 + unit.number % 50)
        yield Page(
            f"http://{host}/", "slice_dice", host, domain, ip, form.page % values, unit.language, truth=truth
        )
