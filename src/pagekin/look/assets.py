"""The stylesheet and the script that the report and the review app share, as files and as text."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

TOKEN = re.compile(r"--([a-z0-9]+):\s*light-dark\(\s*(#[0-9a-f]+)\s*,\s*(#[0-9a-f]+)\s*\)")


@cache
def asset(name: str) -> str:
    """A file of this package: `look.css` (the page), `chart.css` (inside drawings) or `look.js`."""
    return files("pagekin.look").joinpath(name).read_text(encoding="utf-8")


@cache
def stylesheet() -> str:
    return asset("chart.css") + asset("look.css")


def tokens(*, dark: bool = False) -> dict[str, str]:
    """The colours by name.

    Examples:
        >>> tokens()["bg"], tokens(dark=True)["bg"]
        ('#ffffff', '#14171c')
    """
    return {name: night if dark else light for name, light, night in TOKEN.findall(asset("look.css"))}


@cache
def print_style() -> str:
    """The styles of drawings with the light colours in place, for files that stand alone."""
    colours = tokens()
    return re.sub(r"var\(--([a-z0-9]+)\)", lambda found: colours[found[1]], asset("chart.css"))
