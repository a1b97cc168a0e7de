"""`pagekin.Run`: a run folder with the questions that Python users ask of it."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from pagekin import run
from pagekin.query.checker import Answer, Checker
from pagekin.query.like import Likeness, like


class Run(run.Run):
    """A run folder, open for reading; `create` opens one for writing.

    Examples:
        >>> import pagekin
        >>> run = pagekin.Run(example_run)
        >>> run.table("pages", columns=["url", "words"]).num_rows > 0
        True
    """

    def like(self, page: str | Path, *, threads: int | None = None, top: int | None = None) -> Likeness:
        """All pages by decreasing style similarity to one, with the gaps of that curve explained.

        Args:
            page: The URL of a page of this run, or an HTML file.
            threads: By default all cores.
            top: So many rows in the table; all by default.

        Examples:
            >>> import pagekin
            >>> run = pagekin.Run(example_run)
            >>> found = run.like(run.table("pages")["url"][0].as_py(), top=5)
            >>> found.table.num_rows, 0 < found.threshold < 1
            (5, True)
        """
        return like(self, page, threads=threads or len(os.sched_getaffinity(0)), top=top)

    def check(self, page: str | Path | bytes, *, url: str | None = None) -> Answer:
        """What is known of a page: pages like it, clusters, copies, quilt state, and the verdicts they carry.

        For many pages open a `pagekin.query.checker.Checker` once.

        Args:
            page: HTML as bytes, an HTML or .txt file, or the URL of a page of this run.
            url: Where the page is from. A stored page of the same URL is the page itself.

        Examples:
            >>> import pagekin
            >>> run = pagekin.Run(example_run)
            >>> first = run.table("style_members").to_pylist()[0]
            >>> run.check(first["url"]).style["clusters"][0]["cluster"] == first["cluster"]
            True
        """
        with closing(Checker(self)) as checker:
            return checker.check_one(page, url)
