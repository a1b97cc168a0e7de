"""What a crawl can be told."""

from __future__ import annotations

from dataclasses import dataclass

from pagekin import _core
from pagekin.crawl.frontier import ORDERS, UNIQUE_FIRST
from pagekin.crawl.saturation import MODES, STOP, WORTH
from pagekin.crawl.scope import HOST, SCOPES
from pagekin.errors import ParamsError

MIB = 1 << 20
AGENT = f"pagekin/{_core.__version__}"


@dataclass(frozen=True)
class CrawlParams:
    seeds: list[str]
    scope: str = HOST
    order: str = UNIQUE_FIRST
    saturation: str = STOP
    worth: float = WORTH
    threshold: int = 90
    max_pages: int | None = None
    max_page_bytes: int = 16 * MIB
    delay: float = 1.0
    timeout: float = 30.0
    user_agent: str = AGENT
    seed: int = 0
    allow_private: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (
            ("scope", self.scope, SCOPES), ("order", self.order, ORDERS),
            ("saturation", self.saturation, MODES),
        ):  # fmt: skip
            if value not in known:
                raise ParamsError(f"crawl.{name} must be one of {', '.join(known)}, not {value}")
        for name, number, minimum, maximum in (
            ("worth", self.worth, 0.001, 1), ("threshold", self.threshold, 1, 100),
            ("max_page_bytes", self.max_page_bytes, 1, 2**40), ("delay", self.delay, 0, 3600),
            ("timeout", self.timeout, 0.1, 3600), ("max_pages", self.max_pages or 1, 1, 2**40),
        ):  # fmt: skip
            if not minimum <= number <= maximum:
                raise ParamsError(f"crawl.{name} must be from {minimum} to {maximum}, not {number}")
        # A line break in it would be a header of its own, to servers and in the WARC files.
        agent = self.user_agent
        if not agent.isprintable() or not agent.strip():
            raise ParamsError(
                f"{agent!r} cannot be a user agent: give one line of text, without control characters"
            )
