"""How one template writes HTML: quotes, case, indents, class names, attributes, wrappers.

A block is a list of lines. `Markup` wraps blocks in elements the way one imaginary author would; another
seed is another author. What is left of a page when its letters are taken away is mostly decided here.
"""

from __future__ import annotations

from random import Random

from pagekin.synth.names import identifier
from pagekin.synth.rand import between, pick

Lines = list[str]
Attribute = tuple[str, str]

ERAS = ("table", "div", "div", "html5", "html5")
_PARTS = {
    "header": ("div", "header"),
    "nav": ("div", "nav"),
    "main": ("div", "main"),
    "aside": ("div", "aside"),
    "footer": ("div", "footer"),
    "section": ("div", "section"),
    "article": ("div", "article"),
    "figure": ("div", "figure"),
}
_COMMENTS = (
    "<!-- {} -->",
    "<!-- #{} -->",
    "<!-- /.{} -->",
    "<!--{}-->",
    "<!-- end: {} -->",
    "<!-- BEGIN {} /-->",
)


class Markup:
    """One author's habits, and the writing that follows from them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.era = pick(rng, ERAS)
        self.xhtml = self.era != "html5" and rng.random() < 0.5
        self.upper = self.era == "table" and rng.random() < 0.5
        self.quote = "" if self.upper and rng.random() < 0.4 else pick(rng, ('"', '"', '"', '"', '"', "'"))
        self.void = pick(rng, (" />", "/>")) if self.xhtml else pick(rng, (">", ">", " />"))
        self.indent = pick(rng, ("  ", "\t", "    ", "", " ", "   ", "\t\t"))
        self.eol = pick(rng, ("\n", "\n", "\n", "\r\n"))
        self.minified = rng.random() < 0.1
        self.joint = pick(rng, ("-", "_", "__", "--", ""))
        self.prefix = identifier(rng, 1) + self.joint if rng.random() < 0.5 else ""
        self.tight = rng.random()
        self.blank = pick(rng, (0.0, 0.05, 0.2))
        self.comment = pick(rng, (0.0, 0.0, 0.15, 0.5))
        self.comment_form = pick(rng, _COMMENTS)
        self.decor = rng.sample(_DECOR_OLD if self.era == "table" else _DECOR_NEW, 4)
        self.decor_rate = 0.25 + rng.random() * 0.5
        self.id_first = rng.random() < 0.5
        self.spaced_equals = rng.random() < 0.04

    def name(self) -> str:
        """A class or id in this author's convention."""
        rng = self.rng
        parts = [identifier(rng, between(rng, 1, 2)) for _ in range(pick(rng, (1, 1, 2, 2, 2, 3)))]
        if self.joint:
            return self.prefix + self.joint.join(parts)
        return self.prefix + parts[0] + "".join(part.capitalize() for part in parts[1:])

    def attributes(self, pairs: list[Attribute]) -> str:
        """Attributes as they stand in a tag, each with the space before it."""
        quote, equals = self.quote, " = " if self.spaced_equals else "="
        out = []
        for key, value in pairs:
            mark = quote or ('"' if not value.isalnum() else "")
            if mark == "'" and "'" in value:
                mark = '"'
            out.append(f" {key.upper() if self.upper else key}{equals}{mark}{value}{mark}")
        return "".join(out)

    def open(self, tag: str, *pairs: Attribute, plain: bool = False) -> str:
        """A start tag, with this author's usual decoration unless `plain`."""
        every = list(pairs)
        rng = self.rng
        if not plain and rng.random() < 0.65:
            every.append(("class", self.name() if rng.random() < 0.85 else f"{self.name()} {self.name()}"))
            if rng.random() < 0.25:
                every.insert(0 if self.id_first else len(every), ("id", self.name()))
            if rng.random() < self.decor_rate:
                every.append(self._decoration())
        return f"<{tag.upper() if self.upper else tag}{self.attributes(every)}>"

    def close(self, tag: str) -> str:
        return f"</{tag.upper() if self.upper else tag}>"

    def single(self, tag: str, *pairs: Attribute) -> str:
        """A tag without content, such as img."""
        return f"<{tag.upper() if self.upper else tag}{self.attributes(list(pairs))}{self.void}"

    def inline(self, tag: str, content: str, *pairs: Attribute, plain: bool = False) -> str:
        """An element on one line."""
        return self.open(tag, *pairs, plain=plain) + content + self.close(tag)

    def wrap(self, lines: Lines, tag: str, *pairs: Attribute, plain: bool = False) -> Lines:
        """An element around a block."""
        tag = self.part(tag)
        start, end = self.open(tag, *pairs, plain=plain), self.close(tag)
        rng = self.rng
        if len(lines) == 1 and rng.random() < self.tight:
            return [start + lines[0] + end]
        out = [start, *(self.indent + line if line else line for line in lines), end]
        if rng.random() < self.blank:
            out.append("")
        if rng.random() < self.comment:
            out[-1] += self.comment_form.format(self.name())
        return out

    def nest(self, lines: Lines, tag: str = "div") -> Lines:
        """Up to two wrappers that only their author could explain."""
        for _ in range(between(self.rng, 0, 2)):
            lines = self.wrap(lines, tag)
        return lines

    def part(self, tag: str) -> str:
        """The element that this author's era uses for a part of a page."""
        if tag not in _PARTS:
            return tag
        return _PARTS[tag][self.era == "html5"]

    def columns(self, cells: list[Lines]) -> Lines:
        """Blocks side by side: by a table, or by floating boxes."""
        if self.era == "table":
            row: Lines = []
            for cell in cells:
                row += self.wrap(cell, "td", ("valign", "top"), ("width", str(between(self.rng, 90, 600))))
            return self.wrap(self.wrap(row, "tr", plain=True), "table", ("border", "0"), ("cellpadding", "4"))
        out: Lines = []
        for cell in cells:
            out += self.wrap(cell, "div")
        return self.wrap(out, "div")

    def text(self, lines: Lines) -> str:
        """The block as it goes into the page."""
        if self.minified:
            return "".join([line.strip() for line in lines])
        return self.eol.join(lines) + self.eol

    def _decoration(self) -> Attribute:
        key, values = pick(self.rng, self.decor)
        return key.format(identifier(self.rng, 1)), pick(self.rng, values).format(
            between(self.rng, 2, 900), self.name()
        )


_DECOR_OLD: list[tuple[str, tuple[str, ...]]] = [
    ("align", ("left", "center", "right")),
    ("bgcolor", ("#ffffff", "#eeeecc", "#{0:06d}")),
    ("width", ("{0}",)),
    ("height", ("{0}",)),
    ("style", ("margin: {0}px;", "font-size:{0}pt; color: #333", "padding:{0}px {0}px 0 0")),
    ("onmouseover", ("{1}(this, '{0}');", "this.className='{1}'")),
    ("title", ("{1}",)),
]
_DECOR_NEW: list[tuple[str, tuple[str, ...]]] = [
    ("role", ("banner", "main", "menu", "group")),
    ("data-{0}", ("{0}", "{1}", "[{0},{0}]", "{1}/{0}")),
    ("style", ("margin: {0}px;", "width:{0}px;float:left", "background:url(/i/{1}.png) no-repeat 0 -{0}px;")),
    ("itemprop", ("name", "{1}")),
    ("itemtype", ("http://schema.example/{1}",)),
    ("aria-label", ("{1}",)),
    ("aria-hidden", ("true", "false")),
    ("data-{0}-id", ("{0}", "#{1}", "{1}:{0}")),
    ("onclick", ("{1}({0})", "return {1}(this, '{0}');", "{1}.track('{1}', {0});")),
    ("tabindex", ("0", "-1")),
]
