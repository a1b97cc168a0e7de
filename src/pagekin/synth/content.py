"""Ordinary sites: articles in many languages and charsets, shops, blogs, and pages whose markup is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from pagekin.synth.languages import WORLD
from pagekin.synth.page import Page, page_of
from pagekin.synth.prose import opening
from pagekin.synth.rand import between, pick, skewed
from pagekin.synth.site import Site, SiteInfo
from pagekin.synth.web import Unit, Web

DAMAGES = (
    "unclosed_tags", "stray_less_than", "truncated", "bad_nesting", "unclosed_comment", "unclosed_script",
    "unclosed_attribute", "nul_bytes",
)  # fmt: skip
INDEX_FROM = 4  # a site of so many pages has an index page
EXCERPT_WORDS = (35, 60)


def documents_of(unit: Unit) -> int:
    """How many documents an article site has."""
    return unit.pages - 1 if unit.pages >= INDEX_FROM else unit.pages


def article_site(web: Web, unit: Unit) -> Iterator[Page]:
    """Articles and an index of their titles."""
    yield from _articles(web, unit, web.info(unit))


def world_site(web: Web, unit: Unit) -> Iterator[Page]:
    """Articles in another script or charset; which one goes by turns, so that small webs have them all."""
    language, charset, declared = WORLD[unit.number % len(WORLD)]
    unit.language = language.code
    yield from _articles(web, unit, web.info(unit, charset=charset, declared=declared))


def _articles(web: Web, unit: Unit, info: SiteInfo) -> Iterator[Page]:
    site = web.site(info)
    recent: list[tuple[str, str]] = []
    for number in range(documents_of(unit)):
        url = info.url(web.seed, number)
        rng, doc = info.draft(web.seed, number)
        html = site.article(
            rng, url, doc.title, site.body(rng, doc.paragraphs), recent[-between(rng, 1, 3) :]
        )
        yield page_of(info, url, "article", html, **site.marks, body_words=doc.words)
        recent = [*recent[-20:], (url, doc.title)]
    if unit.pages >= INDEX_FROM:
        rng = web.rng(unit, "index")
        url = f"http://{info.host}/"
        html = site.listing(rng, url, site.name, [(link, name, "") for link, name in recent])
        yield page_of(info, url, "index", html, **site.marks)


def shop(web: Web, unit: Unit) -> Iterator[Page]:
    """Product pages: more table than text."""
    info = web.info(unit)
    site = web.site(info)
    for number in range(unit.pages):
        url = info.url(web.seed, number)
        rng, doc = info.draft(web.seed, number, 25 + number * 37 % 96)
        html = site.product(rng, url, doc)
        yield page_of(info, url, "product", html, **site.marks, body_words=doc.words)


def blog(web: Web, unit: Unit) -> Iterator[Page]:
    """Posts, and home pages that excerpt them: quilts, but of the blog's own cloth."""
    info = web.info(unit)
    site = web.site(info)
    per_home = 8
    homes = max(1, unit.pages // (per_home + 1)) if unit.pages > 1 else 0
    posts = unit.pages - homes
    recent: list[tuple[str, str, list[str], str]] = []
    home = 0
    for number in range(posts):
        url = info.url(web.seed, number)
        rng, doc = info.draft(web.seed, number)
        body = site.body(rng, doc.paragraphs)
        html = site.article(rng, url, doc.title, body, [(link, name) for link, name, _, _ in recent[-4:]])
        yield page_of(info, url, "blog_post", html, **site.marks, body_words=doc.words)
        excerpt = opening(doc, between(rng, *EXCERPT_WORDS))
        recent.append((url, doc.title, excerpt, site.body(rng, [[*excerpt, "&#8230;"]], plain=True)))
        if home < homes and (len(recent) == per_home or number == posts - 1):
            yield _blog_home(web, unit, site, home, recent)
            home += 1
            recent = []
    while home < homes:  # odd sizes leave a home page without posts of its own
        yield _blog_home(web, unit, site, home, [])
        home += 1


def _blog_home(
    web: Web, unit: Unit, site: Site, home: int, posts: list[tuple[str, str, list[str], str]]
) -> Page:
    rng = web.rng(unit, "home", home)
    url = f"http://{site.info.host}/" + (f"page/{home + 1}/" if home else "")
    html = site.listing(rng, url, site.name, [(link, name, text) for link, name, _, text in posts])
    total = sum(len(excerpt) for _, _, excerpt, _ in posts)
    sources = [
        {"url": link, "share": len(excerpt) / total, "attributed": True} for link, _, excerpt, _ in posts
    ]
    return page_of(site.info, url, "blog_home", html, **site.marks, quilt_sources=sources or None)


def broken_site(web: Web, unit: Unit) -> Iterator[Page]:
    """A site whose pages were cut, mistyped or badly pasted."""
    info = web.info(unit)
    site = web.site(info)
    for number in range(unit.pages):
        url = info.url(web.seed, number)
        rng, doc = info.draft(web.seed, number)
        html = site.article(rng, url, doc.title, site.body(rng, doc.paragraphs))
        kind = DAMAGES[(number + unit.number) % len(DAMAGES)]
        yield page_of(
            info, url, "broken", damaged(rng, html, kind), **site.marks, damage=kind, body_words=doc.words
        )


def damaged(rng: Random, html: str, kind: str) -> str:
    """The page with one kind of damage, somewhere in its last two thirds."""
    place = html.find(" ", between(rng, len(html) // 3, len(html) * 9 // 10))
    if kind == "truncated":
        return html[: between(rng, len(html) * 6 // 10, len(html) * 95 // 100)]
    if kind == "unclosed_tags":
        return re.sub(r"(?i)</(p|li|td|dd)>", "", html)
    if kind == "bad_nesting":
        return html.replace("</p>", "</b></p></i>").replace("<p", "<i><b><p").replace("</ul>", "</div>")
    junk = {
        "stray_less_than": pick(rng, (" < ", " a<b ", " <3 ", " << ", " <= 5 && x > 3 ")),
        "unclosed_comment": " <!-- ",
        "unclosed_script": ' <script type="text/javascript"> var x = "',
        "unclosed_attribute": ' <a href="/x title=y>',
        "nul_bytes": "\0\0",
    }[kind]
    return html[:place] + junk + html[place:]


def tiny(web: Web, unit: Unit) -> Iterator[Page]:
    """Pages of a few words."""
    forms = (
        "<html><body>{}</body></html>",
        "{}",
        "<html><head><title>{}</title></head><body><h1>{}</h1></body></html>",
        "<p>{}</p>",
        '<meta http-equiv="refresh" content="5; url=/home"><a href="/home">{}</a>',
        "<b>{} {}</b>",
    )
    info = web.info(unit, declared="http")
    words = web.words(unit.language)
    for number in range(unit.pages):
        rng = web.rng(unit, number)
        # A small stock of words, so that some of these pages say exactly the same on different hosts.
        said = words.labels[skewed(rng, 40)]
        html = pick(rng, forms).format(said, words.labels[skewed(rng, 40)])
        yield page_of(info, f"http://{info.host}/{number or ''}", "tiny", html, body_words=1)


def empty(web: Web, unit: Unit) -> Iterator[Page]:
    """Pages that say nothing: no bytes, white space, or markup around nothing."""
    forms = (
        "",
        "\n\n",
        "<html><head></head><body></body></html>",
        "<html><body><script>go();</script></body></html>",
    )
    info = web.info(unit, declared="http")
    for number in range(unit.pages):
        html = forms[(unit.number + number) % len(forms)]
        yield page_of(info, f"http://{info.host}/{number or ''}", "empty", html, body_words=0)
