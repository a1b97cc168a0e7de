"""What changes verdicts: a decision in a queue, undo, spreading in two steps, the allow-list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pagekin.errors import OutputError, UsageError
from pagekin.verdicts.labels import (
    ALLOW,
    ALLOWED,
    HAND,
    KINDS,
    LABELS,
    LONGEST_WHY,
    SOFTWARE,
    SPREAD,
    Verdict,
    is_id,
)
from pagekin.verdicts.samples import Sample
from pagekin.verdicts.spread import Preview, preview, spread
from pagekin.web.context import Context

_URLS = {
    "page": ("pages", "page", "url"),
    "cluster": ("clusters", "cluster", "centroid_url"),
    "class": ("classes", "class", "url"),
}
"""By kind: the table in which a URL of each thing stands, its key, and the URL."""


def thing_urls(context: Context, kind: str, targets: Iterable[str]) -> dict[str, str]:
    """A URL of each of these things that there is: of the page, or of the page that stands for it."""
    table, key, url = _URLS[kind]
    wanted = ", ".join(sorted({str(int(target)) for target in targets if is_id(target)}))
    if not wanted:
        return {}
    rows = context.catalog.rows(
        f'SELECT "{key}" AS target, {url} AS url FROM {table} WHERE "{key}" IN ({wanted})'
    )
    return {str(row["target"]): row["url"] for row in rows if row["url"] is not None}


def thing_url(context: Context, kind: str, target: str) -> str | None:
    """A URL by which a thing is found in another run; raises if there is no such thing here."""
    found: str | None
    if kind == "site":
        found = context.catalog.one(
            "SELECT url FROM site_pages WHERE domain = ? OR host = ? LIMIT 1", [target] * 2
        )
    else:
        found = thing_urls(context, kind, [target]).get(target) if kind in _URLS else None
    if found is None:
        raise UsageError(f"there is no {kind} {target} in this run")
    return found


def judge(context: Context, who: str, form: Mapping[str, str]) -> Verdict:
    """A decision by hand: kind, target, label, perhaps why and the sample."""
    kind, target, label = form.get("kind", ""), form.get("target", ""), form.get("label", "")
    if kind not in KINDS or label not in LABELS:
        raise UsageError(f"a verdict needs a kind ({', '.join(KINDS)}) and a label ({', '.join(LABELS)})")
    sample = form.get("sample", "")
    if sample:
        Sample.parse(sample)
    url = thing_url(context, kind, target)
    why = form.get("why", "").strip()[:LONGEST_WHY]
    made = context.state.store.judge(who, kind, target, label, url=url, why=why, sample=sample)
    context.state.refresh()
    return made


def undo(context: Context, who: str, uid: str) -> Verdict:
    """Takes a verdict back; gives the one that was taken back."""
    found = context.state.store.find(uid)
    if found is None:
        raise UsageError("there is no such verdict to take back in this run")
    context.state.store.undo(who, found)
    context.state.refresh()
    return found


def spread_preview(context: Context, form: Mapping[str, str]) -> Preview:
    """What spreading would do."""
    return preview(
        context.catalog, context.state, form.get("kind", ""), form.get("target", ""), form.get("label", "")
    )


def confirm_spread(context: Context, who: str, form: Mapping[str, str]) -> Verdict:
    """Spreads, if what was previewed is what would be done now."""
    seen = spread_preview(context, form)
    if form.get("adds", str(seen.adds)) != str(seen.adds):
        raise UsageError("verdicts have changed since the preview; look at it again")
    url = thing_url(context, seen.kind, seen.target)
    return spread(context.catalog, context.state, who, seen, url=url, why=form.get("why", "")[:LONGEST_WHY])


def withdraw(context: Context, who: str, kind: str, target: str, scope: str) -> Verdict:
    """Takes back what was spread over a thing, or takes it from the allow-list."""
    if scope not in (SPREAD, ALLOW):
        raise UsageError("only a spread or the allow-list is taken back so")
    found = context.state.current(scope, kind, target)
    if found is None:
        raise UsageError(f"nothing was spread over {kind} {target}")
    if context.state.store.find(found.uid) is None:
        # It stands in an earlier run's file, which is not ours to write: ours comes later, and counts.
        made = context.state.store.judge(who, kind, target, None, url=found.url, scope=scope)
    else:
        made = context.state.store.undo(who, found)
    context.state.refresh()
    return made


def allow(context: Context, who: str, form: Mapping[str, str]) -> Verdict:
    """Puts a template, a software or a site on the allow-list."""
    kind, target = form.get("kind", ""), form.get("target", "")
    url = None if kind == SOFTWARE else thing_url(context, kind, target)
    made = context.state.store.judge(
        who, kind, target, ALLOWED, url=url, scope=ALLOW, why=form.get("why", "").strip()[:LONGEST_WHY]
    )
    context.state.refresh()
    return made


def labels_of(context: Context, kind: str) -> dict[str, list[str]]:
    """The things of a kind that were judged by hand, by label."""
    found: dict[str, list[str]] = {label: [] for label in LABELS}
    for row in context.state.active(HAND):
        if row.kind == kind and row.label is not None:
            found[row.label].append(row.target)
    return found


def require_writable(context: Context) -> None:
    """Raises where verdicts cannot be given."""
    if context.read_only:
        raise OutputError("verdicts cannot be given here: the app is read-only")
