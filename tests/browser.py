"""A real browser for tests: Debian's chromium, driven by Playwright; nothing is downloaded.

`watched` opens a page that tells what it tried: requests that would leave the machine, dialogs, errors.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request, sync_playwright

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")

CHROMIUM = shutil.which("chromium")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; see tools/system")


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    assert CHROMIUM is not None
    with sync_playwright() as play:
        # Tests may run as root in a container, where chromium's own sandbox cannot start.
        opened = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@dataclass
class Watched:
    """A page, and what it tried."""

    page: Page
    allowed: str
    requests: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    """of the requests, those that a policy stopped"""
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def failed(self, request: Request) -> None:
        """Remembers a request that a policy stopped."""
        if "csp" in (request.failure or "").lower():
            self.blocked.append(request.url)

    def refuse(self, dialog: Dialog) -> None:
        """Remembers a dialog, and closes it."""
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    @property
    def left(self) -> list[str]:
        """Requests for anything but the page itself and what it holds, even if a policy stopped them."""
        return [url for url in self.requests if not url.startswith((self.allowed, "data:", "blob:"))]

    @property
    def did_harm(self) -> bool:
        """Something left, spoke up or failed."""
        return bool(self.left or self.dialogs or self.errors)


@contextmanager
def watched(chromium: Browser, url: str, *, width: int = 1280, scheme: str = "light") -> Iterator[Watched]:
    """Opens a URL; it and what is below it may be asked for."""
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        accept_downloads=True,
    )
    seen = Watched(context.new_page(), url)
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    seen.page.on("requestfailed", seen.failed)
    seen.page.on("dialog", seen.refuse)
    seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
    seen.page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
    seen.page.goto(url)
    yield seen
    context.close()


CHECKS = Path(__file__).with_name("browser_checks.js").read_text(encoding="utf-8")


def wrong(page: Page, check: str) -> list[object]:
    """What a check in `browser_checks.js` finds: scrolls, overlaps, brokenWords, faint, unnamed."""
    found: list[object] = page.evaluate(f"{CHECKS.strip()}.{check}()")
    return found
