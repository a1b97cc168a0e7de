"""Links: where the hrefs of a page lead, by the URL standard's own parser (ada)."""

from __future__ import annotations

from collections.abc import Iterable

from ada_url import URL

LONGEST = 4096  # bytes; a URL is ASCII once it is parsed


def resolve(reference: str, against: str | None) -> URL | None:
    """The absolute URL, or None when there is none."""
    try:
        return URL(reference, base=against) if against is not None else URL(reference)
    except ValueError:
        return None


def without_fragment(url: URL) -> str:
    url.hash = ""
    return url.href


def links(hrefs: Iterable[str], base: str | None, url: str | None) -> list[str]:
    """The http and https targets, each once, in order of first appearance, without the page itself."""
    parsed = resolve(url, None) if url is not None else None
    page = without_fragment(parsed) if parsed is not None else None

    against = page
    if base is not None:
        parsed = resolve(base, page)
        # The HTML standard takes no data: or javascript: base either.
        if parsed is not None and parsed.protocol not in {"data:", "javascript:"}:
            candidate = without_fragment(parsed)
            if len(candidate) <= LONGEST:
                against = candidate

    found: list[str] = []
    for href in hrefs:
        parsed = resolve(href, against)
        if parsed is None or parsed.protocol not in {"http:", "https:"}:
            continue
        target = without_fragment(parsed)
        if len(target) <= LONGEST and target != page and target not in found:
            found.append(target)
    return found
