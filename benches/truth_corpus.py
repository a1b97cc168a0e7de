"""The pages of the truth bench: real documentation, and pages planted among it whose truth is known.

Every package plays one site. Labels are what the pages declare of themselves (`corpus_labels`), nothing else.
Planted pages are made of the real pages' words: edited copies with a known similarity, quilts with known
sources, pages that borrowed before others copied the same, and negatives: pages of unlike markup that carry
the same inline script library or icons, and pages with a few foreign phrases among the boilerplate of their
own site.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import random
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus import DATE, record, url_of
from corpus_apt import evenly, fill_pool
from corpus_labels import generator
from harness import cache_folder

from pagekin import _core
from pagekin.synth.code import Coder

PAGES_EACH = 8
MAX_BYTES = 1_000_000
MIN_BYTES = 64
PHRASE = 5
"""Words in a phrase: what duplicates and quilts count."""

EDITORS = {"netscape", "html-editor", "frontpage", "libreoffice", "source-highlight", "pandoc"}
"""These write what their user lays out: their pages have no template in common."""


@dataclass(frozen=True)
class Page:
    """A page with what is known of it."""

    url: str
    body: bytes
    site: str
    generator: str | None = None
    """The family that the page declares; None for none, or for an editor."""
    declared: str | None = None
    """The same with editors: what a name should say."""
    kind: str = "real"
    sources: tuple[str, ...] = ()
    """URLs that it was planted from."""
    similarity: float | None = None
    """Exact Jaccard coefficient of the plain phrases with its one source."""
    covered: float | None = None
    """Share of its phrases that are the sources'."""
    date: str = DATE


@dataclass
class Corpus:
    """The pages of some packages, and what was made of them."""

    packages: Sequence[str]
    pages: list[Page]
    libraries: list[Page]
    """Pages that share nothing but an inline script library or icons: scanned by themselves."""
    borrowings: list[Page]
    """Pages with sources that later pages copied too, those later pages, and negatives: scanned with the real
    ones."""

    def of_kind(self, kind: str) -> list[Page]:
        return [page for page in self.pages if page.kind == kind]


def write(pages: Sequence[Page], path: Path) -> Path:
    """The pages as a WARC, in an order as random as a crawl's."""
    mixed = sorted(pages, key=lambda page: hashlib.sha256(page.url.encode()).digest())
    with gzip.open(path, "wb", compresslevel=1) as out:
        for page in mixed:
            out.write(record(page.url, page.body, page.date))
    return path


def corpus(packages: Sequence[str], seed: str) -> Corpus:
    """The real pages of the packages, and what is planted among them."""
    pool = cache_folder() / "pool"
    fill_pool(packages, pool)
    real = list(_real(packages, pool))
    planter = Planter(real, random.Random(seed))
    planted = [*planter.edits(), *planter.quilts()]
    libraries = list(planter.libraries())
    borrowings = [*planter.borrowers(), *planter.framed()]
    return Corpus(packages, [*real, *planted], libraries, borrowings)


def _real(packages: Sequence[str], pool: Path) -> Iterator[Page]:
    for package in packages:
        if not (pool / f"{package}.zip").exists():
            continue
        with zipfile.ZipFile(pool / f"{package}.zip") as archive:
            sizes = {info.filename: info.file_size for info in archive.infolist()}
            fit = sorted(name for name, size in sizes.items() if MIN_BYTES <= size < MAX_BYTES)
            for name in evenly(fit, PAGES_EACH):
                body = archive.read(name)
                made_by = generator(body)
                known = made_by if made_by not in EDITORS else None
                yield Page(url_of(package, name), body, package, known, made_by)


def phrases(words: Sequence[str]) -> set[tuple[str, ...]]:
    """The plain phrases of a text: those that begin and end in it; a shorter text is one phrase."""
    return {tuple(words[at : at + PHRASE]) for at in range(max(1, len(words) - PHRASE + 1))}


def jaccard(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> float:
    """Of all phrases of either, the share that both have."""
    return len(a & b) / len(a | b) if a or b else 0.0


class Planter:
    """Makes pages of other pages' words."""

    SIMILARITIES = (0.80, 0.82, 0.85, 0.88, 0.90, 0.93, 0.95, 0.98)
    EDITS, QUILTS = 240, 60
    SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    BORROWERS, PARENTS = 18, 8
    BORROWED, LATER = "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"
    FRAMED = 30

    def __init__(self, real: Sequence[Page], rng: random.Random) -> None:
        self.rng = rng
        self.real = real
        self.words: dict[str, list[str]] = {}
        for page in real:
            text = _core.extract(_core.decode(page.body)[0])[0]
            self.words[page.url] = _core.words(text)
        self.holders: dict[int, int] = defaultdict(int)
        for words in self.words.values():
            for phrase in phrases(words):
                self.holders[hash(phrase)] += 1
        self.used: set[str] = set()
        """Pages that something was planted from: a quilt's sources are nobody else's."""
        donors = [page for page in real if len(self.words[page.url]) >= 150]
        self.donors = rng.sample(donors, len(donors))

    def _word(self) -> str:
        """A word that is on no page."""
        return "q" + "".join(self.rng.choice("bdfgklmnprstvz") + self.rng.choice("aeiou") for _ in range(5))

    def _long(self, least: int, most: int) -> list[Page]:
        """Real pages of so many words, one a site at most, in random order."""
        pages = [page for page in self.real if least <= len(self.words[page.url]) <= most]
        self.rng.shuffle(pages)
        return list({page.site: page for page in pages}.values())

    def edits(self) -> Iterator[Page]:
        """Copies with words replaced until they have just the wanted similarity, or a little more."""
        bases = self._long(60, 4000)[: self.EDITS]
        self.used.update(page.url for page in bases)
        for number in range(self.EDITS):
            base, wanted = bases[number % len(bases)], self.SIMILARITIES[number % len(self.SIMILARITIES)]
            words, own = list(self.words[base.url]), phrases(self.words[base.url])
            places = list(range(len(words)))
            self.rng.shuffle(places)
            reached = 1.0
            for place in places:
                before, words[place] = words[place], self._word()
                now = jaccard(own, phrases(words))
                if now < wanted:
                    words[place] = before
                    break
                reached = now
            if reached == 1.0:
                continue
            yield Page(
                f"http://edit{number}.example/{number}.html",
                _simple(number, [" ".join(words)]),
                f"edit{number}",
                kind="edit",
                sources=(base.url,),
                similarity=reached,
            )

    def quilts(self) -> Iterator[Page]:
        """Pages of paragraphs from four to eight other sites, and words of their own."""
        for number in range(self.QUILTS):
            wanted = self.SHARES[number % len(self.SHARES)]
            sources, paragraphs = self._passages(4 + number % 5)
            taken = sum(len(passage) for passage in paragraphs)
            fill = round(taken * (1 / wanted - 1)) + 1
            for _ in range(fill):
                paragraphs[self.rng.randrange(len(paragraphs))].append(self._word())
            text = [word for passage in paragraphs for word in passage]
            theirs = set().union(*(phrases(self.words[page.url]) for page in sources))
            own = phrases(text)
            yield Page(
                f"http://quilt{number}.example/{number}.html",
                _simple(1000 + number, [" ".join(passage) for passage in paragraphs]),
                f"quilt{number}",
                kind="quilt",
                sources=tuple(page.url for page in sources),
                covered=len(own & theirs) / len(own),
            )

    def _passages(self, count: int) -> tuple[list[Page], list[list[str]]]:
        """Pages of so many sites that nothing was planted from, and a passage of each."""
        sources: list[Page] = []
        passages: list[list[str]] = []
        while len(sources) < count:
            page = self.donors.pop()
            if page.url in self.used or page.site in {source.site for source in sources}:
                continue
            if passage := self._own_passage(self.words[page.url], self.rng.randint(40, 90)):
                sources.append(page)
                passages.append(passage)
        return sources, passages

    def borrowers(self) -> Iterator[Page]:
        """Pages that borrowed from eight sites, and later ones that copied two of the eight passages each.

        A later page shares more with the borrower than a parent does, so that it comes first by shared text.
        """
        for number in range(self.BORROWERS):
            sources, passages = self._passages(self.PARENTS)
            own = [self._word() for _ in range(40)]
            yield Page(
                f"http://borrower{number}.example/",
                _simple(2000 + number, [" ".join(words) for words in (*passages, own)]),
                f"borrower{number}",
                kind="borrower",
                sources=tuple(page.url for page in sources),
                date=self.BORROWED,
            )
            for place in range(0, self.PARENTS, 2):
                site = f"later{number}-{place}"
                own = [self._word() for _ in range(60)]
                text = " ".join((*passages[place], *passages[place + 1], *own))
                body = _simple(3000 + 10 * number + place, [text])
                yield Page(f"http://{site}.example/", body, site, kind="later", date=self.LATER)

    def framed(self) -> Iterator[Page]:
        """Negatives: most of the text is the frame of its site; six words each are of four strangers."""
        for number in range(self.FRAMED):
            frame = " ".join(self._word() for _ in range(100))
            foreign = " ".join(word for passage in self._passages(4)[1] for word in passage[:6])
            for page in range(4):
                own = " ".join(self._word() for _ in range(40))
                body = _simple(5000 + number, [frame, own, *([foreign] if page == 0 else [])])
                site = f"framed{number}"
                yield Page(f"http://{site}.example/{page}", body, site, kind="framed")

    def _own_passage(self, words: list[str], length: int) -> list[str] | None:
        """A run of words that no other page has any phrase of, so that its source is beyond doubt."""
        for _ in range(20):
            begin = self.rng.randrange(max(1, len(words) - length))
            passage = words[begin : begin + length]
            if len(passage) == length and all(self.holders[hash(p)] == 1 for p in phrases(passage)):
                return passage
        return None

    def libraries(self) -> Iterator[Page]:
        """Pages of unlike make, all with the same inline script or the same icons: few of them, or many."""
        families: dict[str, Page] = {}
        for page in self.rng.sample(list(self.real), len(self.real)):
            if page.generator and len(page.body) < 60_000:
                families.setdefault(page.generator, page)
        for size in (100, 400, 2000):
            script = "\n".join(Coder(random.Random(size)).script(size)).encode()
            for kind, piece in (("library", b"<script>" + script + b"</script>"), ("icons", _icons(size))):
                for family, page in sorted(families.items()):
                    at = page.body.lower().find(b"</head>")
                    if at < 0:
                        continue
                    body = page.body[:at] + piece + page.body[at:]
                    site = f"{kind}{size}-{family}"
                    yield Page(f"http://{site}.example/", body, site, family, kind=kind)


def _icons(count: int) -> bytes:
    """A drawing of so many symbols that pages refer to."""
    rng = random.Random(count)

    def number() -> str:
        before, whole = rng.choice(("-", " ", ",", " -", "")), rng.choice(("", rng.randrange(99)))
        return f"{before}{whole}.{rng.randrange(99)}"

    def path() -> str:
        return "".join(rng.choice("mlhvcsqtz") + number() + number() for _ in range(12))

    symbols = (
        f'<symbol id="i{n}" viewBox="0 0 16 16"><path d="{path()}"></path></symbol>' for n in range(count)
    )
    return f"<svg>{''.join(symbols)}</svg>".encode()


def _simple(number: int, paragraphs: Sequence[str]) -> bytes:
    """A page whose markup is its own: the elements depend on the number."""
    rng = random.Random(number)
    wrap = [rng.choice(("div", "section", "article", "main", "td", "center")) for _ in range(12)]
    marks = "".join(f"<{name} data-{rng.randrange(10**6)}='x'>" for name in wrap)
    text = "</p><p>".join(html.escape(paragraph, quote=False) for paragraph in paragraphs)
    return f"<title>{number}</title>{marks}<p>{text}</p>".encode()
