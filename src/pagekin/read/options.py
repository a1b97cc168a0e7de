"""What a user may choose about reading."""

from __future__ import annotations

from dataclasses import dataclass

from pagekin.errors import ParamsError


@dataclass(frozen=True)
class ReadParams:
    """How records become pages.

    Attributes:
        keep_errors: keep pages whose HTTP status is not 200
        max_page_bytes: skip pages that are larger than this, after content decoding
    """

    keep_errors: bool = False
    max_page_bytes: int = 64 << 20

    def __post_init__(self) -> None:
        if self.max_page_bytes < 1:
            raise ParamsError(f"max_page_bytes must be at least 1, not {self.max_page_bytes}")
