"""URLs written in one way only, so that two spellings of one URL are one."""

from __future__ import annotations

from pagekin import _core


def absolute(link: str, base: str | None = None) -> str | None:
    """A URL as the kernel writes those of links; None if it leads nowhere, or to `base` itself.

    The kernel that finds links in pages knows how to put a relative one on its page's URL, and that
    `http://bücher.example:80/a/../b` is `http://xn--bcher-kva.example/b`.
    """
    html = link.replace("&", "&amp;").replace('"', "&quot;")
    found = _core.extract(f'<a href="{html}">', base)[2]
    return found[0][0] if found else None
