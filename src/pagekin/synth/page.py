"""A made-up page on its way from a site to the WARC and the truth table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pagekin.synth.languages import CODECS
from pagekin.synth.site import SiteInfo


@dataclass(slots=True)
class Page:
    """One page: where it is, what it says, and what is true of it (columns of the truth table)."""

    url: str
    kind: str
    host: str
    domain: str
    ip: str
    html: str
    language: str = "qaa-Latn"
    charset: str = "utf-8"
    declared: str = "http"
    truth: dict[str, Any] = field(default_factory=dict)

    def payload(self) -> bytes:
        """The bytes as the server sends them. What a charset cannot write becomes a character reference."""
        if self.charset == "utf-8" and self.declared != "bom":
            return self.html.encode()
        mark = "\ufeff" if self.declared == "bom" else ""
        return (mark + self.html).encode(CODECS[self.charset], "xmlcharrefreplace")

    def content_type(self) -> str:
        return f"text/html; charset={self.charset}" if self.declared in ("http", "both") else "text/html"


def page_of(info: SiteInfo, url: str, kind: str, html: str, **truth: Any) -> Page:
    return Page(
        url, kind, info.host, info.domain, info.ip, html, info.language, info.charset, info.declared, truth
    )
