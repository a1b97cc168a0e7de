"""Damaged WARC files: one bad record costs that record, and what is lost has a row."""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
import warcs
from warcs import CODECS, html, http, page, record, url

from pagekin.readers import INPUT_FAILURES, Input, Position, ReadParams, Record, read_input
from pagekin.readers.lookahead import Lookahead

COMPRESSED = [suffix for suffix in CODECS if suffix]


def read(folder: Path, suffix: str, data: bytes, params: ReadParams | None = None) -> list[Record]:
    path = folder / f"a.warc{suffix}"
    path.write_bytes(data)
    return list(read_input(Input(0, str(path), "warc"), params or ReadParams()))


def outline(rows: list[Record]) -> list[str | None]:
    """The reason of each row, or its URL if it is a page."""
    assert [row.page for row in rows] == list(range(len(rows)))
    return [row.reason or row.url for row in rows]


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize("garbage", [b"garbage\r\n\r\n" * 30, b"\0" * 1000, b"x", bytes(range(256)) * 300])
def test_garbage_between_records(tmp_path: Path, suffix: str, garbage: bytes) -> None:
    pack = CODECS[suffix]
    rows = read(tmp_path, suffix, pack(page(1)) + garbage + pack(page(2)) + pack(page(3)))
    assert outline(rows) == [url(1), "garbage", url(2), url(3)]
    assert rows[1].offset == len(pack(page(1)))
    assert rows[1].detail == f"{len(garbage)} bytes"
    assert rows[2].offset == len(pack(page(1)) + garbage)
    assert [row.html for row in rows] == [html(1), None, html(2), html(3)]


@pytest.mark.parametrize("suffix", CODECS)
def test_garbage_at_both_ends(tmp_path: Path, suffix: str) -> None:
    pack = CODECS[suffix]
    assert outline(read(tmp_path, suffix, b"junk" + pack(page(1)) + b"junk")) == [
        "garbage",
        url(1),
        "garbage",
    ]
    assert outline(read(tmp_path, suffix, b"junk" * 100)) == ["garbage"]
    assert outline(read(tmp_path, suffix, b"")) == []


@pytest.mark.parametrize("suffix", COMPRESSED)
def test_garbage_that_was_compressed_too(tmp_path: Path, suffix: str) -> None:
    pack = CODECS[suffix]
    for garbage in (b"garbage", b"\0" * 500, b"garbage\r\n" * 100):
        rows = read(tmp_path, suffix, pack(page(1) + garbage) + pack(page(2)) + pack(garbage) + pack(page(3)))
        assert outline(rows) == [url(1), "garbage", url(2), "garbage", url(3)]


@pytest.mark.parametrize("suffix", CODECS)
def test_cut_files(tmp_path: Path, suffix: str) -> None:
    """Wherever a file is cut: the records before are there, and of the one that was cut its beginning."""
    pack = CODECS[suffix]
    whole = pack(page(1)) + pack(page(2))
    last = pack(page(3, 2000))
    kept = 0
    for size in range(0, len(last), 7):
        rows = read(tmp_path, suffix, whole + last[:size])
        found = outline(rows)
        # What only closes a record or a frame is not missed; less than a frame's magic is garbage.
        if len(found) == 3 and found[2] == url(3):
            assert rows[2].html
            assert html(3, 2000).startswith(rows[2].html)
            assert rows[2].truncated == (None if rows[2].html == html(3, 2000) else "end")
            kept += rows[2].truncated == "end"
        elif size == 0:
            assert found == [url(1), url(2)]
        else:
            assert found[:2] == [url(1), url(2)]
            assert found[2:] in (["truncated"], ["garbage"] if size < 10 else ["truncated"])
    # The blocks of zstd and lz4 are larger than this record: nothing of a cut one can be decoded.
    assert (kept > 20) == (suffix in ("", ".gz"))


def test_a_cut_record_keeps_its_url(tmp_path: Path) -> None:
    block = http(random.Random(1).randbytes(300_000))
    for suffix in ("", ".gz", ".zst"):  # the blocks of lz4 are larger than that
        data = b"".join(map(CODECS[suffix], [page(1), record("response", block, "http://cut/")]))
        (_, row) = read(tmp_path, suffix, data[:-50_000])
        assert row.url == "http://cut/"
        if suffix == ".zst":
            assert row.reason == "truncated"
        else:
            assert (row.reason, row.truncated) == (None, "end")
            assert len(row.html or b"") > 200_000


@pytest.mark.parametrize("suffix", CODECS)
def test_record_cut_in_the_middle_of_a_file(tmp_path: Path, suffix: str) -> None:
    """A crawler that died and was started again on the same file."""
    pack = CODECS[suffix]
    broken = pack(record("response", http(random.Random(2).randbytes(100_000))))
    for size in (1, 2, 3, 4, 5, 12, 40, 150, 400, 20_000, 80_000):
        cut = broken[:size]
        found = outline(read(tmp_path, suffix, pack(page(1)) + cut + pack(page(3)) + pack(page(4))))
        assert found[0] == url(1)
        assert found[-2:] == [url(3), url(4)]
        assert len(found) == 4
        assert found[1] in INPUT_FAILURES


@pytest.mark.parametrize("suffix", COMPRESSED)
@pytest.mark.parametrize("size", [100, 3000, 200_000])
def test_flipped_bits(tmp_path: Path, suffix: str, size: int) -> None:
    """Damage in one frame costs that frame's record, and nothing is taken for a page that is not whole."""
    pack = CODECS[suffix]
    before, broken, after = pack(page(1)), pack(page(2, size)), pack(page(3)) + pack(page(4, 5000))
    dice = random.Random(size)
    for _ in range(40):
        place = dice.randrange(len(broken))
        bad = bytearray(broken)
        bad[place] ^= 1 << dice.randrange(8)
        rows = read(tmp_path, suffix, before + bytes(bad) + after)
        found = outline(rows)
        assert found[0] == url(1)
        assert found[-2:] == [url(3), url(4)]
        assert rows[-1].html == html(4, 5000)
        if suffix == ".gz":
            # The flag bits of a gzip header may be flipped to no effect.
            assert len(found) == 4
            assert found[1] in INPUT_FAILURES or (place < 10 and rows[1].html == html(2, size))


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize(
    "length",
    [
        0,
        1,
        17,
        150,
        200,
        256,
        258,
        260,
        300,
        400,
        520,
        600,
        1500,
        10**6,
        10**9,
        10**17,
        "",
        "x",
        "-1",
        "1_0",
        "9" * 30,
    ],
)
def test_wrong_content_length(tmp_path: Path, suffix: str, length: int | str) -> None:
    pack = CODECS[suffix]
    block = http(html(2))
    bad = record("response", block, "http://bad/", length=length)
    rows = read(tmp_path, suffix, b"".join(map(pack, [page(1), bad, page(3), page(4), page(5)])))
    found = outline(rows)
    if length in (258, 260):
        # It takes in some of the line ends between the records, which nobody misses.
        assert found == [url(1), "http://bad/", url(3), url(4), url(5)]
        assert (rows[1].html or b"").strip() == html(2)
    else:
        assert found == [url(1), "bad-length", url(3), url(4), url(5)]
        assert rows[1].url == "http://bad/"
    assert [row.html for row in rows[2:]] == [html(3), html(4), html(5)]


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize("kind", ["response", "metadata"])
@pytest.mark.parametrize("length", [550_000, 10**7, 10**12])
def test_wrong_length_of_a_block_that_is_not_held(
    tmp_path: Path, suffix: str, kind: str, length: int
) -> None:
    pack = CODECS[suffix]
    bad = record(kind, http(html(2), content_type="image/png"), length=length)
    many = [page(number, 20_000) for number in range(40)]
    for data in (b"".join(map(pack, [page(1), bad, *many])), pack(b"".join([page(1), bad, *many]))):
        rows = read(tmp_path, suffix, data)
        assert outline(rows) == [url(1), "bad-length", *(url(number) for number in range(40))]


@pytest.mark.parametrize("suffix", CODECS)
def test_broken_headers(tmp_path: Path, suffix: str) -> None:
    pack = CODECS[suffix]
    for bad in (
        b"WARC/1.0\r\nWARC-Type: resp",
        b"WARC/1.0\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"WARC/1.0\r\nX: " + b"y" * 100_000,
        b"WARC/9.9 is not a version\r\n\r\n",
        b"WARC/",
    ):
        found = outline(read(tmp_path, suffix, b"".join(map(pack, [page(1), bad, page(2), page(3)]))))
        assert found[0] == url(1)
        assert found[-2:] == [url(2), url(3)]
        assert found[1] in INPUT_FAILURES
        assert len(found) == 4


def test_text_that_looks_like_a_record_is_part_of_its_page(tmp_path: Path) -> None:
    body = b"<pre>\r\n\r\n" + page(9) + b"</pre>"
    rows = read(tmp_path, "", record("response", http(body), "http://docs/") + page(2))
    assert [(row.url, row.html) for row in rows] == [("http://docs/", body), (url(2), html(2))]


@pytest.mark.parametrize("suffix", CODECS)
def test_nul_bytes_everywhere(tmp_path: Path, suffix: str) -> None:
    pack = CODECS[suffix]
    nul_url = record("response", http(b"<p>\0\0x"), "http://a/\0b")
    rows = read(tmp_path, suffix, pack(page(1)) + pack(nul_url) + b"\0" * 10 + pack(page(2)))
    assert outline(rows) == [url(1), "http://a/\0b", "garbage", url(2)]
    assert rows[1].html == b"<p>\0\0x"


def test_gzip_name_on_a_plain_file(tmp_path: Path) -> None:
    assert outline(read(tmp_path, ".gz", page(1) + page(2))) == [url(1), url(2)]
    assert outline(read(tmp_path, "", warcs.gz(page(1)) + warcs.gz(page(2)))) == [url(1), url(2)]


def test_random_bytes_never_hang(tmp_path: Path) -> None:
    dice = random.Random(7)
    for suffix in CODECS:
        for start in (b"", CODECS[suffix](b"WARC/1.0\r\n")[:6]):
            rows = read(tmp_path, suffix, start + dice.randbytes(200_000))
            assert rows
            assert {row.reason for row in rows} <= INPUT_FAILURES
        # Many false beginnings of frames.
        rows = read(tmp_path, suffix, page(1) + b"\x1f\x8b\x08\0\x28\xb5\x2f\xfd\x04\x22\x4d\x18" * 20_000)
        assert len(rows) <= 3


def test_gzip_bomb_in_a_page(tmp_path: Path) -> None:
    packed = warcs.gzip_bomb(b"<p>", 1024, b"</p>")
    data = record("response", http(packed, Content_Encoding="gzip"), "http://bomb/")
    tracemalloc.start()
    try:
        rows = read(tmp_path, "", data + page(1))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert outline(rows) == ["too-large", url(1)]
    assert peak < 100 << 20


@pytest.mark.parametrize("encoding", ["br", "zstd"])
def test_other_bombs_in_a_page(tmp_path: Path, encoding: str) -> None:
    packed = warcs.brotli(bytes(1 << 26)) if encoding == "br" else warcs.zst(bytes(1 << 26))
    data = record("response", http(packed, Content_Encoding=encoding), "http://bomb/")
    assert outline(read(tmp_path, "", data + page(1), ReadParams(max_page_bytes=1 << 20))) == [
        "too-large",
        url(1),
    ]


def test_gzip_bomb_as_a_record(tmp_path: Path) -> None:
    """A process that reads a file with a record of 1 GiB stays small."""
    block = http(b"")
    head = record("response", block, "http://bomb/", length=len(block) + (1 << 30), end=b"")
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(warcs.gzip_bomb(head, 1024, b"\r\n\r\n") + warcs.gz(page(1)))
    code = (
        "import sys\n"
        "from pagekin.fs import peak_memory\n"
        "from pagekin.readers import Input, read_input\n"
        "before = peak_memory()\n"
        "print([row.reason for row in read_input(Input(0, sys.argv[1], 'warc'))])\n"
        "print(peak_memory() - before)\n"
    )
    result = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    reasons, grown = result.stdout.splitlines()
    assert reasons == "['too-large', None]"
    assert int(grown) < 150 << 20


@pytest.mark.parametrize("suffix", CODECS)
def test_tiny_records(tmp_path: Path, suffix: str) -> None:
    """Too short for the offsets to be exact, but all there, before and after damage."""
    pack = CODECS[suffix]
    tiny = b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    data = pack(tiny) * 5 + pack(page(1))
    assert outline(read(tmp_path, suffix, data)) == ["not-a-page"] * 5 + [url(1)]
    found = outline(read(tmp_path, suffix, data + b"garbage" + data))
    assert found == ["not-a-page"] * 5 + [url(1), "garbage"] + ["not-a-page"] * 5 + [url(1)]


def test_position_of_a_record() -> None:
    row = Record(7 << 40 | 12, None, None, None, None, None, None, None, "x", 99)
    assert row.position == Position(12, 99)


def test_damage_ahead_is_no_end() -> None:
    """A decoder that failed says nothing more. So the lengths of records before the damage are not wrong."""

    class Decoder:
        """Fails once, and then gives nothing, as the one of lz4 does."""

        answers: Iterator[bytes | OSError] = iter([page(1), OSError("damaged")])

        def read(self, size: int) -> bytes:
            answer = next(self.answers, b"")
            if isinstance(answer, OSError):
                raise answer
            return answer

    ahead = Lookahead(Decoder(), 0)
    size = len(page(1))
    assert [ahead.ends_at(0, end) for end in (size + 900, size, size + 900)] == [None, None, None]
    assert ahead.end is None
