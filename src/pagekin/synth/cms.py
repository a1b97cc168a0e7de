"""Sites run by content management systems that show the same thing under many URLs.

Session ids, print views, sort orders, calendars, pagination and tags: each page names the one URL
(`cms_unique`) whose content it repeats. Site types differ in which of these they suffer from; one type
repeats nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pagekin.synth.page import Page, page_of
from pagekin.synth.prose import opening
from pagekin.synth.rand import between
from pagekin.synth.site import Site
from pagekin.synth.web import Unit, Web


class CmsType(NamedTuple):
    """Which views a site has: of each document, and of its lists in turn; and the share of list pages."""

    name: str
    documents: tuple[str, ...]
    lists: tuple[str, ...]
    share: float


TYPES = (
    CmsType(
        "mixed",
        ("canonical", "session", "print"),
        (
            "list",
            "sort",
            "first_page",
            "calendar",
            "calendar",
            "tag",
            "tag_alias",
            "next_page",
            "next_page_again",
        ),
        0.45,
    ),
    CmsType("sessions", ("canonical", "session", "session", "session", "session"), ("list",), 0.05),
    CmsType("printer", ("canonical", "print", "print_large"), ("list", "tag"), 0.1),
    CmsType(
        "calendar", ("canonical",), ("list", "calendar", "calendar", "calendar", "calendar", "calendar"), 0.6
    ),
    CmsType(
        "catalogue",
        ("canonical", "session"),
        ("list", "sort", "sort", "sort", "first_page", "next_page"),
        0.5,
    ),
    CmsType("clean", ("canonical",), ("next_page",), 0.1),
)
PER_PAGE = 8
TAGS = 12


class _ListEntry(NamedTuple):
    url: str
    title: str
    text: str


def cms(web: Web, unit: Unit) -> Iterator[Page]:
    kind = TYPES[unit.number % len(TYPES)]
    info = web.info(unit)
    site = web.site(info)
    lists = int(unit.pages * kind.share)
    views = unit.pages - lists
    entries: list[_ListEntry] = []
    for step in range(views):
        number, view = divmod(step, len(kind.documents))
        page = _document_view(web, unit, site, number, kind.documents[view], step, entries)
        yield page
    if not entries:
        return
    for step in range(lists):
        yield _list_view(
            web, unit, site, kind.lists[step % len(kind.lists)], step // len(kind.lists), step, entries
        )


def _with(url: str, query: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{query}"


def _document_view(
    web: Web, unit: Unit, site: Site, number: int, view: str, step: int, entries: list[_ListEntry]
) -> Page:
    info = site.info
    doc, url = info.document(web.seed, number), info.url(web.seed, number)
    rng = web.rng(unit, "document", number)  # the same for every view of it
    body = site.body(rng, doc.paragraphs)
    truth = {**site.marks, "cms_unique": url, "cms_view": view.split("_")[0], "body_words": doc.words}
    sid = f"{web.rng(unit, 'sid', step).getrandbits(128):032x}"
    if view.startswith("print"):
        here = _with(url, "print=1" if view == "print" else "print=1&size=large")
        truth["template"] = f"{site.family.id}-print"
        truth["generator"] = None
        return page_of(info, here, "cms_view", site.printed(rng, url, doc.title, doc.paragraphs), **truth)
    html = site.article(
        rng,
        url,
        doc.title,
        body,
        [(entry.url, entry.title) for entry in entries[max(0, number - 4) : number]],
    )
    if view == "canonical":
        entries.append(_ListEntry(url, doc.title, " ".join(opening(doc, 14))))
        return page_of(info, url, "cms_view", html, **truth)
    html = html.replace('.html"', f'.html?sid={sid}"').replace(
        'action="/search"', f'action="/search?sid={sid}"'
    )
    return page_of(info, _with(url, f"sid={sid}"), "cms_view", html, **truth)


def _list_view(
    web: Web, unit: Unit, site: Site, view: str, turn: int, step: int, entries: list[_ListEntry]
) -> Page:
    info = site.info
    base = f"http://{info.host}/list"
    pages = max(1, (len(entries) + PER_PAGE - 1) // PER_PAGE)
    rng = web.rng(unit, "list", step)
    shown = entries[:PER_PAGE]
    title, unique, again = site.name, base, f"&ref={step}" if turn else ""
    if view == "calendar":
        return _calendar(web, unit, site, step)
    if view == "list":
        url = base + (f"?ref={step}" if turn else "")
    elif view == "sort":
        url = f"{base}?sort={('title', 'date', 'size')[step % 3]}&order={('asc', 'desc')[step % 2]}{again}"
        shown = rng.sample(shown, len(shown))
    elif view == "first_page":
        url = f"{base}?page=1{again}"
    elif view.startswith("next_page"):
        page = 1 + turn % max(1, pages - 1) if pages > 1 else 0
        shown = entries[page * PER_PAGE : (page + 1) * PER_PAGE]
        unique = f"{base}?page={page + 1}" if page else base
        url = f"{base}?page={page + 1}&v={step}"
        if page and view == "next_page" and turn < pages - 1:
            url = unique
    else:
        tag = turn % TAGS
        shown = entries[tag % len(entries) :: 3][:PER_PAGE]
        name = site.tags[tag][0]
        title, unique = site.tags[tag][1], f"http://{info.host}/tag/{name}"
        url = unique if view == "tag" and turn < TAGS else f"http://{info.host}/tag/{name}s?v={step}"
    # The page around the list is the same for every view of it.
    html = site.listing(web.rng(unit, "around", unique), url, title, list(shown), pager=pages)
    truth = {
        "cms_unique": unique,
        "cms_view": view.replace("first_", "").replace("next_", "").replace("_again", ""),
    }
    truth["cms_view"] = {"page": "pagination", "tag_alias": "tag"}.get(truth["cms_view"], truth["cms_view"])
    return page_of(info, url, "cms_view", html, **site.marks, **truth)


def _calendar(web: Web, unit: Unit, site: Site, step: int) -> Page:
    """A month without events. There is always another one."""
    unique = f"http://{site.info.host}/calendar"
    year, month = divmod(12 * 2015 + step, 12)
    rng = web.rng(unit, "around", unique)
    days = "".join([f"<td>{n}</td>" + ("</tr><tr>" if n % 7 == 0 else "") for n in range(1, 31)])
    note = site.words.label(rng, between(rng, 4, 8))
    main = f"<h2>{year}-{month + 1:02d}</h2><table class='cal'><tr>{days}</tr></table><p>{note}</p>"
    url = f"{unique}?month={year}-{month + 1:02d}"
    html = site.page(rng, url, site.name, main)
    return page_of(site.info, url, "cms_view", html, **site.marks, cms_unique=unique, cms_view="calendar")
