"""Which URLs and which software make duplicates, and why, as far as URLs tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from pagekin.detect.causes.parameters import Parameters
from pagekin.detect.causes.reasons import Reason, reason
from pagekin.detect.causes.redirects import Redirects, url_key
from pagekin.detect.joins import tuples
from pagekin.engines.base import Engine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.tables import DUPLICATE_RATES, URL_PARAMETERS
from pagekin.tables.lookup import TableLookup
from pagekin.urls import ParsedUrl, parse_url, url_pattern

LOOK_BACK = 50
"""Earlier members of its class with which a duplicate's URL is compared."""

BATCH = 10_000
"""Rows that are Python objects at a time."""


class Member(NamedTuple):
    """What is known of a page in a class."""

    url: str
    parsed: ParsedUrl
    domain: str | None
    ip: str | None
    key: int
    """by which redirects know it"""

    def repeated_by(self, other: Member, redirects: Redirects) -> Reason | None:
        """Why another page repeats this one. A redirect is certain, so it goes before what URLs suggest."""
        same_ip = self.ip is not None and self.ip == other.ip
        found = reason(self.parsed, other.parsed, self.domain == other.domain, same_ip)
        if redirects.join(self.key, other.key):
            return Reason(-1, "redirect", (found and (found.detail or found.cause)) or "")
        return found


class Copy(NamedTuple):
    """A page that repeats another."""

    kind: str
    content: int
    """its class"""
    reason: Reason | None
    of_url: str


class Example(NamedTuple):
    """How often a reason was met, and where first."""

    pages: int
    url: str
    of_url: str


@dataclass(slots=True)
class Cell:
    """One row of the cross table while it grows."""

    pages: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: dict[tuple[str, str], Example] = field(default_factory=dict)

    def add(self, url: str, copy: Copy | None) -> None:
        self.pages += 1
        if copy is not None:
            self.kinds[copy.kind] += 1
            if copy.reason is not None:
                key = copy.reason.cause, copy.reason.detail
                known = self.reasons.get(key) or Example(0, url, copy.of_url)
                self.reasons[key] = known._replace(pages=known.pages + 1)


def find_causes(run: Run, engine: Engine, params: Params) -> None:
    """Fuzzy, pages, skipped, style_members, style_clusters → duplicate_rates, url_parameters."""
    copies = dict(find_copies(run))
    clusters_of, software = style_clusters(run), cluster_names(run)
    cells: dict[tuple[str, str, int | None], Cell] = defaultdict(Cell)
    parameters = Parameters()
    for batch in run.batches("pages", ["page", "url", "domain", "words"]):
        clusters = clusters_of(batch.column("page"))
        for (page, url, domain, words), cluster in zip(tuples(batch), clusters, strict=True):
            parsed = parse_url(url or "")
            copy = copies.get(page)
            cells[domain or parsed.host, url_pattern(parsed), cluster].add(url or "", copy)
            if words:
                parameters.add(parsed, page if copy is None else copy.content)
    rates = pa.Table.from_pylist(rate_rows(cells, software), schema=DUPLICATE_RATES.schema)
    tables = {DUPLICATE_RATES: rates, URL_PARAMETERS: parameters.table()}
    engine.publish(run, "causes", tables)


def find_copies(run: Run) -> Iterator[tuple[int, Copy]]:
    """Every page that is not its class's representative, with the reason its URL gives."""
    fuzzy = run.table("fuzzy", ["class", "page", "url", "kind"])
    sites = run.page_columns("pages", ["domain", "ip"], fuzzy["page"])
    for name in sites.column_names:
        fuzzy = fuzzy.append_column(name, sites[name])
    rows = (row for batch in fuzzy.to_batches(max_chunksize=BATCH) for row in tuples(batch))
    same: dict[Reason | None, Reason | None] = {}
    redirects = Redirects.of(run)
    last = None
    before: list[Member] = []
    for root, page, url, kind, domain, ip in rows:
        member = Member(url or "", parse_url(url or ""), domain, ip, url_key(url or ""))
        if root != last:
            last, before = root, []
        else:
            found = [(why, other.url) for other in before if (why := other.repeated_by(member, redirects))]
            why, of = min(found, key=lambda one: one[0].rank, default=(None, before[0].url))
            yield page, Copy(kind, root, same.setdefault(why, why), of)
        if len(before) < LOOK_BACK:
            before.append(member)


def style_clusters(run: Run) -> Callable[[pa.Array], list[int | None]]:
    """Tells the style clusters of pages; None for one that has none."""
    if "style_members" not in run.tables:
        return lambda pages: [None] * len(pages)
    members = TableLookup(run.table("style_members", ["page", "cluster"]))
    return lambda pages: members.column("cluster", pages).to_pylist()


def cluster_names(run: Run) -> dict[int, str | None]:
    """The names of the style clusters."""
    if "style_clusters" not in run.tables:
        return {}
    named = run.table("style_clusters", ["cluster", "name"])
    return dict(zip(named["cluster"].to_pylist(), named["name"].to_pylist(), strict=True))


def rate_rows(
    cells: dict[tuple[str, str, int | None], Cell], software: dict[int, str | None]
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for (site, pattern, cluster), cell in sorted(cells.items(), key=_order):
        main = max(cell.reasons.items(), key=lambda item: (item[1].pages, item[0]), default=None)
        rows.append(
            {
                "site": site,
                "pattern": pattern,
                "cluster": cluster,
                "software": None if cluster is None else software.get(cluster),
                "pages": cell.pages,
                "duplicates": cell.kinds.total(),
                "exact": cell.kinds["exact"],
                "near": cell.kinds["near"],
                "rate": cell.kinds.total() / cell.pages,
                "cause": main and main[0][0],
                "detail": (main and main[0][1]) or None,
                "caused": main[1].pages if main else 0,
                "url": main and main[1].url,
                "of_url": main and main[1].of_url,
            }
        )
    return rows


def _order(item: tuple[tuple[str, str, int | None], Cell]) -> tuple[int, str, str, int]:
    (site, pattern, cluster), cell = item
    return -cell.kinds.total(), site, pattern, -1 if cluster is None else cluster
