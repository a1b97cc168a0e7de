"""Software that many sites run unchanged: forums, directory listings, parked domains, a server's own page.

Their templates are families like others, but across many domains. They say what they are the way real ones
do: by a generator meta, a footer, or a title such as "Index of /".
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pagekin.synth.engine_templates import BOARDS, DEFAULTS, ENTRY, LISTING, PARKED, Board
from pagekin.synth.names import day, identifier, server_address
from pagekin.synth.page import Page, page_of
from pagekin.synth.prose import document_words
from pagekin.synth.rand import between, pick, rng_for, skewed
from pagekin.synth.site import SiteInfo
from pagekin.synth.vocabulary import Vocabulary
from pagekin.synth.web import Unit, Web

PARKING_ADDRESSES = 3  # parked domains live on few machines


def forum(web: Web, unit: Unit) -> Iterator[Page]:
    """Topics, lists of topics, members and forms of one forum."""
    board = BOARDS[skewed(web.rng(unit, "board"), len(BOARDS))]
    info = web.info(unit, declared=board.declared)
    words = web.words(unit.language)
    own = web.rng(unit, "own")
    name, motto = words.label(own, 2), words.label(own, 4)
    rooms = [words.label(own, between(own, 1, 3)) for _ in range(between(own, 4, 9))]
    options = "".join([f'<option value="{n}">{room}</option>' for n, room in enumerate(rooms)])
    for number in range(unit.pages):
        rng = web.rng(unit, number)
        what = ("viewforum", "profile", "login")[number % 5] if number % 5 < 3 and number > 4 else "viewtopic"
        if number == 0:
            what = "viewforum"
        url = f"http://{info.host}" + board.url_path.format(what=what, n=100 + number)
        body, count = _forum_body(rng, board, what, info, words)
        values = {
            "name": name,
            "motto": motto,
            "options": options,
            "sid": f"{rng.getrandbits(128):032x}",
            "what": what,
            "number": rng.getrandbits(31),
            "left": pick(rng, rooms),
            "title": words.label(rng, between(rng, 2, 6)),
        }
        html = board.head % values + body + board.foot % values
        yield page_of(
            info, url, "forum", html, template=board.template, generator=board.generator, body_words=count
        )


def _forum_body(rng: Random, board: Board, what: str, info: SiteInfo, words: Vocabulary) -> tuple[str, int]:
    joiner = words.language.joiner
    out = []
    total = 0
    if what == "viewtopic":
        total = document_words(rng)
        said = words.draw(rng, total)
        start = 0
        while start < total:
            post = said[start : start + between(rng, 8, 90)]
            start += len(post)
            year, month, date = day(rng)
            out.append(
                board.post % (
                    rng.getrandbits(20), words.name(rng), f"{year}-{month}", rng.getrandbits(10),
                    f"{year}-{month}-{date}", words.label(rng, 2), joiner.join(post),
                )
            )  # fmt: skip
    elif what == "viewforum":
        for number in range(between(rng, 6, 30)):
            link = f"http://{info.host}" + board.url_path.format(what="viewtopic", n=100 + number)
            out.append(board.row % (link, words.label(rng, between(rng, 2, 7)), rng.getrandbits(9)))
    else:
        names = ("Name", "Password", "Location", "Interests", "Signature", "Mail")
        out += [board.field % (label, label.lower()) for label in names[: 2 if what == "login" else 6]]
    return "".join(out), total


_SERVERS = ("Apache/2.4.41 (Ubuntu)", "Apache/2.2.22 (Debian)", "Apache/2.4.6 (CentOS)", "Apache/1.3.42")
_TYPES = (
    ("folder", "DIR", "/"),
    ("text", "TXT", ".txt"),
    ("compressed", "   ", ".tar.gz"),
    ("image2", "IMG", ".png"),
)


def directory(web: Web, unit: Unit) -> Iterator[Page]:
    """Directory listings as a web server makes them when there is no index file."""
    info = web.info(unit, declared="http")
    own = web.rng(unit, "own")
    server = pick(own, _SERVERS)
    times = [
        "{}-{:02d}-{:02d} ".format(*day(own)) + f"{between(own, 10, 23)}:{between(own, 10, 59)}"
        for _ in range(40)
    ]
    sizes = [f"{between(own, 1, 9)}.{between(own, 0, 9)}{pick(own, 'KM')}" for _ in range(40)]
    for number in range(unit.pages):
        rng = web.rng(unit, number)
        parent = f"/{identifier(rng)}/"
        path = f"{parent}{number}-{identifier(rng)}"
        rows = []
        for _ in range(between(rng, 2, 45)):
            icon, alt, end = pick(rng, _TYPES)
            name = identifier(rng, 3) + end
            rows.append(
                ENTRY % (icon, alt, name, name, pick(rng, times), "  - " if end == "/" else pick(rng, sizes))
            )
        html = LISTING.format(path=path, parent=parent, rows="".join(rows), server=server, host=info.host)
        yield page_of(info, f"http://{info.host}{path}/", "directory", html, template="directory-listing")


def parked(web: Web, unit: Unit) -> Iterator[Page]:
    """A domain that nobody uses: the same page on every one of them, and few machines behind."""
    for number in range(unit.pages):
        info = web.info(
            unit, number, declared="both", ip=server_address((unit.site + number) % PARKING_ADDRESSES)
        )
        rng = rng_for(web.seed, "parked", info.number)
        terms = [web.words(unit.language).label(rng, 2) for _ in range(between(rng, 5, 14))]
        items = "".join([f'<li><a href="/?q={n}">{term}</a></li>\n' for n, term in enumerate(terms)])
        html = PARKED.format(
            host=info.host, domain=info.domain, token=f"{rng.getrandbits(64):016x}", items=items,
            terms=",".join([f'"{term}"' for term in terms]),
        )  # fmt: skip
        yield page_of(info, f"http://{info.host}/", "parked", html, template="parked", generator="ParkLot")


def server_default(web: Web, unit: Unit) -> Iterator[Page]:
    """What a web server shows before anybody has written anything."""
    for number in range(unit.pages):
        info = web.info(unit, number, declared="none")
        template, form = DEFAULTS[info.number % len(DEFAULTS)]
        html = form.format(host=info.host, version=info.number % 40)
        yield page_of(info, f"http://{info.host}/", "server_default", html, template=template)
