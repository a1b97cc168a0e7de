"""Markup that is safe by construction: text is escaped unless it came from here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as escaped

ILLEGAL = {n: " " for n in (*range(32), 127, 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)) if chr(n) not in "\n\t"}
"""Characters that no XML may hold."""

VOID = frozenset({"br", "col", "hr", "img", "input", "meta"})


class Html(str):
    """Markup. Templates that escape by themselves know it by `__html__`."""

    __slots__ = ()

    def __html__(self) -> Html:
        return self


def text(value: object) -> Html:
    """Anything as markup: escaped, unless it is markup."""
    return value if isinstance(value, Html) else Html(_escape(str(value)))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Several pieces, one after another."""
    return Html(between.join(map(text, parts)))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element. Attributes with None or False are left out; `class_` and `aria_label` read as expected.

    Examples:
        >>> tag("td", "a < b", class_="n", title=None)
        '<td class="n">a &lt; b</td>'
        >>> tag("p", tag("b", 1), " of ", 2, hidden=True)
        '<p hidden><b>1</b> of 2</p>'
    """
    inside = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{inside}>")
    return Html(f"<{name}{inside}>{''.join(map(text, children))}</{name}>")


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_escape(_written(value))}"'


def _escape(value: str) -> str:
    return escaped(value.translate(ILLEGAL))


def _written(value: object) -> str:
    # Places in a drawing: a tenth of a unit is less than a pixel.
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
