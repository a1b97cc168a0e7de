"""Duplicate classes against the oracle: the paper's rule, a similarity, known pages, odd pages."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import duplicates as oracle
from oracles.shingles import jaccard

import pagekin
from pagekin import _core
from pagekin.detect.duplicates.banding import choose_banding
from pagekin.engines.local import LocalEngine
from pagekin.errors import ParamsError
from pagekin.params import Params
from pagekin.run import Run


def scan(folder: Path, texts: list[str], name: str = "run", **options: Any) -> Run:
    """A run over pages of these texts."""
    values = options.pop("duplicates", {})
    shingles = options.pop("shingles", {})
    begun = Params.of(options.pop("profile", "default"))
    params = begun.replace("duplicates", **values).replace("shingles", **shingles)
    path = folder / f"{name}.jsonl"
    lines = (json.dumps({"url": f"http://{name}.example/{i}", "text": t}) for i, t in enumerate(texts))
    path.write_text("\n".join(lines))
    return pagekin.scan(path, folder / name, only=["duplicates"], params=params, **options)


def classes(run: Run) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for row in run.table("duplicates").to_pylist():
        found.setdefault(row["class"], []).append(row["page"])
    return list(found.values())


def family(rng: random.Random, size: int, pages: int, edits: int) -> list[str]:
    """A text, and copies of it in which some words are others."""
    base = [f"w{rng.randrange(10**6)}" for _ in range(size)]
    found = []
    for _ in range(pages):
        words = list(base)
        for _ in range(rng.randrange(edits + 1)):
            words[rng.randrange(size)] = f"x{rng.randrange(10**6)}"
        found.append(" ".join(words))
    return found


def corpus(seed: int) -> list[str]:
    """Families of copies of all degrees, in any order, with odd pages among them."""
    rng = random.Random(seed)
    texts = ["", "...", "word", "word", "Word!", "word word word"]
    for _ in range(6):
        texts += family(rng, rng.choice([3, 12, 60, 400]), rng.randrange(1, 6), rng.choice([0, 1, 3, 12]))
    rng.shuffle(texts)
    return texts


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), family=st.sampled_from(["rabin", "bins"]))
def test_the_papers_rule(tmp_path_factory: pytest.TempPathFactory, seed: int, family: str) -> None:
    """With the paper's functions, as its profile has them, and with the fast ones."""
    texts = corpus(seed)
    given_family = {} if family == "rabin" else {"family": family}
    run = scan(tmp_path_factory.mktemp("paper"), texts, profile="paper", shingles=given_family)
    assert classes(run) == oracle.by_runs(texts, _core.Shingler(family=family).shingles)
    check_rows(run, texts)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    similarity=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9, 1.0]),
    wrap=st.booleans(),
)
def test_similarity(
    tmp_path_factory: pytest.TempPathFactory, seed: int, similarity: float, wrap: bool
) -> None:
    """Every link is true; as good as every true link is found."""
    texts = corpus(seed)
    values = {"similarity": similarity, "wrap": wrap}
    run = scan(tmp_path_factory.mktemp("similar"), texts, duplicates=values)
    found, expected = classes(run), oracle.by_similarity(texts, similarity, 5, wrap)
    check_rows(run, texts)
    for members in found:
        assert any(set(members) <= set(true) for true in expected)
    # Each pair at the very threshold is missed with a chance of half a per cent; here are some tens of pairs.
    missed = sum(len(true) - max((len(set(m) & set(true)) for m in found), default=1) for true in expected)
    assert missed <= 1


def check_rows(run: Run, texts: list[str]) -> None:
    """Kind and Jaccard are the truth about a page and its representative; order and ids are as promised."""
    rows = run.table("duplicates").to_pylist()
    assert rows == sorted(rows, key=lambda row: (row["class"], row["page"]))
    for row in rows:
        own, first = texts[row["page"]], texts[row["representative"]]
        assert row["class"] == row["representative"] <= row["page"]
        assert row["kind"] == ("exact" if own == first else "near")
        assert row["jaccard"] == jaccard(own, first, 5, run.params.duplicates.wrap)
        assert row["url"] == f"http://run.example/{row['page']}"


def test_threads_and_memory_change_nothing(tmp_path: Path) -> None:
    texts = [text for seed in range(8) for text in corpus(seed)]
    for similarity in (0.0, 0.6):
        values = {"similarity": similarity}
        expected = scan(tmp_path, texts, f"one-{similarity}", duplicates=values, threads=1).table(
            "duplicates"
        )
        for name, engine in (("three", LocalEngine(3)), ("tight", LocalEngine(2, memory=50_000))):
            run = scan(tmp_path, texts, f"{name}-{similarity}", duplicates=values, engine=engine)
            found = run.table("duplicates")
            urls = ["url", "representative_url"]
            assert found.drop(urls).equals(expected.drop(urls))


def test_unchecked(tmp_path: Path) -> None:
    texts = family(random.Random(1), 500, 4, 2)
    run = scan(tmp_path, texts, profile="paper", duplicates={"unchecked": True})
    rows = run.table("duplicates").to_pylist()
    assert [row["page"] for row in rows] == [0, 1, 2, 3]
    assert all(row["jaccard"] == (1.0 if row["kind"] == "exact" else None) for row in rows)


def test_representatives(tmp_path: Path) -> None:
    run = scan(tmp_path, ["a b c d e f", "other words here", "a b c d e f", "", "a b c d e f"])
    assert run.copies().to_pylist() == [2, 4]
    assert run.representatives("texts")["page"].to_pylist() == [0, 1, 3]
    assert run.representatives("texts", ["text"]).column_names == ["text"]


class TestAgainst:
    def test_new_pages_join_old_classes(self, tmp_path: Path) -> None:
        rng = random.Random(5)
        twins, alone, fresh = (family(rng, 300, 3, 0) for _ in range(3))
        near = family(random.Random(9), 600, 2, 1)
        old = scan(tmp_path, [twins[0], alone[0], twins[1], near[0]], "old")
        new = scan(tmp_path, [fresh[0], alone[1], fresh[1], twins[2], near[1]], "new", against=old.path)
        second = 1 << 40
        rows = [
            (row["class"], row["page"], row["url"], row["kind"])
            for row in new.table("duplicates").to_pylist()
        ]
        assert rows == [
            (0, 0, "http://old.example/0", "exact"),
            (0, second | 3, "http://new.example/3", "exact"),
            (1, 1, "http://old.example/1", "exact"),
            (1, second | 1, "http://new.example/1", "exact"),
            (3, 3, "http://old.example/3", "exact"),
            (3, second | 4, "http://new.example/4", "near" if near[0] != near[1] else "exact"),
            (second, second, "http://new.example/0", "exact"),
            (second, second | 2, "http://new.example/2", "exact"),
        ]
        assert new.representatives("texts", ["page"])["page"].to_pylist() == [second]

    def test_a_page_like_a_member_joins_its_class(self, tmp_path: Path) -> None:
        """By an old class's member, not its representative; and through a run that was itself made so."""
        words = [f"w{i}" for i in range(400)]
        drift = [" ".join([*(f"x{i}" for i in range(12 * step)), *words[12 * step :]]) for step in range(4)]
        options: dict[str, Any] = {"profile": "paper", "duplicates": {"similarity": 0.9}}
        first = scan(tmp_path, drift[:2], "first", **options)
        assert classes(first) == [[0, 1]]
        second = scan(tmp_path, [drift[2]], "second", against=first.path, **options)
        assert classes(second) == [[0, 1 << 40]]
        third = scan(tmp_path, [drift[3]], "third", against=second.path, **options)
        assert classes(third) == [[0, 2 << 40]]
        row = third.table("duplicates").to_pylist()[1]
        assert row["jaccard"] == jaccard(drift[3], drift[0], 5) < 0.9

    @settings(max_examples=10)
    @given(seed=st.integers(0, 10**6), similarity=st.sampled_from([0.0, 0.7]))
    def test_as_in_one_run(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int, similarity: float
    ) -> None:
        """What is new is found with what it would be found with in one run; old classes stay apart."""
        texts = corpus(seed)
        half = len(texts) // 2
        folder = tmp_path_factory.mktemp("against")
        options: dict[str, Any] = {"duplicates": {"similarity": similarity}}
        old = scan(folder, texts[:half], "old", **options)
        new = scan(folder, texts[half:], "new", against=old.path, **options)
        whole = scan(folder, texts, "whole", **options)
        place = {i: i if i < half else 1 << 40 | (i - half) for i in range(len(texts))}
        together = [{place[page] for page in members} for members in classes(whole)]
        for members in classes(new):
            assert any(set(members) <= joint for joint in together)
        listed = {page for members in classes(new) for page in members if page >> 40}
        assert listed == {page for joint in together for page in joint if page >> 40}


class TestOddPages:
    def test_no_words_no_class(self, tmp_path: Path) -> None:
        assert classes(scan(tmp_path, ["", "", "!!", "!!"])) == []
        assert classes(scan(tmp_path, ["", ""], "two", duplicates={"similarity": 0.1})) == []

    @pytest.mark.parametrize("similarity", [0.0, 0.7, 1.0])
    def test_one_word_often(self, tmp_path: Path, similarity: float) -> None:
        """A page of a million times one word is the page of that word, near to it though not exactly."""
        run = scan(tmp_path, ["word", "word " * 10**6, "words"], duplicates={"similarity": similarity})
        rows = run.table("duplicates").to_pylist()
        assert [(row["page"], row["kind"], row["jaccard"]) for row in rows] == [
            (0, "exact", 1),
            (1, "near", 1),
        ]

    @pytest.mark.parametrize("similarity", [0.0, 0.5, 1.0])
    def test_k_beyond_the_page(self, tmp_path: Path, similarity: float) -> None:
        run = scan(
            tmp_path,
            ["a b", "b a", "a b c", "A, B!"],
            profile="paper",
            shingles={"k": 64},
            duplicates={"similarity": similarity},
        )
        # A circle has no beginning: "a b" and "b a" are the same phrases.
        assert classes(run) == [[0, 1, 3]]

    @pytest.mark.parametrize("similarity", [0.0, 0.7])
    def test_a_phrase_on_every_page(self, tmp_path: Path, similarity: float) -> None:
        texts = [f"the phrase on every page p{i} q{i} r{i} s{i} t{i}" for i in range(3000)]
        assert classes(scan(tmp_path, texts, duplicates={"similarity": similarity})) == []

    @pytest.mark.parametrize("similarity", [0.0, 0.7])
    def test_many_near_copies(self, tmp_path: Path, similarity: float) -> None:
        """Thousands of different pages in one class: found without comparing them all."""
        base = " ".join(f"w{i}" for i in range(500))
        run = scan(tmp_path, [f"{base} n{i}" for i in range(3000)], duplicates={"similarity": similarity})
        assert [len(members) for members in classes(run)] == [3000]

    @pytest.mark.slow
    def test_half_a_million_identical_pages(self, tmp_path: Path) -> None:
        for similarity in (0.0, 0.7):
            run = scan(
                tmp_path, ["the same page"] * 500_000, f"x{similarity}", duplicates={"similarity": similarity}
            )
            assert [len(members) for members in classes(run)] == [500_000]


@pytest.mark.parametrize(
    "bad", [{"similarity": -0.1}, {"similarity": 0.05}, {"similarity": 1.1}, {"bands": 7}]
)
def test_params_out_of_range(bad: dict[str, Any]) -> None:
    with pytest.raises(ParamsError, match="duplicates"):
        Params.of("paper").replace("duplicates", **bad)


@pytest.mark.parametrize("similarity", [0.1, 0.2, 0.3, 0.5, 0.56, 0.7, 0.8, 0.9, 0.99, 1.0])
def test_plans_find_pairs_at_their_similarity(similarity: float) -> None:
    made = choose_banding(similarity, 84)
    assert made.recall >= 0.995
    assert made.functions <= 2048
    assert made.recall == pytest.approx(1 - (1 - similarity**made.rows) ** made.bands)


@pytest.mark.parametrize("similarity", [0.3, 0.5, 0.7, 0.9])
def test_recall_of_a_plan_by_simulation(similarity: float) -> None:
    """Pairs of pages of that very similarity become candidates as often as the formula says."""
    made = choose_banding(similarity, 84)
    shingler = _core.Shingler(1, max(84, made.functions), "bins", 2)
    rng = random.Random(3)
    trials, size = 1000, 600
    found = 0
    for _ in range(trials):
        shared = round(size * similarity)
        words = [f"{rng.getrandbits(50):x}" for _ in range(size)]
        own = (size - shared) // 2
        texts = [" ".join(words[: shared + own]), " ".join(words[:shared] + words[shared + own :])]
        a, b = (shingler.shingles(text) or [] for text in texts)
        cuts = [slice(i * made.rows, (i + 1) * made.rows) for i in range(made.bands)]
        found += any(a[cut] == b[cut] for cut in cuts)
    assert found / trials >= made.recall - 4 * (0.005 / trials) ** 0.5


def test_what_a_similarity_takes_is_stated(tmp_path: Path) -> None:
    crawl = tmp_path / "pages.jsonl"
    crawl.write_text('{"url": "http://a.example/", "text": "one two three four five six"}\n')
    params = Params().replace("duplicates", similarity=0.7)
    step = pagekin.scan(crawl, tmp_path / "run", only=["duplicates"], params=params).info["steps"][
        "duplicates"
    ]
    chosen = choose_banding(0.7, 84)
    assert (step["bands"], step["length"], step["recall"]) == (21, 4, round(chosen.recall, 6))
