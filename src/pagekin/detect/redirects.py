"""Which addresses redirects lead to each other, as far as the crawl kept their answers."""

from __future__ import annotations

from hashlib import blake2b
from urllib.parse import urldefrag, urljoin

import pyarrow.compute as pc
import pyarrow.dataset as ds

from pagekin.detect.rows import tuples
from pagekin.run import Run


class Redirects:
    """Addresses that redirects join, directly or over others; a number stands for each address."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}

    @classmethod
    def of(cls, run: Run) -> Redirects:
        """From what was skipped for its status: `detail` is the status and where the redirect leads."""
        found = cls()
        wanted = (ds.field("reason") == "status") & pc.match_substring_regex(ds.field("detail"), "^3.. .")
        with run.reading("skipped"):
            for batch in run.dataset("skipped").to_batches(columns=["url", "detail"], filter=wanted):
                for url, detail in tuples(batch):
                    found.add(url or "", detail.split(" ", 1)[1])
        return found

    def add(self, source: str, target: str) -> None:
        """A redirect; the target may be relative."""
        try:
            target = urljoin(source, target)
        except ValueError:
            return  # no address
        a, b = self._find(_number(source)), self._find(_number(target))
        self._next[max(a, b)] = min(a, b)
        self._next.setdefault(min(a, b), min(a, b))

    def join(self, a: str, b: str) -> bool:
        """Whether redirects join two pages: one leads to the other, or one address to both.

        Of one address that was fetched twice: whether a redirect led there.

        Examples:
            >>> redirects = Redirects()
            >>> redirects.add("http://a.example/old", "/new")
            >>> redirects.add("http://a.example/older", "/old")
            >>> redirects.join("http://a.example/older", "http://a.example/new")
            True
            >>> redirects.join("http://a.example/other", "http://a.example/new")
            False
        """
        if not self._next:
            return False
        one, other = _number(a), _number(b)
        return one in self._next and other in self._next and self._find(one) == self._find(other)

    def _find(self, number: int) -> int:
        while (up := self._next.get(number, number)) != number:
            self._next[number] = number = self._next.get(up, up)
        return number


def _number(url: str) -> int:
    plain = urldefrag(url).url.encode("utf-8", "replace")
    return int.from_bytes(blake2b(plain, digest_size=8).digest(), "little")
