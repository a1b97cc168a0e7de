"""Made-up pages of few different words, so that they share grams; sites; pages that stand for others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st


@dataclass(frozen=True)
class Web:
    """Pages of few different words, so that they share grams; sites; pages that stand for others."""

    texts: dict[int, str]
    sites: dict[int, tuple[str | None, str | None, str | None]]
    copies: dict[int, int]
    dates: dict[int, int] = field(default_factory=dict)
    """Of some pages; with any, no source is later than its quilt."""

    def may_be_source(self, foreign: str, page: int, source: int) -> bool:
        later = page in self.dates and self.dates.get(source, 0) > self.dates[page]
        return self.differs(foreign, page, source) and not later

    def differs(self, foreign: str, a: int, b: int) -> bool:
        host, domain, ip = zip(self.sites[a], self.sites[b], strict=True)

        def other(names: tuple[str | None, ...]) -> bool:
            return a != b and (None in names or names[0] != names[1])

        if foreign == "ip" and None not in ip:
            return ip[0] != ip[1]
        return {"none": True, "host": other(host)}.get(foreign, other(domain))

    def members(self, page: int) -> list[int]:
        return sorted({page} | {copy for copy, of in self.copies.items() if of == page})

    def allows(self, foreign: str, page: int, source: int) -> bool:
        return any(self.may_be_source(foreign, page, member) for member in self.members(source))

    def named(self, foreign: str, page: int, source: int) -> tuple[int, bool]:
        """The source as the table has it: the first foreign page of the class."""
        allowed = [m for m in self.members(source) if self.may_be_source(foreign, page, m)]
        outside = [member for member in allowed if self.differs("domain", page, member)]
        return (outside or allowed)[0], bool(outside)


@st.composite
def webs(draw: st.DrawFn, max_pages: int = 9) -> Web:
    ids = draw(st.lists(st.integers(0, 2**45), min_size=1, max_size=max_pages, unique=True))
    stock = draw(
        st.lists(
            st.text("abcd ", max_size=24).map(lambda s: " ".join(s)), min_size=1, max_size=5, unique=True
        )
    )
    texts = {page: " ".join(draw(st.lists(st.sampled_from(stock), max_size=4))) for page in ids}
    domain = st.sampled_from(["x.com", "y.com", None])
    sites = {}
    for page in ids:
        name = draw(domain)
        host = None if name is None else draw(st.sampled_from(["", "www."])) + name
        sites[page] = (host, name, draw(st.sampled_from(["1.1.1.1", "2.2.2.2", None])))
    copies: dict[int, int] = {}
    ordered = sorted(ids)
    for page in draw(st.lists(st.sampled_from(ordered), max_size=3)):
        of = draw(st.sampled_from(ordered))
        if of < page and of not in copies and page not in copies.values():
            copies[page] = of
    dates = draw(st.dictionaries(st.sampled_from(ordered), st.integers(1, 4)))
    return Web(texts, sites, copies, draw(st.sampled_from([{}, dates])))


def batch(**columns: Any) -> pa.RecordBatch:
    types = dict.fromkeys(("page", "representative", "date"), pa.int64())
    return pa.record_batch({n: pa.array(v, types.get(n, pa.string())) for n, v in columns.items()})
