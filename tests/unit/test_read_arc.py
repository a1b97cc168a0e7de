"""ARC files: the pages that warcio finds, and the rules of damaged WARC files."""

from __future__ import annotations

import gzip
import io
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
import warcs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcs import html, http, url

from pagekin.errors import InputError
from pagekin.readers import INPUT_FAILURES, Input, ReadParams, Record, expand, read_input

PACK = {suffix: warcs.CODECS[suffix] for suffix in ("", ".gz")}


def arc(
    number: int, block: bytes | None = None, size: int = 200, length: object = None, **fields: str
) -> bytes:
    """A record of version 1."""
    block = http(html(number, size)) if block is None else block
    line = {"url": url(number), "ip": "192.0.2.7", "date": "20080430204825", "type": "text/html"} | fields
    return f"{' '.join(line.values())} {len(block) if length is None else length}\n".encode() + block + b"\n"


def filedesc(version: int = 1) -> bytes:
    names = "URL IP-address Archive-date Content-type Archive-length"
    block = f"{version} 0 Example Archive\n{names}\n".encode()
    return arc(0, block, url="filedesc://a.arc", ip="0.0.0.0", type="text/plain")


def read(folder: Path, suffix: str, data: bytes, params: ReadParams | None = None) -> list[Record]:
    path = folder / f"a.arc{suffix}"
    path.write_bytes(data)
    rows = list(read_input(Input(0, str(path), "arc"), params or ReadParams()))
    assert [row.page for row in rows] == list(range(len(rows)))
    return rows


def outline(rows: list[Record]) -> list[str | None]:
    return [row.reason or row.url for row in rows]


@pytest.mark.parametrize("suffix", PACK)
def test_pages(tmp_path: Path, suffix: str) -> None:
    pack = PACK[suffix]
    data = b"".join(map(pack, [filedesc(), arc(1), arc(2, size=900_000), arc(3)]))
    rows = read(tmp_path, suffix, data)
    assert outline(rows) == ["not-a-page", url(1), url(2), url(3)]
    assert rows[0].detail == "filedesc"
    assert [row.html for row in rows[1:]] == [html(1), html(2, 900_000), html(3)]
    page = rows[1]
    assert (page.ip, page.status, page.date) == (
        "192.0.2.7",
        200,
        datetime(2008, 4, 30, 20, 48, 25, tzinfo=UTC),
    )
    assert page.offset == len(pack(filedesc()))
    (by_name,) = expand([str(tmp_path / f"a.arc{suffix}")])
    assert by_name.format == "arc"
    (tmp_path / f"a.arc{suffix}").rename(tmp_path / "archive")
    (by_content,) = expand([str(tmp_path / "archive")])
    assert by_content.format == "arc"


@pytest.mark.parametrize("suffix", PACK)
def test_what_warcio_finds(tmp_path: Path, suffix: str) -> None:
    """Every response that warcio gives, with the same bytes."""
    records = [filedesc(), *(arc(number, size=number * 37) for number in range(40))]
    records[7:7] = [
        arc(50, http(html(50)), url="http://a.example/with a space"),
        arc(51, http(html(51), Transfer_Encoding="chunked")),
        arc(52, http(gzip.compress(html(52)), Content_Encoding="gzip")),
    ]
    data = b"".join(map(PACK[suffix], records))
    expected = []
    for record in ArchiveIterator(io.BytesIO(data)):
        if record.rec_headers.get_header("uri").startswith("http"):
            expected.append((record.rec_headers.get_header("uri"), record.content_stream().read()))
    found = [(row.url, row.html) for row in read(tmp_path, suffix, data) if row.reason is None]
    assert len(found) == 43
    assert found == expected


def test_version_2_has_more_fields(tmp_path: Path) -> None:
    block = http(html(1))
    line = f"{url(1)} 192.0.2.7 19970101000000 text/html 200 abcdef - 1301 a.arc {len(block)}\n"
    rows = read(tmp_path, "", filedesc(2) + line.encode() + block + b"\n" + arc(2))
    assert [(row.url, row.html) for row in rows[1:]] == [(url(1), html(1)), (url(2), html(2))]


def test_what_is_no_page(tmp_path: Path) -> None:
    records = [
        arc(1, b"20080430204825\na.example.\t300\tIN\tA\t192.0.2.7\n", url="dns:a.example", type="text/dns"),
        arc(2, http(b"\x89PNG", content_type="image/png"), type="image/png"),
        arc(3, http(html(3), status=404)),
        arc(4, b"<html>no headers at all"),
        arc(5, html(5), url="ftp://a.example/page.html"),
        arc(6, b"plain", url="ftp://a.example/page.txt", type="text/plain; charset=x"),
        arc(7, http(html(7, 5000))),
    ]
    rows = read(tmp_path, "", b"".join(records), ReadParams(max_page_bytes=4000))
    assert outline(rows) == [
        "not-a-page",
        "not-html",
        "status",
        "bad-http",
        "ftp://a.example/page.html",
        "not-html",
        "too-large",
    ]
    assert rows[4].html == html(5)


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("garbage", [b"garbage\n\n" * 30, b"\0" * 1000, b"x", bytes(range(256)) * 300])
def test_garbage_between_records(tmp_path: Path, suffix: str, garbage: bytes) -> None:
    pack = PACK[suffix]
    rows = read(tmp_path, suffix, pack(arc(1)) + garbage + b"\n" * (not suffix) + pack(arc(2)) + pack(arc(3)))
    assert outline(rows) == [url(1), "garbage", url(2), url(3)]
    assert rows[1].offset == len(pack(arc(1)))
    assert [row.html for row in rows] == [html(1), None, html(2), html(3)]


@pytest.mark.parametrize("suffix", PACK)
def test_cut_files(tmp_path: Path, suffix: str) -> None:
    pack = PACK[suffix]
    whole, last = pack(arc(1)) + pack(arc(2)), pack(arc(3, size=2000))
    kept = 0
    for size in range(1, len(last), 7):
        rows = read(tmp_path, suffix, whole + last[:size])
        assert outline(rows)[:2] == [url(1), url(2)]
        assert len(rows) == 3
        if rows[2].reason is None:
            assert rows[2].html
            assert html(3, 2000).startswith(rows[2].html)
            assert rows[2].truncated == (None if rows[2].html == html(3, 2000) else "end")
            kept += rows[2].truncated == "end"
        else:
            assert rows[2].reason == "truncated" or (rows[2].reason == "garbage" and size < 10)
    assert kept > 20


@pytest.mark.parametrize("suffix", PACK)
def test_record_cut_in_the_middle_of_a_file(tmp_path: Path, suffix: str) -> None:
    pack = PACK[suffix]
    broken = pack(arc(2, http(random.Random(2).randbytes(100_000))))
    for size in (1, 2, 3, 4, 5, 12, 40, 150, 400, 20_000, 80_000):
        cut = broken[:size] + b"\n" * (not suffix)
        found = outline(read(tmp_path, suffix, pack(arc(1)) + cut + pack(arc(3)) + pack(arc(4))))
        assert (found[0], found[-2:]) == (url(1), [url(3), url(4)])
        assert len(found) == 4
        assert found[1] in INPUT_FAILURES


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("length", [0, 1, 17, 200, 246, 300, 1500, 10**6, 10**9, 10**17])
def test_wrong_length(tmp_path: Path, suffix: str, length: int) -> None:
    """Of a small record, and of one whose block is not to be held."""
    pack = PACK[suffix]
    for kind in ("text/html", "image/png"):
        bad = arc(2, http(html(2), content_type=kind), length=length)
        rows = read(tmp_path, suffix, b"".join(map(pack, [arc(1), bad, arc(3), arc(4), arc(5)])))
        assert outline(rows) == [url(1), "bad-length", url(3), url(4), url(5)]
        assert rows[1].url == url(2)
        assert [row.html for row in rows[2:]] == [html(3), html(4), html(5)]


@pytest.mark.parametrize("size", [100, 3000, 200_000])
def test_flipped_bits(tmp_path: Path, size: int) -> None:
    before, broken, after = warcs.gz(arc(1)), warcs.gz(arc(2, size=size)), warcs.gz(arc(3)) + warcs.gz(arc(4))
    dice = random.Random(size)
    for _ in range(60):
        place = dice.randrange(len(broken))
        bad = bytearray(broken)
        bad[place] ^= 1 << dice.randrange(8)
        rows = read(tmp_path, ".gz", before + bytes(bad) + after)
        found = outline(rows)
        assert (found[0], found[-2:]) == (url(1), [url(3), url(4)])
        assert len(found) == 4
        # The flag bits of a gzip header may be flipped to no effect.
        assert found[1] in INPUT_FAILURES or (place < 10 and rows[1].html == html(2, size))


def test_text_that_looks_like_a_record_is_part_of_its_page(tmp_path: Path) -> None:
    body = b"<pre>\n" + arc(9) + b"</pre>"
    rows = read(tmp_path, "", arc(1, http(body)) + arc(2))
    assert [row.html for row in rows] == [body, html(2)]


def test_a_record_too_large_to_hold(tmp_path: Path) -> None:
    block = http(html(2, 3_000_000))
    for pack in PACK.values():
        data = pack(arc(1)) + pack(arc(2, block)) + pack(arc(3))
        rows = read(tmp_path, "", data, ReadParams(max_page_bytes=1 << 20))
        assert outline(rows) == [url(1), "too-large", url(3)]


def test_other_compressions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.arc.zst"
    path.write_bytes(warcs.zst(arc(1)))
    with pytest.raises(InputError, match=r"a\.arc\.zst: ARC files must be plain or gzipped, not zstd"):
        list(read_input(Input(0, str(path), "arc")))


def test_random_bytes_never_hang(tmp_path: Path) -> None:
    dice = random.Random(7)
    for suffix, start in (("", b""), (".gz", warcs.gz(filedesc())[:6])):
        rows = read(tmp_path, suffix, start + dice.randbytes(200_000))
        assert {row.reason for row in rows} <= INPUT_FAILURES
    # Lines that begin like a record's, over and over.
    rows = read(tmp_path, "", b"http://a 1.1.1.1 20000101 " * 100_000)
    assert len(rows) == 1


def piece(dice: random.Random) -> tuple[str, bytes]:
    """Something to be found in an ARC file: good, bad, or to be damaged once it is compressed."""
    number, size = dice.randrange(1000), dice.choice([10, 200, 3000, 70_000])
    good = arc(number, size=size)
    wrong, far = dice.choice([0, 5, 246, 300, 5000, 10**6, 10**9, 10**17]), dice.choice([600_000, 10**9])
    return dice.choice(
        [
            ("good", good),
            ("good", good),
            ("good", filedesc()),
            ("bad", good[: dice.randrange(1, 400)]),
            ("bad", arc(number, length=wrong)),
            ("bad", arc(number, http(html(number, 700_000), content_type="image/png"), length=far)),
            ("bad", b"\n" * dice.randrange(1, 300)),
            ("bad", b"http://" + b"y" * dice.choice([100, 70_000]) + dice.choice([b"", b"\n"])),
            ("raw", dice.randbytes(dice.randrange(1, 400))),
            ("raw", b"\0" * dice.randrange(1, 2000)),
            ("flip", good),
            ("cut", good),
        ]
    )


# The same examples each time. Two things can cost a good page, a few times in a thousand examples: a length
# that ends inside the next record's URL, and a cut gzip member whose decoder runs over 64 KiB of others.
@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 1 << 40), suffix=st.sampled_from(list(PACK)), one=st.booleans(), cut=st.booleans())
def test_hostile_arc(tmp_path: Path, seed: int, suffix: str, one: bool, cut: bool) -> None:
    """Whatever is wrong: reading on after any row gives the rest, and no good page is lost."""
    dice = random.Random(seed)
    pack = PACK[suffix]
    data, good = b"", []
    for kind, block in (piece(dice) for _ in range(dice.randrange(1, 8))):
        if kind == "good" and b"HTTP" in block:
            good.append(block.partition(b"text/html\r\n\r\n")[2][:-1])
        if kind == "raw" or one:
            data += (b"\n" + block + b"\n") if one or not suffix else block
        else:
            packed = bytearray(pack(block))
            if kind == "flip" and suffix:
                packed[dice.randrange(len(packed))] ^= 1 << dice.randrange(8)
            if kind == "cut":
                packed = packed[: dice.randrange(len(packed))]
            data += packed if suffix else b"\n" + packed
    data = pack(data) if one else data
    path = tmp_path / f"a.arc{suffix}"
    path.write_bytes(data[: dice.randrange(len(data) + 1)] if cut else data)
    source, params = Input(3, str(path), "arc"), ReadParams(max_page_bytes=1 << 20)
    rows = list(read_input(source, params))
    assert [row.page for row in rows] == [3 << 40 | number for number in range(len(rows))]
    for number, row in enumerate(rows):
        assert list(read_input(source, params, row.position)) == rows[number + 1 :]
    if not cut:
        found = iter([row.html for row in rows if row.reason is None])
        assert all(html in found for html in good)
