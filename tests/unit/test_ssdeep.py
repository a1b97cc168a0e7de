"""Digests and scores are those of the ssdeep command, and of the slow oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import ssdeep_command
from hypothesis import given
from hypothesis import strategies as st
from oracles import ctph
from strategies import texts

import pagekin
from pagekin.errors import InputError


def made_up(rng: random.Random) -> bytes:
    """Random, short, repetitive, with zeros at the end: all that may go another way."""
    size = rng.choice([0, 1, 6, 7, 8, 40, 191, 192, 193, 500, 3000, 9000])
    words = [b"the ", b"of ", b"cat ", b"sat on ", b"\xc3\xa9t\xc3\xa9 ", b"mat.\n"]
    kinds: list[Callable[[], bytes]] = [
        lambda: rng.randbytes(size),
        lambda: bytes(rng.choices(b"ab ", k=size)),
        lambda: (rng.randbytes(rng.randrange(1, 20)) * size)[:size],
        lambda: rng.randbytes(size) + bytes(rng.randrange(12)),
        lambda: bytes(size),
        lambda: b"x" * size,
        lambda: rng.randbytes(size) + rng.randbytes(1) * rng.randrange(4000),
        lambda: bytes(rng.randrange(9)) + b"".join(rng.choices(words, k=size // 4)),
        lambda: b"".join(rng.choices(words, k=size)) + bytes(rng.choice([0, 7, 8])),
    ]
    return rng.choice(kinds)()


def edited(text: bytes, rng: random.Random) -> bytes:
    changed = bytearray(text)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(changed) + 1)
        changed[at : at + rng.randrange(5)] = rng.randbytes(rng.randrange(5))
    return bytes(changed)


@pytest.fixture(scope="module")
def some_texts() -> list[bytes]:
    rng = random.Random(6)
    first = [made_up(rng) for _ in range(300)]
    return first + [edited(text, rng) for text in first]


def test_digests_are_those_of_the_command(some_texts: list[bytes], tmp_path: Path) -> None:
    expected = ssdeep_command.digests(some_texts, tmp_path)
    assert [pagekin.ssdeep(text) for text in some_texts] == expected


def test_pages_are_digested_as_the_command_would(
    small_web: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The column of a run, on made-up pages in many languages."""
    folder = tmp_path_factory.mktemp("texts")
    run = pagekin.scan(str(small_web), folder / "run", only=[])
    found = run.table("sketches").column("ssdeep").to_pylist()
    text = [text.encode() for text in run.table("texts").column("text").to_pylist()]
    assert found == ssdeep_command.digests(text, folder)


def test_large_texts(tmp_path: Path) -> None:
    rng = random.Random(7)
    words = [rng.randbytes(rng.randrange(2, 9)).hex().encode() for _ in range(500)]
    large = [
        b" ".join(rng.choices(words, k=400_000)),
        b"all work and no play " * 200_000,
        rng.randbytes(1_000_000) + b"x" * 3_000_000,
        b"x" * 5_000_000 + bytes(9),
    ]
    assert [pagekin.ssdeep(text) for text in large] == ssdeep_command.digests(large, tmp_path)


def test_scores_are_those_of_the_command(some_texts: list[bytes], tmp_path: Path) -> None:
    digests = [pagekin.ssdeep(text) for text in some_texts]
    expected = ssdeep_command.scores(digests, tmp_path)
    assert len(expected) == len(digests) * (len(digests) - 1)
    assert len(set(expected.values())) > 40, "the sample must have many different scores"
    found = {(a, b): pagekin.ssdeep_score(digests[a], digests[b]) for a, b in expected}
    assert found == expected


@st.composite
def digest_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Digests that share pieces, have runs, and differ in block size."""
    pieces = st.sampled_from(["ABCDEFG", "HIJKLMN", "OOOOOOO", "XYZ", "Q", "123456789+/", "ab"])
    signature = st.lists(pieces, max_size=7).map("".join)
    block = st.sampled_from([3, 6, 12, 24, 48, 96, 3 << 30])

    def digest() -> str:
        return f"{draw(block)}:{draw(signature)[:64]}:{draw(signature)[:32]}"

    return digest(), digest()


@given(digest_pairs())
def test_scores_are_those_of_the_oracle(pair: tuple[str, str]) -> None:
    found = pagekin.ssdeep_score(*pair)
    assert found == ctph.score(*pair)
    assert found == pagekin.ssdeep_score(*reversed(pair))
    assert (found == 0) == (pagekin.ssdeep_why(*pair) is not None)


@given(st.one_of(texts(), st.tuples(texts(), st.integers(1, 60)).map(lambda pair: pair[0] * pair[1])))
def test_digests_are_those_of_the_oracle(text: str) -> None:
    assert pagekin.ssdeep(text) == ctph.digest(text.encode())


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("3:ABCDEFGH:A", "12:ABCDEFGH:A", "block sizes"),
        ("3:ABC:A", "3:ABCDEFGH:A", "too short"),
        ("3:AAAAAAAAA:A", "3:ABCDEFGH:A", "too repetitive"),
        ("3:ABCDEFGH:A", "3:HGFEDCBA:A", "no 7 characters"),
    ],
)
def test_why_zero(a: str, b: str, why: str) -> None:
    assert pagekin.ssdeep_score(a, b) == 0
    assert why in str(pagekin.ssdeep_why(a, b))


@pytest.mark.parametrize("bad", ["", "3", "3:A", "5:A:B", "3:A b:C", "3:é:", "x" * 10_000, "3:\x1b[31m:A"])
def test_not_a_digest(bad: str) -> None:
    for call in (pagekin.ssdeep_score, pagekin.ssdeep_why):
        with pytest.raises(InputError, match="not an ssdeep digest") as caught:
            call("3:A:B", bad)
        assert len(str(caught.value)) < 250
        assert str(caught.value).isprintable()
