"""The words of a verdict: what is judged, how, and the row that says so."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime

from pagekin.errors import UsageError

SPAM = "spam"
NOT_SPAM = "not spam"
BORDERLINE = "borderline"
CANNOT_JUDGE = "cannot judge"
LABELS = (SPAM, NOT_SPAM, BORDERLINE, CANNOT_JUDGE)
"""What a person may say."""

KINDS = ("page", "cluster", "class", "site")
"""What is judged: a page, a style cluster, a duplicate class, a site (a host or a domain)."""

HAND = "hand"
SPREAD = "spread"
ALLOW = "allow"
SCOPES = (HAND, SPREAD, ALLOW)
"""By hand: of the thing itself. Spread: of each page that belongs to it. Allow: never spread over it."""

SOFTWARE = "software"
"""What may be allowed besides: every cluster that gives itself away as this software or genre."""

ALLOWED = "allowed"
"""The label of a row on the allow-list."""

LONGEST_NAME = 64
LONGEST_WHY = 2_000


@dataclass(frozen=True)
class Verdict:
    """One row: who said what of what, when, and why. A row without a label takes an earlier one back."""

    uid: str
    at: str
    """UTC, ISO 8601 with microseconds"""
    who: str
    kind: str
    target: str
    """the id of a page, cluster or class; the name of a site or software"""
    url: str | None
    """a page's URL, or one of a cluster or class, by which it is found in another run"""
    scope: str
    label: str | None
    why: str
    sample: str
    """the queue it was judged in, empty outside of one"""
    supersedes: str | None
    """uid of the row that this one replaces"""

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is about."""
        return (self.scope, self.kind, self.target)


COLUMNS = tuple(field.name for field in fields(Verdict))


def now() -> str:
    """The time of a verdict that is given now."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def uid_of(*parts: object) -> str:
    """A name for a row that came without one: the same row always gets the same."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:32]


def checked(verdict: Verdict) -> Verdict:
    """The verdict, if every field may stand in the store."""
    if verdict.scope not in SCOPES:
        raise UsageError(f"a verdict's scope is one of {', '.join(SCOPES)}, not {verdict.scope!r}")
    kinds = (*KINDS[1:], SOFTWARE) if verdict.scope == ALLOW else KINDS
    if verdict.kind not in kinds:
        raise UsageError(f"what can be judged is a {', '.join(kinds)}; not {verdict.kind!r}")
    labels = (ALLOWED,) if verdict.scope == ALLOW else LABELS
    if verdict.label is not None and verdict.label not in labels:
        raise UsageError(f"a label is one of {', '.join(labels)}; not {verdict.label!r}")
    if verdict.kind in ("page", "cluster", "class") and not is_id(verdict.target):
        raise UsageError(f"a {verdict.kind} is named by its number, not {verdict.target!r}")
    if not verdict.target or len(verdict.target) > 2_000:
        raise UsageError("a verdict must say what it is about")
    judge_name(verdict.who)
    if len(verdict.why) > LONGEST_WHY:
        raise UsageError(f"a reason has at most {LONGEST_WHY:,} characters")
    for value in astuple(verdict):
        if value is not None and not _writable(value):
            raise UsageError("a verdict holds characters that cannot be written as UTF-8")
    try:
        datetime.fromisoformat(verdict.at)
    except ValueError:
        raise UsageError(f"a verdict's time is not ISO 8601: {verdict.at!r}") from None
    return verdict


def is_id(target: str) -> bool:
    """Whether a target is the number of a page, cluster or class."""
    return target.isascii() and target.isdigit() and len(target) < 20 and int(target) < 1 << 63


def judge_name(who: str) -> str:
    """The name of a judge, if it may be one."""
    if not 1 <= len(who) <= LONGEST_NAME or who != who.strip():
        raise UsageError(f"a judge's name has 1 to {LONGEST_NAME} characters and no space around it")
    if any(unicodedata.category(c)[0] == "C" for c in who):
        raise UsageError("a judge's name holds control characters")
    return who


def _writable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value
