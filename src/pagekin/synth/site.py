"""A site: who it is (`SiteInfo`, cheap) and how it writes (`Site`, a family filled with its own words)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from pagekin.synth.languages import LANGUAGES
from pagekin.synth.names import SYLLABLES, address, day, domain, identifier
from pagekin.synth.prose import Document, Paragraph, document, document_words
from pagekin.synth.rand import between, mix, pick, rng_for
from pagekin.synth.skeleton import OPTIONAL_BLOCKS, TemplateFamily
from pagekin.synth.vocabulary import Vocabulary, vocabulary

_GAP = re.compile(r"\{\{([a-z]+)(\d*):?(\d*)\}\}")
_SEPARATORS = ("-", "|", "&raquo;", "&#8212;", "::")
_HOSTS = ("www.", "www.", "www.", "", "", "blog.", "news.")
_DECLARED = ("http", "meta", "both", "both", "none")
_TWO = tuple(f"{n:02d}" for n in range(32))
_OPTIONAL = tuple(f"optional{number}" for number in range(OPTIONAL_BLOCKS))


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """What other sites can know of a site: its name, its host, its language, where its documents are."""

    number: int
    host: str
    domain: str
    ip: str
    language: str
    charset: str
    declared: str
    family: int
    url_path: str
    sections: tuple[str, ...]

    def url(self, seed: int, document: int) -> str:
        """The URL of its document-th document."""
        # Straight from the bits of a hash: URLs are asked for more often than anything else.
        bits = mix(seed, "url", self.number, document)
        words = "-".join(
            [SYLLABLES[bits >> n & 63] + SYLLABLES[36 + (bits >> n + 6 & 63)] for n in (0, 12, 24)]
        )
        section = self.sections[(bits >> 36) % len(self.sections)]
        year, month = 2009 + (bits >> 44) % 15, 1 + (bits >> 52) % 12
        path = self.url_path.format(s=section, n=1000 + document, w=words, y=year, m=month)
        return f"http://{self.host}{path}"

    def document(self, seed: int, number: int, words: int | None = None) -> Document:
        """The text of its number-th document; the same whenever it is asked for."""
        return self.draft(seed, number, words)[1]

    def draft(self, seed: int, number: int, words: int | None = None) -> tuple[Random, Document]:
        """The same, with the generator that made it: a page goes on drawing from there."""
        rng = rng_for(seed, "document", self.number, number)
        doc = document(rng, vocabulary(self.language, seed), words or max(110, document_words(rng)))
        # Every document can give away a passage without touching its opening: see `quilts`.
        if max(map(len, doc.paragraphs[1:]), default=0) < 40:
            tokens = [token for paragraph in doc.paragraphs for token in paragraph]
            half = len(tokens) // 2
            doc.paragraphs = [tokens[:half], tokens[half:]]
        return rng, doc


def site_info(
    seed: int, number: int, family: TemplateFamily, number_of_family: int, *, language: str = "qaa-Latn",
    charset: str = "utf-8", declared: str | None = None, ip: str | None = None,
) -> SiteInfo:  # fmt: skip
    """The number-th site of the web."""
    bits = mix(seed, "site", number)
    name = domain(number, seed)
    if declared is None:
        declared = _DECLARED[bits % len(_DECLARED)]
    host = _HOSTS[(bits >> 8) % len(_HOSTS)] + name
    words = mix(seed, "sections", number)
    places = range(0, 40 + bits % 3 * 10, 10)
    sections = tuple(SYLLABLES[words >> n & 31] + SYLLABLES[50 + (words >> n + 5 & 31)] for n in places)
    return SiteInfo(
        number, host, name, ip or address(number), language, charset, declared, number_of_family,
        family.url_path, sections,
    )  # fmt: skip


class Site:
    """A family's skeleton with one site's words in it."""

    def __init__(self, seed: int, info: SiteInfo, family: TemplateFamily) -> None:
        self.seed = seed
        self.info = info
        self.family = family
        self.marks = {"template": family.id, "generator": family.generator}
        self.words: Vocabulary = vocabulary(info.language, seed)
        rng = rng_for(seed, "chrome", info.number)
        self.name = self.words.label(rng, between(rng, 1, 3))
        labels: dict[str, str] = {}
        fixed = {
            "lang": info.language,
            "dir": "rtl" if LANGUAGES[info.language].rtl else "ltr",
            "name": self.name,
            "sep": pick(rng, _SEPARATORS),
            "short": info.sections[0],
            "year": str(between(rng, 2008, 2024)),
            "nav": "".join(
                [family.nav_item % (s, self.words.label(rng, between(rng, 1, 2))) for s in info.sections]
            ),
        }

        def fill(gap: re.Match[str]) -> str:
            kind, number, size = gap.groups()
            if not number:
                return fixed[kind]
            found = labels.get(number)
            if found is None:
                found = labels[number] = self.words.label(rng, int(size))
            return found

        def own(text: str) -> str:
            return _GAP.sub(fill, text)

        self.heads = [own(head) for head in family.heads]
        self.frame = own(family.page)
        self.article_form = own(family.article)
        self.product_form = own(family.product)
        self.listing_form = family.listing
        self.optional = [own(block) for block in family.optional]
        self.widgets = [self._widget(rng) for _ in range(between(rng, 2, 3))]
        self.tags = [(identifier(rng), self.words.label(rng, 1)) for _ in range(12)]
        self.more = self.words.label(rng, 2)
        self.meta = self._meta_charset()

    def _meta_charset(self) -> str:
        m, charset = self.family.markup, self.info.charset
        if self.info.declared not in ("meta", "both"):
            return ""
        if m.era == "html5":
            return m.single("meta", ("charset", charset))
        return m.single("meta", ("http-equiv", "Content-Type"), ("content", f"text/html; charset={charset}"))

    def _widget(self, rng: Random) -> str:
        item = self.family.widget_item
        items = [item % (f"/{identifier(rng)}", self.words.label(rng, 2)) for _ in range(between(rng, 2, 4))]
        return self.family.widget % (self.words.label(rng, 2), "".join(items))

    def body(self, rng: Random, paragraphs: Sequence[Paragraph], plain: bool = False) -> str:
        """Paragraphs as HTML. Unless `plain`: here and there emphasis, a link, a subhead or a picture."""
        start, end = self.family.paragraph
        joiner = self.words.language.joiner
        out: list[str] = []
        bits = 0 if plain else rng.getrandbits(64)
        first, second = self.family.emphasis
        for paragraph in paragraphs:
            kind = bits & 15
            bits >>= 4
            if kind == 1 and out:
                out.append(self.family.subhead % self.words.label(rng, 3))
            elif kind == 2:
                out.append(self.family.figure % (identifier(rng, 3), self.words.label(rng, 4)))
            elif 3 <= kind <= 6:
                paragraph = list(paragraph)
                place = int(rng.random() * len(paragraph))
                word = paragraph[place]
                if kind == 3:
                    paragraph[place] = (
                        f'<a href="/{pick(rng, self.info.sections)}/{identifier(rng)}">{word}</a>'
                    )
                else:
                    tag = first if kind == 4 else second
                    paragraph[place] = f"<{tag}>{word}</{tag}>"
            out.append(start + joiner.join(paragraph) + end)
        return "".join(out)

    def article(
        self, rng: Random, url: str, title: str, body: str, related: Sequence[tuple[str, str]] = (),
        lean: bool = False, back: str = "",
    ) -> str:  # fmt: skip
        """A page with one article. `lean` leaves out comments and other text of its own."""
        family = self.family
        comments = 0 if lean or rng.random() < 0.75 else between(rng, 1, 4)
        year, month, date = day(rng)
        main = self.article_form % {
            "title": title,
            "author": f"{self.words.name(rng)} {self.words.name(rng)}",
            "date": f"{year}-{_TWO[month]}-{_TWO[date]}",
            "url": url,
            "body": body,
            "tags": "".join([family.tag_item % pick(rng, self.tags) for _ in range(between(rng, 0, 4))]),
            "related": "".join(
                [family.related_item % (*link, str(1 + rng.getrandbits(7))) for link in related]
            ),
            "comments": "".join([self._comment(rng) for _ in range(comments)]),
        }
        return self.page(rng, url, title, main, lean, back)

    def _comment(self, rng: Random) -> str:
        text = self.words.language.joiner.join(self.words.draw(rng, between(rng, 5, 45)))
        year, month, date = day(rng)
        when = f"{year}-{_TWO[month]}-{_TWO[date]}"
        return self.family.comment % (rng.getrandbits(20), self.words.name(rng), when, text)

    def listing(
        self, rng: Random, url: str, title: str, items: Sequence[tuple[str, str, str]], lean: bool = False,
        pager: int | None = None,
    ) -> str:  # fmt: skip
        """A page that lists others: (URL, title, excerpt as HTML)."""
        form, more = self.family.list_item, self.more
        rows = [form % (link, name, text, f'<a href="{link}">{more}</a>') for link, name, text in items]
        count = between(rng, 1, 5) if pager is None else pager
        numbers = "".join([f' <a href="{url}?page={n}">{n}</a>' for n in range(1, count + 1)])
        main = self.listing_form % {"title": title, "items": "".join(rows), "pager": numbers}
        return self.page(rng, url, title, main, lean)

    def product(self, rng: Random, url: str, doc: Document) -> str:
        """A page that sells something: a picture, a table of facts, a price, a little text."""
        words = self.words
        rows = [
            self.family.row % (words.label(rng, 1), words.label(rng, between(rng, 1, 3)))
            for _ in range(between(rng, 4, 14))
        ]
        main = self.product_form % {
            "title": doc.title,
            "figure": self.family.figure % (identifier(rng, 3), words.label(rng, 2)),
            "rows": "".join(rows),
            "price": f"{between(rng, 1, 900)}.{_TWO[between(rng, 0, 31)]}",
            "body": self.body(rng, doc.paragraphs),
        }
        return self.page(rng, url, doc.title, main)

    def printed(self, rng: Random, url: str, title: str, paragraphs: Sequence[Paragraph]) -> str:
        """The page's print view."""
        year, month, date = day(rng)
        return self.family.printed % {
            "charset": self.meta, "title": title, "url": url, "author": self.words.name(rng),
            "date": f"{year}-{_TWO[month]}-{_TWO[date]}", "body": self.body(rng, paragraphs, plain=True),
        }  # fmt: skip

    def page(self, rng: Random, url: str, title: str, main: str, lean: bool = False, back: str = "") -> str:
        """A whole page around its main part."""
        bits = rng.getrandbits(16)
        family = self.family
        values = {
            "charset": self.meta, "title": title, "about": f"{title}. {self.more}", "keywords": title,
            "url": url, "token": f"{rng.getrandbits(64):016x}", "number": rng.getrandbits(31),
            "numbers": ",".join(map(str, rng.randbytes(bits & 7))),
            "main": main, "back": back,
            "crumbs": "".join([family.crumb % tag for tag in self.tags[: bits >> 3 & 3]]),
            "side": "" if lean else "".join([w for n, w in enumerate(self.widgets) if bits >> (4 + n) & 3]),
        }  # fmt: skip
        for number, gap in enumerate(_OPTIONAL):
            values[gap] = self.optional[number] if bits >> (10 + number) & 1 else ""
        values["head"] = self.heads[bits >> 15] % values
        return self.frame % values
