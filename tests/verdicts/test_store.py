"""Verdicts: nothing is lost, nothing is overwritten, whoever writes and whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import OutputError, RunError, UsageError
from pagekin.run import Run
from pagekin.verdicts.labels import HAND, LABELS, SPREAD, Verdict
from pagekin.verdicts.store import FILE, Store

STREAM = """
import sys
from pagekin.verdicts.store import Store
store = Store(sys.argv[1])
for number in range(100_000):
    store.judge(sys.argv[2], "page", number, "spam")
    print(number, flush=True)  # acknowledged
"""


@pytest.mark.parametrize("judges", [1, 2])
def test_kill_loses_no_verdict_that_was_acknowledged(tmp_path: Path, judges: int) -> None:
    streams = [
        subprocess.Popen(
            [sys.executable, "-c", STREAM, str(tmp_path), f"judge{n}"], stdout=subprocess.PIPE, text=True
        )
        for n in range(judges)
    ]
    told: list[int] = []
    for stream in streams:
        assert stream.stdout is not None
        told.append(max(int(stream.stdout.readline()) for _ in range(25)))
    for stream in streams:
        os.kill(stream.pid, signal.SIGKILL)
    for number, stream in enumerate(streams):
        assert stream.stdout is not None
        rest = [int(line) for line in stream.stdout.read().split("\n")[:-1]]
        told[number] = max([told[number], *rest])
        stream.stdout.close()
        stream.wait()
    rows = Store(tmp_path).rows()
    for number in range(judges):
        kept = [int(row.target) for row in rows if row.who == f"judge{number}"]
        assert kept[: told[number] + 1] == list(range(told[number] + 1))
        assert len(kept) <= told[number] + 2  # at most one that was written and not told
    # And the file takes more.
    Store(tmp_path).judge("later", "page", 1, "spam")


def test_nothing_is_changed_or_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.judge("ann", "page", 1, "spam")
    with sqlite3.connect(tmp_path / FILE) as db:
        for statement in ("UPDATE verdicts SET label = 'not spam'", "DELETE FROM verdicts"):
            with pytest.raises(sqlite3.IntegrityError, match="superseded, never"):
                db.execute(statement)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def test_undo_says_what_was_said_before(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.judge("ann", "page", 1, "spam", why="first")
    second = store.judge("ann", "page", 1, "borderline")
    back = store.undo("ann", second)
    assert (back.label, back.why, back.supersedes) == ("spam", "first", second.uid)
    assert [row.label for row in store.rows()] == ["spam", "borderline", "spam"]
    with pytest.raises(UsageError, match="this verdict is ann's"):
        store.undo("bob", second)
    spread = store.judge("ann", "cluster", 5, "spam", scope=SPREAD)
    assert store.undo("bob", spread).label is None  # a spread is everybody's to take back


def test_many_threads_make_one_file(tmp_path: Path) -> None:
    """The first verdicts of several judges come at the same moment, before there is a file."""
    store = Store(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.judge(f"judge{n}", "page", n, "spam"), range(24)))
    assert sorted(int(row.target) for row in store.rows()) == list(range(24))
    assert sorted(p.name for p in tmp_path.iterdir() if "tmp" in p.name) == []


def test_read_only(tmp_path: Path) -> None:
    Store(tmp_path).judge("ann", "page", 1, "spam")
    store = Store(tmp_path, read_only=True)
    assert len(store.rows()) == 1
    with pytest.raises(OutputError, match="read-only"):
        store.judge("ann", "page", 2, "spam")


def test_a_file_of_another_format_is_not_touched(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    with pytest.raises(RunError, match="format 9"):
        Store(tmp_path).rows()
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be looked at" * 40)
    with pytest.raises(RunError, match="cannot use"):
        Store(tmp_path).rows()


@pytest.mark.parametrize(
    ("field", "value"),
    [("who", ""), ("who", "a\x1bb"), ("who", "x" * 65), ("kind", "planet"), ("label", "ham"),
     ("target", "x1"), ("target", "9" * 20), ("why", "x" * 2_001), ("why", "\ud800"), ("scope", "hearsay")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(tmp_path: Path, field: str, value: str) -> None:
    fields = {"who": "ann", "kind": "page", "target": "1", "label": "spam", "why": "", "scope": HAND} | {
        field: value
    }
    who, kind, target, label = (fields.pop(name) for name in ("who", "kind", "target", "label"))
    with pytest.raises(UsageError):
        Store(tmp_path).judge(who, kind, target, label, **fields)
    assert not (tmp_path / FILE).exists()


ACTS = st.lists(
    st.tuples(st.sampled_from(["ann", "bob"]), st.integers(0, 2), st.sampled_from([*LABELS, "undo"])),
    max_size=30,
)


@given(acts=ACTS)
def test_the_last_word_counts(
    acts: list[tuple[str, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Against a list that is gone through from the start."""
    from pagekin.verdicts.state import State

    folder = tmp_path_factory.mktemp("words")
    store = Store(folder)
    said: dict[tuple[str, int], list[Verdict]] = {}
    words: dict[tuple[str, int], list[str | None]] = {}
    last: list[tuple[int, str]] = []
    for who, page, act in acts:
        mine, labels = said.setdefault((who, page), []), words.setdefault((who, page), [])
        if act != "undo":
            mine.append(store.judge(who, "page", page, act))
            labels.append(act)
        elif mine:
            mine.append(store.undo(who, mine[-1]))
            labels.append(labels[-2] if len(labels) > 1 else None)
        last.append((page, who))
    state = State(cast(Run, SimpleNamespace(path=folder, lineage=[None])))
    for (who, page), labels in words.items():
        found = state.by_judge("page", page).get(who)
        assert (found.label if found else None) == (labels[-1] if labels else None)
    store.close()
