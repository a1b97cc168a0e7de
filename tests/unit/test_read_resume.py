"""Reading on after any record gives the rest, as if nothing had happened: every format, every position."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import warcs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcs import CODECS, http, page, record

from pagekin.errors import UsageError
from pagekin.readers import Input, Position, ReadParams, Record, expand, read_input

PARAMS = ReadParams(max_page_bytes=1 << 20)


def check(source: Input, params: ReadParams = PARAMS) -> list[Record]:
    """All records, after having checked every way to read on."""
    rows = list(read_input(source, params))
    assert [row.page for row in rows] == [source.ordinal << 40 | number for number in range(len(rows))]
    for number, row in enumerate(rows):
        assert list(read_input(source, params, row.position)) == rows[number + 1 :]
    return rows


def make_warc(folder: Path) -> Path:
    return warcs.write(
        folder, "a.warc", [warcs.warcinfo(), page(1), warcs.request(2), page(2, 5000), page(3)]
    )


def make_zip(folder: Path) -> Path:
    return warcs.write_zip(folder / "a.zip", {f"h/{number}.html": warcs.html(number) for number in range(4)})


def make_wacz(folder: Path) -> Path:
    files = {"b.warc.gz": warcs.gz(page(1)) + warcs.gz(page(2)), "a.warc": page(3) + page(4)}
    return warcs.write_wacz(folder / "a.wacz", files)


def make_folder(folder: Path) -> Path:
    for number in range(4):
        path = folder / "site" / f"{number}.{'html' if number else 'txt'}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(warcs.html(number))
    return folder / "site"


def jsonl() -> bytes:
    lines = [json.dumps({"url": warcs.url(number), "html": f"<p>{number}é"}) for number in range(5)]
    lines[3:3] = ["", "not json", "   ", json.dumps({"url": "http://a/"})]
    return "\n".join(lines).encode()


def make_parquet(folder: Path) -> Path:
    table = pa.table(
        {
            "url": [None if number == 3 else warcs.url(number) for number in range(10)],
            "html": [warcs.html(number) for number in range(10)],
        }
    )
    pq.write_table(table, folder / "a.parquet", row_group_size=3)
    return folder / "a.parquet"


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize("whole", [False, True])
def test_warc(tmp_path: Path, suffix: str, whole: bool) -> None:
    records = [warcs.warcinfo(), page(1), warcs.request(2), page(2, 100_000), page(3), page(4, 5000)]
    path = warcs.write(tmp_path, f"a.warc{suffix}", [b"".join(records)] if whole else records)
    assert len(check(expand([str(path)], 9)[0])) == 6


@pytest.mark.parametrize("make", [make_zip, make_wacz, make_folder, make_parquet])
def test_other_formats(tmp_path: Path, make: type[Path]) -> None:
    (source,) = expand([str(make(tmp_path))], 2)
    assert len(check(source)) >= 4


@pytest.mark.parametrize("suffix", CODECS)
def test_jsonl(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(CODECS[suffix](jsonl()))
    rows = check(Input(1, str(path), "jsonl"))
    assert [row.reason for row in rows] == [None, None, None, "bad-json", "no-content", None, None]


def test_a_stream_cannot_be_resumed() -> None:
    with pytest.raises(UsageError, match="cannot be resumed; save it"):
        read_input(Input(0, "-", "stream"), PARAMS, Position(0, 0))


def piece(dice: random.Random) -> tuple[str, bytes]:
    """Something to be found in a WARC file: good, bad, not to be compressed, or to be damaged once it is."""
    number = dice.randrange(1000)
    size = dice.choice([10, 200, 3000, 70_000])
    lengths: list[int | str] = [
        0,
        5,
        100,
        257,
        259,
        300,
        500,
        5000,
        10**6,
        10**9,
        10**17,
        "",
        "x",
        "-1",
        " 5 5",
    ]
    wrong, far = dice.choice(lengths), dice.choice([None, 600_000, 10**9])
    good = page(number, size)
    return dice.choice(
        [
            ("good", good),
            ("good", good),
            ("good", warcs.request(number)),
            ("good", b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n"),
            ("bad", good[: dice.randrange(1, 400)]),
            ("bad", good[: -dice.randrange(1, 20)]),
            ("bad", record("response", http(warcs.html(number)), length=wrong)),
            ("bad", record("response", http(warcs.html(number, 700_000)), length=far)),
            ("bad", b"\r\n" * dice.randrange(1, 300)),
            ("bad", page(number).replace(b"\r\n", b"\n")),
            ("bad", b"WARC/1.0\r\nX: " + b"y" * dice.choice([100, 70_000]) + dice.choice([b"", b"\r\n\r\n"])),
            ("raw", dice.randbytes(dice.randrange(1, 400))),
            ("raw", b"\0" * dice.randrange(1, 2000)),
            ("flip", good),
            ("cut", good),
        ]
    )


def hostile(dice: random.Random, suffix: str) -> tuple[bytes, list[bytes]]:
    """A file, and the good pages in it."""
    pack = CODECS[suffix]
    frames = dice.choice(["each", "each", "some", "one"]) if suffix else "each"
    out, held, good = b"", b"", []
    for kind, data in (piece(dice) for _ in range(dice.randrange(1, 8))):
        if kind == "good" and b"HTTP" in data:
            good.append(data)
        if frames != "each":
            held += data
            if frames == "some" and dice.random() < 0.4:
                out, held = out + pack(held), b""
        elif kind == "raw" and dice.random() < 0.6:
            out += data
        else:
            packed = bytearray(pack(data))
            if kind == "flip" and suffix:
                packed[dice.randrange(len(packed))] ^= 1 << dice.randrange(8)
            out += packed[: dice.randrange(len(packed))] if kind == "cut" else packed
    return out + pack(held) if held else out, good


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 40), suffix=st.sampled_from(list(CODECS)), cut=st.booleans())
def test_hostile_warc(tmp_path: Path, seed: int, suffix: str, cut: bool) -> None:
    """Whatever is wrong: reading on works everywhere, and no good page is lost."""
    dice = random.Random(seed)
    data, good = hostile(dice, suffix)
    path = tmp_path / f"a.warc{suffix}"
    path.write_bytes(data[: dice.randrange(len(data) + 1)] if cut else data)
    rows = check(Input(3, str(path), "warc"))
    if not cut:
        found = iter([row.html for row in rows if row.reason is None])
        wanted = [data.partition(b"text/html\r\n\r\n")[2][:-4] for data in good if b"Type: response" in data]
        assert all(html in found for html in wanted)
