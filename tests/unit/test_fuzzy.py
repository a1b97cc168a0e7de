"""Classes of exact and fuzzy duplicates are those of comparing all with all."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from hashlib import md5
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import ctph

import pagekin
from pagekin import _core
from pagekin.errors import ParamsError
from pagekin.params import FuzzyParams, Params
from pagekin.report.growth import growth_of
from pagekin.report.story import Data

SCHEMA = pa.schema([("page", pa.int64()), ("md5", pa.string()), ("ssdeep", pa.string())])

Page = tuple[int, str, str]

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def digest_length(digest: str) -> int:
    return max(map(len, ctph.parts(digest)[1:]))


def brute_force(pages: Sequence[Page], threshold: int, min_length: int) -> list[tuple[int, int, bool, int]]:
    """Class, page, exact, score: every pair compared, labels rewritten until nothing changes."""
    label = {page: page for page, _, _ in pages}
    for (a, text_a, digest_a), (b, text_b, digest_b) in combinations(sorted(pages), 2):
        long = min(digest_length(digest_a), digest_length(digest_b)) >= min_length
        if text_a == text_b or (long and ctph.score(digest_a, digest_b) >= threshold):
            low, high = sorted((label[a], label[b]))
            label = {page: low if root == high else root for page, root in label.items()}
    known = {page: (text, digest) for page, text, digest in pages}
    rows = []
    for page, root in label.items():
        if list(label.values()).count(root) > 1:
            exact = known[page][0] == known[root][0]
            rows.append((root, page, exact, 100 if exact else ctph.score(known[page][1], known[root][1])))
    return sorted(rows)


def classes(
    pages: Sequence[Page], threshold: int, min_length: int, memory: int = 1 << 20, threads: int = 1
) -> list[tuple[int, int, bool, int]]:
    kernel = _core.FuzzyClassBuilder(threads, memory, threshold, min_length)
    # In two batches, the pages in any order.
    for part in (pages[: len(pages) // 2], pages[len(pages) // 2 :]):
        rows = [dict(zip(SCHEMA.names, page, strict=True)) for page in part]
        kernel.push(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
    return [tuple(row.values()) for row in kernel.finish().to_pylist()]


PIECES = ["ABCDEFGHIJKLM", "nopqrstuvwx", "0123456789", "ABCDEFG", "xxxxxxx", "Q", "rs", "TUV"]


@st.composite
def pages(draw: st.DrawFn) -> list[Page]:
    """Pages whose digests share pieces; equal texts have equal digests."""
    signature = st.lists(st.sampled_from(PIECES), max_size=6).map(lambda parts: "".join(parts)[:64])
    block = st.sampled_from([3, 6, 48, 96, 192])
    digests = draw(st.lists(st.tuples(block, signature, signature), min_size=1, max_size=16))
    ids = draw(st.lists(st.integers(0, 1 << 50), min_size=1, max_size=24, unique=True))
    made = []
    for page in ids:
        number = draw(st.integers(0, len(digests) - 1))
        size, first, second = digests[number]
        text = f"{number} {draw(st.integers(0, 2))}"
        made.append((page, md5(text.encode()).hexdigest(), f"{size}:{first}:{second[:32]}"))
    return made


@given(
    pages(),
    st.integers(1, 100),
    st.integers(7, 20),
    st.sampled_from([1, 300, 1 << 20]),
    st.integers(1, 2),
    st.randoms(use_true_random=False),
)
def test_classes_are_those_of_all_pairs(
    made: list[Page], threshold: int, min_length: int, memory: int, threads: int, rng: random.Random
) -> None:
    expected = brute_force(made, threshold, min_length)
    rng.shuffle(made)
    assert classes(made, threshold, min_length, memory, threads) == expected


def test_classes_of_texts() -> None:
    """Real digests: texts with a few edits, among many that have nothing to do with them."""
    rng = random.Random(9)
    words = [rng.randbytes(3).hex() for _ in range(400)]
    texts = [" ".join(rng.choices(words, k=rng.choice([3, 30, 300, 900]))) for _ in range(60)]
    for text in texts[:40]:
        parts = text.split()
        for _ in range(rng.randrange(1, 5)):
            parts[rng.randrange(len(parts))] = rng.choice(words)
        texts.append(" ".join(parts))
    texts += texts[:10]
    made = [(page, md5(text.encode()).hexdigest(), pagekin.ssdeep(text)) for page, text in enumerate(texts)]
    found = classes(made, 80, 10)
    assert found == brute_force(made, 80, 10)
    assert {row[2] for row in found} == {True, False}
    assert any(80 <= row[3] < 100 for row in found)


@pytest.mark.parametrize("threshold", [65, 75, 90])
def test_many_pages_with_one_frame(threshold: int) -> None:
    """Most digests share half a signature, at the start or further on, once or twice; few are alike."""
    rng = random.Random(threshold)

    def some(length: int) -> str:
        return "".join(rng.choices(ALPHABET, k=length))

    frame = some(24)
    made: list[str] = []
    while len(made) < 400:
        begin = rng.choice([0, 0, rng.randrange(16)])
        own = some(rng.randrange(16, 40))
        first = own[:begin] + frame[rng.randrange(10) :] + own[begin:]
        first = (first + frame[: rng.choice([0, 0, 12])])[:64]
        second = own[: rng.randrange(20)] + rng.choice(["", frame[:12]])
        for _ in range(rng.choice([1, 1, 1, 4])):
            changed = list(first)
            for _ in range(rng.randrange(8)):
                changed[rng.randrange(len(changed))] = rng.choice(ALPHABET)
            made.append(f"{rng.choice([96, 192])}:{''.join(changed)}:{second}")
    numbered = [(page, md5(b"%d" % page).hexdigest(), digest) for page, digest in enumerate(made)]
    label = list(range(len(made)))
    for page, digest in enumerate(made):
        for other, before in enumerate(made[:page]):
            if label[page] != label[other] and pagekin.ssdeep_score(digest, before) >= threshold:
                low, high = sorted((label[page], label[other]))
                label = [low if root == high else root for root in label]
    expected = sorted((root, page) for page, root in enumerate(label) if label.count(root) > 1)
    assert len({root for root, _ in expected}) > 3
    for memory in (1000, 1 << 20):
        assert [row[:2] for row in classes(numbered, threshold, 10, memory)] == expected


def test_short_digests_are_no_near_duplicates() -> None:
    assert pagekin.ssdeep("news") == pagekin.ssdeep("404 news") == "3:C:C"
    made = [(0, "a" * 32, "3:C:C"), (1, "b" * 32, "3:C:C"), (2, "b" * 32, "3:C:C")]
    assert classes(made, 1, 7) == [(1, 1, True, 100), (1, 2, True, 100)]


def test_the_table(small_web: Path, tmp_path: Path) -> None:
    run = pagekin.scan(str(small_web), tmp_path / "run", only=["fuzzy"], params=Params.of("paper"))
    rows = run.table("fuzzy").to_pylist()
    url = dict(zip(*(run.table("pages")[name].to_pylist() for name in ("page", "url")), strict=True))
    words = dict(zip(*(run.table("pages")[name].to_pylist() for name in ("page", "words")), strict=True))
    made = [
        (row["page"], row["md5"], row["ssdeep"])
        for row in run.table("sketches", ["page", "md5", "ssdeep"]).to_pylist()
        if words[row["page"]]
    ]
    params = FuzzyParams()
    # All pairs at the speed of the kernel's score, which other tests compare with the oracle.
    near = {
        (a[0], b[0])
        for a, b in combinations(made, 2)
        if a[1] == b[1]
        or (
            min(digest_length(a[2]), digest_length(b[2])) >= params.min_length
            and _core.ssdeep_score(a[2], b[2]) >= params.threshold
        )
    }
    label = {page: page for page, _, _ in made}
    for a, b in near:
        low, high = sorted((label[a], label[b]))
        label = {page: low if root == high else root for page, root in label.items()}
    sizes = list(label.values())
    assert {row["page"]: row["class"] for row in rows} == {
        page: root for page, root in label.items() if sizes.count(root) > 1
    }
    order = [(row["class"], row["page"]) for row in rows]
    assert order == sorted(order)
    text = dict(zip(*(run.table("texts")[name].to_pylist() for name in ("page", "text")), strict=True))
    for row in rows:
        assert row["representative"] == row["class"]
        assert row["url"] == url[row["page"]]
        assert (row["kind"] == "exact") == (text[row["page"]] == text[row["class"]])
        assert row["ssdeep"] == pagekin.ssdeep(text[row["page"]])
    assert {row["kind"] for row in rows} == {"exact", "near"}


def test_wordless_pages_join_no_class(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl.jsonl"
    crawl.write_text('{"url": "a:1", "text": ""}\n{"url": "a:2", "text": ""}\n{"url": "a:3", "text": "!"}\n')
    assert pagekin.scan(crawl, tmp_path / "run").table("fuzzy").num_rows == 0


@pytest.mark.parametrize(("threshold", "min_length"), [(0, 10), (101, 10), (90, 6), (90, 65)])
def test_out_of_range(threshold: int, min_length: int) -> None:
    with pytest.raises(ParamsError, match="must be from"):
        FuzzyParams(threshold, min_length)
    with pytest.raises(ValueError, match="must be from"):
        _core.FuzzyIndex(threshold, min_length)


def test_a_page_after_the_other() -> None:
    index = _core.FuzzyIndex(90, 10)
    text = " ".join(map(str, range(900)))
    added = [text, text, text.replace("500", "five hundred"), "news", "404 news", "nothing of the kind"]
    found = [index.add(pagekin.ssdeep(one), md5(one.encode()).digest()) for one in added]
    assert [kind for kind, _, _ in found] == ["unique", "exact", "near", "unique", "unique", "unique"]
    assert [of for _, of, _ in found][:3] == [None, 0, 0]
    assert 90 <= found[2][2] < 100


def test_bad_calls() -> None:
    index = _core.FuzzyIndex()
    with pytest.raises(ValueError, match="not an ssdeep digest"):
        index.add("nonsense", bytes(16))
    assert index.add(pagekin.ssdeep("x"), bytes(16)) == ("unique", None, 0), "nothing was added before"
    kernel = _core.FuzzyClassBuilder(1, 1, 90, 7)
    kernel.finish()
    with pytest.raises(ValueError, match="already"):
        kernel.finish()
    batch = pa.RecordBatch.from_arrays([[1], ["xyz"], ["3:C:C"]], schema=SCHEMA)
    kernel = _core.FuzzyClassBuilder(1, 1, 90, 7)
    with pytest.raises(ValueError, match="md5"):
        kernel.push(batch)


def test_against_known_pages_is_as_in_one_run(small_web: Path, tmp_path: Path) -> None:
    """New pages get the classes, kinds and scores that they get when all pages are scanned together."""
    rows = [
        json.dumps({"url": page.url, "text": pagekin.text(page.html)}) + "\n"
        for page in pagekin.read(small_web)
        if page.html
    ][:600]
    parts = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for number, path in enumerate(parts):
        path.write_text("".join(rows[number::3]))
    known: pagekin.Run | None = None
    listed = 0
    for number, path in enumerate(parts):
        whole = pagekin.scan(parts[: number + 1], tmp_path / f"whole{number}", only=["fuzzy"]).table("fuzzy")
        known = pagekin.scan(
            path, tmp_path / f"run{number}", only=["causes"], against=known.path if known else None
        )
        first = known.first_page
        assert first == number << 40
        new = {row["class"] for row in whole.to_pylist() if row["page"] >= first}
        expected = [row for row in whole.to_pylist() if row["page"] >= first or row["page"] in new]
        assert known.table("fuzzy").to_pylist() == expected
        copies = [row for row in expected if row["page"] != row["class"]]
        rates = known.table("duplicate_rates").to_pylist()
        assert sum(row["duplicates"] for row in rates) == len(copies)
        last = growth_of(Data(known))[-1]
        assert last["exact"] + last["near"] == len(copies)
        listed += len(copies)
    assert listed >= 20
