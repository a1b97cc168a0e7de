"""Fuzzy classes whose members are like their representative, word for word."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pagekin
from pagekin.params import Params

FRAME = " ".join(f"menu{n} entry{n}" for n in range(200))


def scan(folder: Path, texts: list[str], profile: str = "default") -> pagekin.Run:
    folder.mkdir()
    rows = (json.dumps({"url": f"http://s.example/{i}", "text": text}) for i, text in enumerate(texts))
    (folder / "crawl.jsonl").write_text("\n".join(rows))
    return pagekin.scan(folder / "crawl.jsonl", folder / "run", only=["fuzzy"], params=Params.of(profile))


def story(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choice("abcdefghij") for _ in range(6)) for _ in range(count)]


def edited(words: list[str], seed: int, share: float) -> str:
    rng = random.Random(seed)
    return " ".join(f"x{rng.randrange(10**6)}" if rng.random() < share else word for word in words)


def test_members_are_like_their_representative(tmp_path: Path) -> None:
    """Every row is verified; who is like nobody is left out, and others find each other."""
    first, second = story(1, 400), story(2, 400)
    texts = [" ".join(first), edited(first, 3, 0.002), " ".join(first)]
    texts += [f"{FRAME} {' '.join(story(n, 12))}" for n in range(10, 14)]
    texts += [" ".join(second), edited(second, 5, 0.002)]
    rows = scan(tmp_path / "default", texts).table("fuzzy").to_pylist()
    assert {row["page"] for row in rows if row["class"] == 0} == {0, 1, 2}
    for row in rows:
        own, other = (
            {tuple(t[i : i + 5]) for i in range(len(t) - 4)}
            for t in (texts[row["page"]].split(), texts[row["representative"]].split())
        )
        assert row["similarity"] == len(own & other) / len(own | other)
        assert row["similarity"] >= 0.8
        assert row["class"] == row["representative"] <= row["page"]
        assert row["kind"] == ("exact" if texts[row["page"]] == texts[row["representative"]] else "near")
    assert [row["kind"] for row in rows if row["class"] == 0] == ["exact", "near", "exact"]


def test_those_left_over_are_regrouped(tmp_path: Path) -> None:
    """A class by digests that is two by its texts."""
    base = story(7, 2000)
    chain = [base]
    for step in range(8):
        words = list(chain[-1])
        words[step * 220 : step * 220 + 60] = story(100 + step, 60)
        chain.append(words)
    texts = [" ".join(words) for words in chain]
    paper = scan(tmp_path / "paper", texts, "paper").table("fuzzy").to_pylist()
    rows = scan(tmp_path / "default", texts).table("fuzzy").to_pylist()
    assert all(row["similarity"] is None for row in paper)
    assert all(row["chain"] == (row["score"] < 90) for row in (*paper, *rows))
    assert all(row["similarity"] >= 0.8 for row in rows)
    assert {row["page"] for row in rows} <= {row["page"] for row in paper}
    assert len({row["class"] for row in rows}) >= len({row["class"] for row in paper}) >= 1
