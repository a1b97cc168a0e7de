"""A page that is new against a stored run: is it a quilt of its pages?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.detect.quilts.find import gram_index_path
from pagekin.errors import RunError
from pagekin.run import Run
from pagekin.sites import read_server_map


@dataclass(frozen=True)
class QuiltCheck:
    """What is known of a page from the pages of a run."""

    url: str | None
    quilt: bool
    grams: int
    own_grams: int
    """grams that no stored page holds"""
    patch_grams: int
    uncovered: int
    sources: list[dict[str, Any]]
    """source, source_url, new_grams, shared_grams, share, foreign"""

    @property
    def patch_fraction(self) -> float:
        """Of the page's grams, the share that stored pages hold too; 0 for a page without grams."""
        return self.patch_grams / self.grams if self.grams else 0.0

    @property
    def covered_fraction(self) -> float:
        """Of the page's grams, the share that the sources cover; 0 for a page without grams."""
        return (self.patch_grams - self.uncovered) / self.grams if self.grams else 0.0

    def table(self) -> pa.Table:
        return pa.Table.from_pylist(self.sources)


class KnownGrams:
    """The gram index of a run, with the pages of those it was made against: open once, ask often.

    Examples:
        >>> params = pagekin.Params().replace("quilts", keep_grams=True)
        >>> run = pagekin.scan(example_warc, tmp_path / "indexed", only=["quilts"], params=params)
        >>> KnownGrams(run).check("words that no page of the example has").patch_grams
        0
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.params = run.params.quilts
        path = gram_index_path(run)
        if not path.exists():
            raise RunError(f"{run.path} has no gram index; scan with keep_grams=True to have one")
        try:
            self.index = _core.GramIndex(str(path), read_server_map(run.params.servers.map))
        except (OSError, ValueError) as error:
            raise RunError(f"cannot use the gram index: {error}") from error

    def check(self, text: str, url: str | None = None, ip: str | None = None) -> QuiltCheck:
        """Whether a page is a quilt of stored pages, by the parameters of the run.

        A stored page with the same URL is the page itself, and no source of it. Without a URL every stored
        page is foreign.
        """
        p = self.params
        try:
            found = self.index.check(
                text, url, ip, p.m, p.c, p.theta, p.min_share, p.foreign, p.share == "covered"
            )
        except OSError as error:
            raise RunError(f"cannot use the gram index: {error}") from error
        sources = [source[0] for source in found["sources"]]
        urls = self.run.page_columns("pages", ["url"], sources)["url"].to_pylist()
        found["sources"] = [
            {
                "source": page,
                "source_url": url,
                "new_grams": new,
                "shared_grams": shared,
                "share": new / found["patch_grams"],
                "foreign": foreign,
            }
            for url, (page, new, shared, foreign) in zip(urls, found["sources"], strict=True)
        ]
        return QuiltCheck(url=url, **found)
