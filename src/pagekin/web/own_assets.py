"""The app's own files, by name."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

TYPES = {"app.css": "text/css", "app.js": "text/javascript"}


@cache
def own_asset(name: str) -> tuple[str, str] | None:
    """The text and type of a file; None for any name but those few."""
    if name not in TYPES:
        return None
    return files("pagekin.web").joinpath("assets").joinpath(name).read_text(encoding="utf-8"), TYPES[name]
