"""Drawings without two axes: bars with their names, a barcode of passages, a small bar for a table's cell."""

from __future__ import annotations

from collections.abc import Sequence

from pagekin.look.chart import LETTER, LINE, WIDTH, drawing
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import count, short


def bars(rows: Sequence[tuple[str, float, str]], alt: str, *, written: Sequence[str] | None = None) -> Html:
    """A bar for each (name, value, title), its name above it, the value behind it.

    Args:
        rows: In the order in which they are drawn.
        alt: What a blind reader would want to know.
        written: The values as text, if not as counts.
    """
    texts = list(written) if written is not None else [count(value) for _, value, _ in rows]
    longest = max((value for _, value, _ in rows), default=0) or 1
    room = WIDTH - 12 - LETTER * max(map(len, texts), default=0)
    step = LINE + 22
    parts = []
    for number, ((name, value, title), text) in enumerate(zip(rows, texts, strict=True)):
        y = number * step
        wide = max(value / longest * room, 1.5 if value else 0)
        parts.append(
            join(
                [
                    tag("text", short(name, int(WIDTH / LETTER)), class_="legend", x=0, y=y + 17),
                    tag(
                        "rect", tag("title", title or f"{name}: {text}"), class_="column c1",
                        x=0, y=y + LINE + 1, width=wide, height=13,
                    ),
                    tag("text", text, class_="tick", x=wide + 8, y=y + LINE + 12.5),
                ]
            )
        )  # fmt: skip
    return drawing(join(parts), WIDTH, max(step * len(rows), 1), alt)


def barcode(length: int, spans: Sequence[tuple[int, int, int, str]], alt: str) -> Html:
    """A strip that shows where each source sits: spans of (from, to, series, title) along `length` words.

    Series 0 is text that is nobody's: too common to say whose.
    """
    size = max(length, 1)
    parts = []
    for low, high, series, title in spans:
        x = 1000 * low / size
        wide = max(1000 * (high - low) / size, 1.0)
        kind = "c0" if series == 0 else f"c{(series - 1) % 8 + 1}"
        parts.append(tag("rect", tag("title", title), class_=kind, x=x, y=0, width=wide, height=20))
    return tag(
        "svg", *parts, class_="barcode", viewBox="0 0 1000 20", preserveAspectRatio="none", role="img",
        aria_label=alt,
    )  # fmt: skip


def gauge(share: float) -> Html:
    """A small bar beside a number in a table, as long as the share of its width."""
    filled = tag("rect", x=0, y=0, width=100.0 * min(max(share, 0.0), 1.0), height=10)
    return tag(
        "svg", filled, class_="gauge", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true"
    )
