"""pagekin finds a web page's kin in a crawl.

    run = pagekin.scan("crawl.warc.gz", "run")      # read, sketch, detect
    run.table("pages").to_pandas()                  # every result is a table

    for page in pagekin.read("crawl.warc.gz"):      # just the pages
        print(page.url, len(pagekin.words(pagekin.text(page.html))))

Names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagekin._core import __version__ as __version__
    from pagekin.errors import PagekinError
    from pagekin.params import Params, StyleParams
    from pagekin.pipeline import scan
    from pagekin.query.digests import ssdeep, ssdeep_score, ssdeep_why
    from pagekin.query.run import Run
    from pagekin.query.single import noise, style_similarity, text, words
    from pagekin.readers import Record
    from pagekin.readers import read_pages as read

__all__ = [
    "PagekinError",
    "Params",
    "Record",
    "Run",
    "StyleParams",
    "noise",
    "read",
    "scan",
    "ssdeep",
    "ssdeep_score",
    "ssdeep_why",
    "style_similarity",
    "text",
    "words",
]

_HOMES = {
    "PagekinError": ("pagekin.errors", "PagekinError"),
    "Params": ("pagekin.params", "Params"),
    "Record": ("pagekin.readers", "Record"),
    "Run": ("pagekin.query.run", "Run"),
    "StyleParams": ("pagekin.params", "StyleParams"),
    "__version__": ("pagekin._core", "__version__"),
    "noise": ("pagekin.query.single", "noise"),
    "read": ("pagekin.readers", "read_pages"),
    "scan": ("pagekin.pipeline", "scan"),
    "ssdeep": ("pagekin.query.digests", "ssdeep"),
    "ssdeep_score": ("pagekin.query.digests", "ssdeep_score"),
    "ssdeep_why": ("pagekin.query.digests", "ssdeep_why"),
    "style_similarity": ("pagekin.query.single", "style_similarity"),
    "text": ("pagekin.query.single", "text"),
    "words": ("pagekin.query.single", "words"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pagekin' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
