"""What holds now: the last word on everything, over a run and those it was made against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from pagekin.run import Run
from pagekin.verdicts.labels import ALLOW, HAND, LABELS, SOFTWARE, SPREAD, Verdict
from pagekin.verdicts.store import Store


@dataclass(frozen=True)
class Kinship:
    """Where a page belongs, as far as verdicts may reach it."""

    page: int
    cluster: int | None = None
    klass: int | None = None
    domain: str | None = None
    host: str | None = None
    software: str | None = None


@dataclass(frozen=True)
class Effective:
    """The verdict that a page carries."""

    label: str
    verdict: Verdict

    @property
    def by_hand(self) -> bool:
        """Somebody looked at this very page."""
        return self.verdict.scope == HAND


class State:
    """Verdicts as they stand. `refresh` reads what came since; it costs one small query.

    Verdicts of the runs that a run was made against hold for it too: page ids go on from run to run, sites
    keep their names, and a cluster or class that grew keeps its number, the smallest page in it.
    """

    def __init__(self, run: Run, *, read_only: bool = False) -> None:
        earlier = [Store(known.path, read_only=True) for known in run.lineage[:-1]]
        self.store = Store(run.path, read_only=read_only)
        self._stores = [*earlier, self.store]
        self._seen = [0] * len(self._stores)
        self._lock = Lock()
        self._rows: list[Verdict] = []
        # The last word on each thing: of each judge if by hand, else of anyone, under no name.
        self._words: dict[tuple[str, str, str], dict[str, Verdict]] = {}
        self.changes = 0
        """Grows with every row that is read."""
        self.refresh()

    @property
    def read_only(self) -> bool:
        """No verdict can be added."""
        return self.store.read_only

    def refresh(self) -> None:
        """Reads what was added since, by whichever process."""
        with self._lock:
            for number, store in enumerate(self._stores):
                for at, row in store.numbered(self._seen[number]):
                    self._seen[number] = at
                    self._take(row)

    def _take(self, row: Verdict) -> None:
        words = self._words.setdefault(row.key, {})
        speaker = row.who if row.scope == HAND else ""
        last = words.get(speaker)
        if last is None or last.at <= row.at:
            words[speaker] = row
        self._rows.append(row)
        self.changes += 1

    def current(self, scope: str, kind: str, target: int | str) -> Verdict | None:
        """The last verdict on a thing that was not taken back."""
        words = self._words.get((scope, kind, str(target)))
        if words is None:  # most have no verdict
            return None
        standing = (row for row in words.values() if row.label is not None)
        return max(standing, key=lambda row: (row.at, row.uid), default=None)

    def by_judge(self, kind: str, target: int | str) -> dict[str, Verdict]:
        """What each judge says of a thing, those apart who took it back."""
        words = self._words.get((HAND, kind, str(target)), {})
        return {who: row for who, row in words.items() if row.label is not None}

    def of_page(self, page: Kinship) -> Effective | None:
        """The verdict that a page carries: by hand if there is one, else the latest spread over it."""
        if not self._words:
            return None
        hand = self.current(HAND, "page", page.page)
        if hand is not None and hand.label is not None:
            return Effective(hand.label, hand)
        if self.allows_site(page.domain) or self.allows_site(page.host):
            return None
        reached = [
            self.current(SPREAD, kind, target)
            for kind, target in (("class", page.klass), ("site", page.domain), ("site", page.host))
            if target is not None
        ]
        if page.cluster is not None and not self.allows_cluster(page.cluster, page.software):
            reached.append(self.current(SPREAD, "cluster", page.cluster))
        found = max(
            (row for row in reached if row is not None), key=lambda row: (row.at, row.uid), default=None
        )
        return None if found is None or found.label is None else Effective(found.label, found)

    def allows_cluster(self, cluster: int | None, software: str | None = None) -> bool:
        """Whether a cluster, or the software it is made with, is on the allow-list."""
        by_software = software is not None and self.current(ALLOW, SOFTWARE, software) is not None
        return by_software or (cluster is not None and self.current(ALLOW, "cluster", cluster) is not None)

    def allows_site(self, site: str | None) -> bool:
        """Whether a host or domain is on the allow-list."""
        return site is not None and self.current(ALLOW, "site", site) is not None

    def active(self, scope: str) -> list[Verdict]:
        """All verdicts of a scope that hold, in the order of their time."""
        found = (self.current(*key) for key in list(self._words) if key[0] == scope)
        return sorted((row for row in found if row is not None), key=lambda row: (row.at, row.uid))

    def rows(self) -> Sequence[Verdict]:
        """Every row, superseded ones too, in the order they were read."""
        return self._rows

    def recent(self, who: str, count: int, sample: str | None = None) -> list[Verdict]:
        """A judge's last decisions by hand that still stand, newest first; one for each thing."""
        found: list[Verdict] = []
        for row in reversed(self._rows):
            if len(found) == count:
                break
            if row.who == who and row.scope == HAND and (sample is None or row.sample == sample):
                last = self._words.get(row.key, {}).get(who)
                if last is not None and last.uid == row.uid and row.label is not None:
                    found.append(row)
        return found

    def judges(self) -> list[str]:
        """Everyone who judged by hand."""
        return sorted({row.who for row in self._rows if row.scope == HAND})

    def counts(self, keys: Iterable[tuple[str, str]], who: str | None = None) -> dict[str, int]:
        """How many of these things carry each label by hand; by one judge's hand alone, if one is named."""
        counted = dict.fromkeys(LABELS, 0)
        for kind, target in keys:
            row = self.current(HAND, kind, target) if who is None else self.by_judge(kind, target).get(who)
            if row is not None and row.label is not None:
                counted[row.label] += 1
        return counted
