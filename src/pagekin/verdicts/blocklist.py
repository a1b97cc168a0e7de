"""What people decided, as lists that filters read: domains, hosts, URLs; each line with its evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pagekin import _core
from pagekin.index.catalog import Catalog
from pagekin.verdicts.effective import carried
from pagekin.verdicts.labels import SPAM, Verdict
from pagekin.verdicts.state import State

FORMATS = ("domains", "hosts", "urls", "jsonl", "adblock")

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?")
"""A host or domain that may stand in a list: what else a page made up could be read as something else."""

EXAMPLES = 5


@dataclass(frozen=True)
class Thresholds:
    """When a domain or host is blocked: so many of its pages are spam, and this share of all its pages."""

    pages: int = 5
    share: float = 0.8


@dataclass(frozen=True)
class Line:
    """One line of a list, and why it is there."""

    name: str
    """domain, host or URL"""
    pages: int
    """that the run has of it"""
    spam: int
    by_hand: int
    """of the spam pages, those that somebody looked at"""
    not_spam: int
    """pages that carry `not spam`"""
    evidence: list[dict[str, Any]]
    """spam pages, judged ones first: url, and the verdict that it carries"""

    @property
    def share(self) -> float:
        """Spam, of all its pages."""
        return self.spam / self.pages

    def as_json(self, kind: str) -> str:
        row = {kind: self.name, "pages": self.pages, "spam": self.spam, "share": round(self.share, 4),
               "by_hand": self.by_hand, "not_spam": self.not_spam, "evidence": self.evidence}  # fmt: skip
        return json.dumps(row, ensure_ascii=False)


def block_list(catalog: Catalog, state: State, form: str, limits: Thresholds) -> Iterator[Line]:
    """The lines of a list in order of their names, as far as they reach the thresholds.

    `urls` has a line for each spam page, whatever its site; the allow-list keeps sites out of every list.
    """
    state.refresh()
    verdicts = {row.uid: row for row in state.rows()}
    if form == "urls":
        select = (
            "SELECT url AS name, page, hand, uid, url FROM carried WHERE label = 'spam' ORDER BY url, page"
        )
        for row in carried(catalog, state, select).to_pylist():
            if row["name"] and not _shielded(state, row["name"]):
                hand = row["hand"] == SPAM
                yield Line(row["name"], 1, 1, int(hand), 0, _evidence(verdicts, [row]))
        return
    column = "host" if form == "hosts" else "domain"
    # Only sites with a spam page are looked at, but all their pages count.
    select = f"""SELECT {column} AS name, count(*) AS pages,
        count(*) FILTER (label = 'spam') AS spam, count(*) FILTER (hand = 'spam') AS by_hand,
        count(*) FILTER (label = 'not spam') AS not_spam,
        list({{'page': page, 'url': url, 'uid': uid}} ORDER BY hand IS NULL, page)
            FILTER (label = 'spam')[:{EXAMPLES}] AS evidence
        FROM carried WHERE {column} IS NOT NULL GROUP BY {column}
        HAVING spam >= {int(limits.pages)} AND spam >= {float(limits.share)} * pages ORDER BY {column}"""
    for row in carried(catalog, state, select).to_pylist():
        if (
            _NAME.fullmatch(row["name"])
            and (form == "hosts" or not _is_suffix(row["name"]))
            and not state.allows_site(row["name"])
            and not _shielded(state, row["name"])
        ):
            yield Line(**row | {"evidence": _evidence(verdicts, row["evidence"])})


def _is_suffix(name: str) -> bool:
    """Whether strangers have sites below it, as with `com`: a page says what its URL is, and may lie."""
    below = f"site.{name}"
    return _core.domain(below) == below


def _shielded(state: State, name: str) -> bool:
    """Whether its site is on the allow-list."""
    host = (_core.host(name) if "/" in name else name) or name
    return state.allows_site(host) or state.allows_site(_core.domain(host))


def _evidence(verdicts: dict[str, Verdict], pages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for page in pages:
        verdict = verdicts[page["uid"]]
        through = {} if verdict.scope == "hand" else {"through": f"{verdict.kind} {verdict.target}"}
        found.append(
            {
                "url": page["url"],
                "page": page["page"],
                "who": verdict.who,
                "at": verdict.at,
                "why": verdict.why,
            }
            | through
        )
    return found


def written(lines: Iterable[Line], form: str, of: str | None = None) -> Iterator[str]:
    """A list as its readers want it, line by line; as `jsonl` the reasons for the lines of another list."""
    if form == "adblock":
        yield "[Adblock Plus 2.0]"
        yield "! Title: pages judged as spam (pagekin)"
    elif form in ("hosts", "domains"):
        yield "# Sites judged as spam (pagekin)"
    kind = {"urls": "url", "hosts": "host"}.get(of or form, "domain")
    for line in lines:
        yield _written(line, form, kind)


def _written(line: Line, form: str, kind: str) -> str:
    if form == "jsonl":
        return line.as_json(kind)
    if form == "urls":
        # A line break or a space in a URL would begin another line or column.
        return quote(line.name, safe="!#$%&'()*+,/:;=?@[]~")
    return {"domains": "{}", "hosts": "0.0.0.0 {}", "adblock": "||{}^"}[form].format(line.name)
