"""Plain functions on one page."""

from __future__ import annotations

from pagekin import _core


def noise(html: str | bytes) -> str:
    """The HTML without its alphanumeric characters.

    Examples:
        >>> noise('<p class="x">Hello, world</p>')
        '< ="">, </>'
    """
    return _core.noise(_decoded(html))


def text(html: str | bytes) -> str:
    r"""The visible text.

    Examples:
        >>> text("<title>T</title><p>Fish &amp; chips<p>twice")
        'Fish & chips\ntwice'
    """
    return _core.extract(_decoded(html))[0]


def words(text: str) -> list[str]:
    """The words of a text, case-folded.

    Examples:
        >>> words("Fish & Chips, 漢字")
        ['fish', 'chips', '漢', '字']
    """
    return _core.words(text)


def _decoded(html: str | bytes) -> str:
    return html if isinstance(html, str) else _core.decode(html)[0]
