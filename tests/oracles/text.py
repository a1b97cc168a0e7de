"""Text, title and links of a page, from its tags and text."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from .links import links
from .markup import EndTag, StartTag, Text, tokens

_BREAKS = """
address article aside blockquote body br caption center colgroup dd details dialog dir div dl dt fieldset
figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main
menu nav ol optgroup option p plaintext pre search section summary table tbody tfoot thead tr ul xmp
"""
_SPACES = "audio button canvas embed iframe img input math object select svg td textarea th video"
BREAKS = frozenset(_BREAKS.split())
SPACES = frozenset(_SPACES.split())
DROPPED = frozenset(["script", "style", "iframe", "noembed", "noframes", "noscript"])
KEEPS_LINES = frozenset(["pre", "listing", "xmp", "plaintext", "textarea"])
ASCII_WHITE_SPACE = "\t\n\f\r "

_GAP = regex.compile(r"[\p{White_Space}\p{Cc}]")


@dataclass(frozen=True)
class Page:
    text: str
    title: str | None
    # Of every `a` and `area`, in order, with references decoded and trimmed; not resolved.
    hrefs: list[str] = field(default_factory=list)
    # Of the first `base` that has one; not resolved.
    base: str | None = None
    # Absolute targets, each once.
    links: list[str] = field(default_factory=list)


class _Lines:
    """Text as it grows: of any gap between two characters only the strongest part is kept."""

    def __init__(self) -> None:
        self.text = ""
        self.gap = ""

    def add(self, char: str, *, keeps_lines: bool) -> None:
        if char in {"\n", "\r"} and keeps_lines:
            self.line_break()
        elif _GAP.fullmatch(char):
            self.space()
        else:
            self.text += self.gap + char if self.text else char
            self.gap = ""

    def space(self) -> None:
        self.gap = self.gap or " "

    def line_break(self) -> None:
        self.gap = "\n"


class _Reader:
    def __init__(self) -> None:
        self.lines = _Lines()
        self.title: _Lines | None = None
        self.hrefs: list[str] = []
        self.base: str | None = None
        # How many of each are open; an end tag without a beginning closes nothing.
        self.open = {"template": 0, "svg": 0, "pre": 0, "listing": 0}
        # The element whose content is not cut into tags, while inside one.
        self.raw = ""
        self.in_first_title = False

    def start(self, tag: StartTag) -> None:
        if tag.name in DROPPED or tag.name in {"title", "textarea", "xmp", "plaintext"}:
            self.raw = tag.name
        if tag.name == "template" or not self.open["template"]:
            self.count(tag.name, +1)
        if self.open["template"]:
            return
        self.mark(tag.name)
        href = tag.attributes.get("href")
        if href is not None and tag.name in {"a", "area"}:
            self.hrefs.append(href.strip(ASCII_WHITE_SPACE))
        if href is not None and tag.name == "base" and self.base is None:
            self.base = href.strip(ASCII_WHITE_SPACE)
        if tag.name == "title" and self.title is None and not self.open["svg"]:
            self.title = _Lines()
            self.in_first_title = True

    def end(self, tag: EndTag) -> None:
        if tag.name == self.raw:
            self.raw = ""
            self.in_first_title = False
        if self.open["template"]:
            if tag.name == "template":
                self.count(tag.name, -1)
            return
        self.count(tag.name, -1)
        self.mark(tag.name)

    def count(self, name: str, change: int) -> None:
        if name in self.open:
            self.open[name] = max(0, self.open[name] + change)

    def mark(self, name: str) -> None:
        if name in BREAKS:
            self.lines.line_break()
        elif name in SPACES:
            self.lines.space()

    def characters(self, data: str) -> None:
        if self.open["template"] or self.raw in DROPPED:
            return
        if self.raw == "title":
            if self.in_first_title and self.title is not None:
                for char in data:
                    self.title.add(char, keeps_lines=False)
            return
        keeps_lines = self.raw in KEEPS_LINES or self.open["pre"] > 0 or self.open["listing"] > 0
        for char in data:
            self.lines.add(char, keeps_lines=keeps_lines)


def page(html: str, url: str | None = None) -> Page:
    """Everything that is read from one page's HTML.

    >>> page("<title>T</title><p>un<b>break</b>able<p>x", "http://a.b/").text
    'unbreakable\\nx'
    """
    reader = _Reader()
    for token in tokens(html):
        if isinstance(token, StartTag):
            reader.start(token)
        elif isinstance(token, EndTag):
            reader.end(token)
        elif isinstance(token, Text):
            reader.characters(token.data)
    title = reader.title.text if reader.title is not None else ""
    return Page(
        text=reader.lines.text,
        title=title or None,
        hrefs=reader.hrefs,
        base=reader.base,
        links=links(reader.hrefs, reader.base, url),
    )
