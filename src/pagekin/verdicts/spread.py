"""One decision for all pages of a cluster, a class or a site: first what it would do, then that it be done.

Nothing is written page by page. A spread is one row; which pages it reaches is read from the run's tables, so
that taking it back restores exactly what was before. Verdicts by hand win, whenever they were given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pagekin import _core
from pagekin.errors import UsageError
from pagekin.index.catalog import Catalog
from pagekin.verdicts.effective import carried
from pagekin.verdicts.labels import LABELS, SOFTWARE, SPREAD, Verdict
from pagekin.verdicts.state import State


@dataclass(frozen=True)
class Preview:
    """What a spread would do."""

    kind: str
    target: str
    label: str
    pages: int
    """of the cluster, class or site"""
    adds: int
    """pages that would carry the label and do not now"""
    domains: int
    """of those"""
    already: int
    by_hand: dict[str, int] = field(default_factory=dict)
    """pages that were judged otherwise by hand, and stay so, by label"""
    replaced: int = 0
    """pages that carry another label, spread earlier; the later spread counts"""
    allowed: str = ""
    """why nothing can be spread: the allow-list"""
    changes: int = 0
    """how many verdicts there were when this was counted"""

    def __str__(self) -> str:
        if self.allowed:
            return self.allowed
        text = f"Adds {_pages(self.adds)} on {self.domains:,} domain{'' if self.domains == 1 else 's'}"
        notes = [f"{count:,} of the {_pages(self.pages)} were marked {label} by hand and stay so"
                 for label, count in self.by_hand.items()]  # fmt: skip
        if self.replaced:
            notes.append(
                f"{self.replaced:,} carry another label from an earlier spread, which this one replaces"
            )
        if self.already:
            notes.append(f"{self.already:,} are {self.label} already")
        return "; ".join([text, *notes])


def _pages(count: int) -> str:
    return f"{count:,} page{'' if count == 1 else 's'}"


def preview(catalog: Catalog, state: State, kind: str, target: str, label: str) -> Preview:
    """What spreading a label over a cluster, class or site would do."""
    if label not in LABELS:
        raise UsageError(f"a label is one of {', '.join(LABELS)}; not {label!r}")
    where, values = belongs(kind, target)
    state.refresh()
    changes = state.changes
    select = "SELECT hand, spread, count(*) AS pages FROM carried GROUP BY hand, spread"
    rows = carried(catalog, state, select, where=where, values=values).to_pylist()
    total = sum(row["pages"] for row in rows)
    if total == 0:
        raise UsageError(f"there is no {kind} {target} in this run")
    new = [row for row in rows if row["hand"] is None and row["spread"] != label]
    by_hand = {
        name: sum(row["pages"] for row in rows if row["hand"] == name)
        for name in LABELS
        if name != label and any(row["hand"] == name for row in rows)
    }
    domains = carried(
        catalog,
        state,
        "SELECT count(DISTINCT domain) AS n FROM carried WHERE hand IS NULL AND spread IS DISTINCT FROM ?",
        where=where,
        values=[*values, label],
    )
    return Preview(
        kind=kind,
        target=target,
        label=label,
        pages=total,
        adds=sum(row["pages"] for row in new),
        domains=domains["n"][0].as_py(),
        already=total - sum(row["pages"] for row in new) - sum(by_hand.values()),
        by_hand=by_hand,
        replaced=sum(row["pages"] for row in new if row["spread"] is not None),
        allowed=why_allowed(catalog, state, kind, target),
        changes=changes,
    )


def spread(
    catalog: Catalog, state: State, who: str, seen: Preview, *, url: str | None = None, why: str = ""
) -> Verdict:
    """Spreads a label as previewed."""
    if reason := why_allowed(catalog, state, seen.kind, seen.target):
        raise UsageError(reason)
    made = state.store.judge(who, seen.kind, seen.target, seen.label, url=url, scope=SPREAD, why=why)
    state.refresh()
    return made


def why_allowed(catalog: Catalog, state: State, kind: str, target: str) -> str:
    """Why a thing takes no spread; empty if it does."""
    if kind == "site" and state.allows_site(target):
        return f"{target} is on the allow-list: verdicts do not spread over it"
    if kind != "cluster":
        return ""
    row = catalog.row("SELECT name FROM clusters WHERE cluster = ?", [int(target)])
    software = row["name"] if row else None
    if state.current("allow", "cluster", target) is not None:
        return "This template is on the allow-list: verdicts do not spread over it"
    if software is not None and state.current("allow", SOFTWARE, software) is not None:
        return f"{software} is on the allow-list: verdicts do not spread over what it made"
    return ""


def belongs(kind: str, target: str) -> tuple[str, list[Any]]:
    """The condition for pages of the catalog to belong to a cluster, class or site."""
    if kind == "site":
        # The domain comes first: by it blocks are left out.
        return "domain = ? AND (domain = ? OR host = ?)", [_core.domain(target), target, target]
    if kind in ("cluster", "class") and target.isascii() and target.isdigit() and len(target) < 20:
        return f'"{kind}" = ?', [int(target)]
    raise UsageError(f"verdicts spread over a cluster, a class or a site; not over a {kind}")
