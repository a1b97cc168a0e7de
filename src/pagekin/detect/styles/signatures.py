"""The table of signatures (`signatures.toml`), and what it says of one page."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LOOKED_AT = 2_000
"""Characters at each end of a text in which it may give itself away; more named no other page of 1,500."""

PRODUCT = re.compile(r"(?i)^(?:powered|generated|created|built|produced)\s+(?:by|with)\s+|^generator:\s*")
VERSION = re.compile(r"\s*[,;(/\[]?\s*\bv?\d.*$|\s*[;,(\[].*$|\s*https?://.*$")


@dataclass(frozen=True)
class PageSignature:
    genre: str
    name: str | None = None
    software: tuple[str, ...] = ()
    generator: re.Pattern[str] | None = None
    title: re.Pattern[str] | None = None
    text: re.Pattern[str] | None = None
    hint: re.Pattern[str] | None = None
    """Fits the lower-case form of all that `text` fits, and is found three times as fast."""
    max_words: int | None = None
    over: tuple[str, ...] = ()
    beside: re.Pattern[str] | None = None

    def named(self, found: re.Match[str]) -> str:
        """What a page is called that this fits."""
        name = self.name
        if self.software and (said := found.groupdict().get("software")):
            name = next(known for known in self.software if known.lower() == said.lower())
        return f"{self.genre}: {name}" if name else self.genre


@cache
def table() -> tuple[PageSignature, ...]:
    """All signatures, in their order."""
    return tuple(_signature(entry) for entry in _file()["signature"])


@cache
def _file() -> dict[str, Any]:
    text = files("pagekin.detect.styles").joinpath("signatures.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _ignored() -> re.Pattern[str]:
    return re.compile(_file()["ignored"]["generator"], re.IGNORECASE)


def makers(generator: str | None) -> str | None:
    """What the page says made it, without what made a part of it.

    Examples:
        >>> makers("Generator: Adobe Illustrator 16.2.1; WordPress 6.1")
        'WordPress 6.1'
        >>> makers("Generator: Sketch 51.3") is None
        True
    """
    parts = (generator or "").split("; ")
    return "; ".join(part for part in parts if not _ignored().search(part)) or None


def _signature(entry: dict[str, object]) -> PageSignature:
    software = tuple(str(name) for name in entry.get("software", ()))  # type: ignore[attr-defined]
    names = f"(?P<software>{'|'.join(re.escape(name) for name in software)})"
    patterns: dict[str, re.Pattern[str]] = {
        key: re.compile(str(entry[key]).replace("{software}", names), re.IGNORECASE)
        for key in ("generator", "title", "text", "beside")
        if key in entry
    }
    if text := entry.get("text"):
        # Python looks for the first letters of a pattern only if case counts and nothing is before them.
        loose = re.sub(r"(^|[|(])\\b", r"\1", str(text))
        lower = "|".join(re.escape(name.lower()) for name in software)
        patterns["hint"] = re.compile(loose.replace("{software}", f"(?:{lower})"))
    rest = {key: entry[key] for key in ("genre", "name", "max_words") if key in entry}
    over = tuple(str(name) for name in entry.get("over", ()))  # type: ignore[attr-defined]
    return PageSignature(software=software, over=over, **rest, **patterns)  # type: ignore[arg-type]


def product(generator: str) -> str:
    """The software's name without its version.

    Examples:
        >>> product("Agora Board 2.0.21"), product("powered by WordPress.com"), product("Doxygen 1.9.4")
        ('Agora Board', 'WordPress.com', 'Doxygen')
    """
    name = VERSION.sub("", PRODUCT.sub("", generator.strip())).strip(" -:;,")
    return name or generator.strip()


def by_head(generator: str | None, title: str | None) -> str | None:
    """What one page gives itself away as by its title, or else by what it says made it.

    Examples:
        >>> by_head(None, "Index of /pub"), by_head("phpBB 3.1", "A board"), by_head("Mill 2", "Main page")
        ('directory listing', 'forum: phpBB', 'software: Mill')
        >>> by_head("DocBook XSL Stylesheets V1.79.1; GTK-Doc V1.33", "Main page")
        'software: gtk-doc'
    """
    generator = makers(generator)
    for part, said in (("title", title), ("generator", generator)):
        for signature in table() if said else ():
            pattern: re.Pattern[str] | None = getattr(signature, part)
            if pattern and not signature.beside and (found := pattern.search(said or "")):
                if part == "generator" and signature.genre == "forum" and not signature.software:
                    return f"forum: {product(said or '')}"
                return signature.named(found)
    return f"software: {product(generator)}" if generator else None


def name_by_text(text: str | None, head: str | None = None, title: str | None = None) -> str | None:
    """What a page's words give it away as; some, and its title, only beside what its cluster's heads say.

    Examples:
        >>> name_by_text("Topics and replies. Powered by phpBB"), name_by_text("A text about parks")
        ('forum: phpBB', None)
        >>> name_by_text("Install¶", "software: Docutils"), name_by_text("Install¶")
        ('software: Sphinx', None)
        >>> name_by_text("Install", "software: Docutils", "Install — Mill 1.0 documentation")
        'software: Sphinx'
    """
    if not text:
        return None
    words = len(text.split(maxsplit=1000))
    ends = text if len(text) <= 2 * LOOKED_AT else f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"
    lower = ends.lower()
    for signature in table():
        fits = signature.max_words is None or words <= signature.max_words
        if signature.beside:
            fits = fits and signature.beside.search(head or "") is not None
            if fits and signature.title and (found := signature.title.search(title or "")):
                return signature.named(found)
        hinted = fits and signature.hint and signature.hint.search(lower)
        if hinted and signature.text and (found := signature.text.search(ends)):
            return signature.named(found)
    return None
