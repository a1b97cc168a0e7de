"""Files and answers made to hurt a reader: the work grows with their size, not faster."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
import warcs
from faults.growth import MIB, grows, liar, one_frame, plain, work_of
from faults.meter import counting
from warcs import http, page

from pagekin.readers import Input, ReadParams
from pagekin.readers.frames import Codec
from pagekin.readers.http import (
    MAX_CHUNKS,
    MAX_ENCODINGS,
    MAX_IDLE,
    MAX_MEMBERS,
    BadEncodingError,
    decode_body,
    parse_head,
)


@pytest.mark.parametrize(("suffix", "pack"), [("", plain), (".gz", one_frame), (".zst", warcs.zst)])
@pytest.mark.parametrize("reach", [5_000, 300_000, 3 * MIB, 70 * MIB])
def test_lengths_that_reach_far_into_the_file(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes], reach: int
) -> None:
    def make(count: int) -> bytes:
        return b"".join(liar(number, reach) for number in range(count)) + b"\0" * (4 * MIB)

    rows = grows(tmp_path, f"a.warc{suffix}", make, 200, 60, pack)
    assert [row.reason for row in rows[:700]] == ["bad-length"] * 700


@pytest.mark.parametrize(("suffix", "pack"), [("", plain), (".gz", one_frame), (".zst", warcs.zst)])
def test_lengths_that_reach_a_few_records_on(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    """To go back in one long frame costs all of it before that place, however short the way is."""

    def make(count: int) -> bytes:
        return b"".join(liar(number, 1_000) for number in range(count))

    rows = grows(tmp_path, f"a.warc{suffix}", make, 1500, 60, pack)
    assert sum(row.reason == "bad-length" for row in rows) > 5900


@pytest.mark.parametrize(("suffix", "pack"), [("", plain), (".gz", one_frame), (".zst", warcs.zst)])
@pytest.mark.parametrize("length", [800, 5_000])
def test_headers_that_fill_what_was_read_ahead(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes], length: int
) -> None:
    """Whatever is at hand of a block when its length is checked, and be it nothing, the rows are the same."""
    path = tmp_path / f"a.warc{suffix}"
    for size in range(1, 260):
        block = http(b"<p>%d</p>" % size)
        padded = warcs.record("response", block, warcs.url(1), length=length, X_Pad="x" * size)
        data = b"".join([liar(0, 1_000), padded, page(2, 2000), page(3, 9000)])
        path.write_bytes(pack(data))
        rows = work_of(path)[1]
        assert [row.reason for row in rows] == ["bad-length", "bad-length", None, None], size
        assert rows[1].detail == f"{length} bytes, but a record begins after {len(block) + 4}"


@pytest.mark.parametrize("reach", [700_000, 3 * MIB])
def test_long_records_with_wrong_lengths(tmp_path: Path, reach: int) -> None:
    """The next record is not among the bytes that are there already: no more is read than leads to it."""

    def make(count: int) -> bytes:
        return b"".join(
            warcs.record("response", http(b"<p>%d " % number * 100), warcs.url(number), length=reach)
            for number in range(count)
        ) + b"\0" * (4 * MIB)

    rows = grows(tmp_path, "a.warc", make, 1000, 12)
    assert sum(row.reason == "bad-length" for row in rows) > 500  # some end at a record by chance


def test_lengths_that_reach_over_many_frames(tmp_path: Path) -> None:
    def make(count: int) -> bytes:
        return b"".join(warcs.gz(liar(number, 200_000)) for number in range(count)) + warcs.gz(page(1))

    rows = grows(tmp_path, "a.warc.gz", make, 300, 400)
    assert rows[0].reason == "bad-length"
    assert rows[-1].reason is None


def test_wrong_lengths_before_what_unpacks_to_much(tmp_path: Path) -> None:
    """Each length points into zeros that cost a thousandth of their size."""

    def make(count: int) -> bytes:
        liars = b"".join(liar(number, 8 * MIB + number) for number in range(count))
        return one_frame(liars + b"\0" * (12 * MIB))

    works = []
    for count in (100, 400):
        (tmp_path / "a.warc.gz").write_bytes(make(count))
        works.append(work_of(tmp_path / "a.warc.gz")[0])
    assert works[1] < works[0] * 1.5


def test_a_frame_of_many_bad_records_is_begun_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(one_frame(b"".join(liar(n, 5 * MIB) for n in range(2000))))
    reader = Mock(wraps=Codec.reader)
    monkeypatch.setattr(Codec, "reader", lambda *args: reader(*args))
    assert len(work_of(tmp_path / "a.warc.gz")[1]) == 2000
    assert reader.call_count < 20


@pytest.mark.parametrize("pack", [plain, one_frame])
@pytest.mark.parametrize("reach", [1_000, MIB])
def test_wrong_lengths_in_a_stream(tmp_path: Path, pack: Callable[[bytes], bytes], reach: int) -> None:
    """Standard input cannot be gone back in: after some wrong lengths none is followed past a record."""
    from pagekin.readers.source import ReplayBuffer
    from pagekin.readers.warc import WarcReader

    works = []
    for count in (500, 2000):
        data = b"".join(liar(number, reach) for number in range(count)) + b"\0" * (2 * MIB)
        path = tmp_path / "a.warc"
        path.write_bytes(pack(data))
        with counting() as meter, path.open("rb") as file:
            reader = WarcReader(Input(0, "-", "stream"), ReadParams())
            rows = list(reader.records(ReplayBuffer(file, owned=True)))
        works.append(meter.work)
        assert {row.reason for row in rows} <= {"bad-length", "garbage"}
        assert len(rows) >= count
    assert works[1] < works[0] * 4


def test_headers_without_an_end(tmp_path: Path) -> None:
    rows = grows(tmp_path, "a.warc", lambda count: b"WARC/1.0\r\nA:" * count, 5000, 200)
    assert {row.reason for row in rows} == {"garbage", "truncated"}
    rows = grows(tmp_path, "a.warc", lambda count: b"WARC/1.0\r\nA: b\r\n" * count + b"\r\n", 5000, 200)
    rows = grows(tmp_path, "a.warc", lambda count: b"WARC/1.0\r\n" + b"WARC/" * count, 20_000, 600)
    many = b"".join(b"X-%d: y\r\n" % number for number in range(3000))
    rows = grows(tmp_path, "a.warc", lambda count: (b"WARC/1.0\r\n" + many + b"\r\n\r\n") * count, 20, 600)


@pytest.mark.parametrize(
    "unit",
    [
        b"\x1f\x8b\x08\x08aaaaaa",  # a file name that never ends
        b"\x1f\x8b\x08",  # headers in headers
        b"\x1f\x8b\x08\x10aaaaaa",  # a comment
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\0\0\0\xff\xff" * 3,  # blocks without content
    ],
)
def test_gzip_headers_without_an_end(tmp_path: Path, unit: bytes) -> None:
    start = warcs.gz(page(1)) + warcs.gz(page(2))[:-40]
    rows = grows(tmp_path, "a.warc.gz", lambda count: start + unit * count + warcs.gz(page(3)), 10_000, 300)
    assert rows[0].url == warcs.url(1)


@pytest.mark.parametrize("suffix", [".zst", ".lz4"])
def test_magic_numbers_without_frames(tmp_path: Path, suffix: str) -> None:
    pack = warcs.CODECS[suffix]
    unit = b"\x28\xb5\x2f\xfd\0\x58" if suffix == ".zst" else b"\x04\x22\x4d\x18\x64\x40\xa7"
    start = pack(page(1)) + pack(page(2))[:-40]
    rows = grows(tmp_path, f"a.warc{suffix}", lambda count: start + unit * count, 10_000, 400)
    assert rows[0].url == warcs.url(1)


@pytest.mark.parametrize("damage", ["magic numbers", "damaged frames"])
def test_a_dictionary_is_copied_seldom(tmp_path: Path, damage: str) -> None:
    """Each decoder takes a copy of the dictionary, which a few hundred bytes can unpack to."""
    begin = warcs.dictionary_frame(bytes(2 * MIB))
    frame = warcs.zst(page(1))
    damaged = frame[:-60] + bytes(255 - byte for byte in frame[-60:-12]) + frame[-12:]
    unit = b"\x28\xb5\x2f\xfd\0\x58" * 40 if damage == "magic numbers" else damaged + frame

    def make(count: int) -> bytes:
        return begin + frame + frame[:-40] + unit * count

    rows = grows(tmp_path, "a.warc.zst", make, 100, 50_000)
    assert rows[0].url == warcs.url(1)


TOO_LARGE = "the dictionary at the beginning of the file is larger than 2097152 bytes"
CUT = "the file ends inside the dictionary at its beginning"


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (warcs.dictionary_frame(bytes(2 * MIB + 1)), TOO_LARGE),
        (struct.pack("<II", 0x184D2A5D, (1 << 32) - 1) + bytes(40), TOO_LARGE),
        (struct.pack("<II", 0x184D2A5D, 4096) + bytes(40), CUT),
    ],
    ids=["unpacked", "stored", "cut"],
)
def test_a_dictionary_that_is_none(tmp_path: Path, stored: bytes, why: str) -> None:
    """One as long as the file would be copied for each of its frames."""
    (tmp_path / "a.warc.zst").write_bytes(stored)
    rows = work_of(tmp_path / "a.warc.zst")[1]
    assert [(row.reason, row.detail) for row in rows] == [("unreadable", why)]


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".lz4"])
def test_many_damaged_frames(tmp_path: Path, suffix: str) -> None:
    """Each has a search of its own, whose trials must not cost more than the way to the next frame."""
    pack = warcs.CODECS[suffix]
    fakes = {
        ".gz": b"\x1f\x8b\x08\4aaaaaa\xff\xff",
        ".zst": b"\x28\xb5\x2f\xfd\0\x58",
        ".lz4": b"\x04\x22\x4d\x18\x64\x40\xa7",
    }

    def make(count: int) -> bytes:
        frame = pack(page(1))
        damaged = frame[:-60] + bytes(255 - byte for byte in frame[-60:-12]) + frame[-12:]
        return (damaged + fakes[suffix] * 3 + frame) * count

    works = []
    for count in (400, 1600):
        (tmp_path / f"a.warc{suffix}").write_bytes(make(count) + pack(page(1)))
        work, rows = work_of(tmp_path / f"a.warc{suffix}")
        works.append(work)
        assert rows[-1].reason is None
        assert len(rows) >= count
    assert works[1] < works[0] * 4**1.15, works


def test_frames_inside_of_frames(tmp_path: Path) -> None:
    """Stored blocks that hold the next frame's beginning: each frame could be followed to the end."""
    unit = (
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff\0"
        + struct.pack("<HH", 14, 0xFFFF ^ 14)
        + b"WARC/1.0\r\nA: b\0"
        + struct.pack("<HH", 60_000, 0xFFFF ^ 60_000)
    )
    works = []
    for count in (3000, 5000, 7000):
        (tmp_path / "a.warc.gz").write_bytes(unit * count)
        works.append(work_of(tmp_path / "a.warc.gz")[0])
    assert works[2] - works[1] < (works[1] - works[0]) * 1.1


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".lz4"])
def test_frames_without_content_are_passed_over(tmp_path: Path, suffix: str) -> None:
    pack = warcs.CODECS[suffix]

    def make(count: int) -> bytes:
        return (
            pack(page(1)) + pack(b"") * count + pack(page(2)[:200]) + pack(b"") * count + pack(page(2)[200:])
        )

    rows = grows(tmp_path, f"a.warc{suffix}", make, 3000, 100)
    assert [row.url for row in rows] == [warcs.url(1), warcs.url(2)]
    assert rows[1].html == warcs.html(2)


def body_work(encoding: str, body: bytes, transfer: str = "", limit: int = 64 * MIB) -> tuple[int, str]:
    headers = {"Content-Encoding": encoding, "Transfer-Encoding": transfer}
    lines = [f"{name}: {value}" for name, value in headers.items() if value]
    answer = "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()
    head = parse_head(answer, b"")
    assert head is not None
    with counting() as meter:
        try:
            return meter.work, str(len(decode_body(head, body, limit))) + "|" + str(meter.work)
        except BadEncodingError as error:
            return meter.work, str(error)


@pytest.mark.parametrize("count", [20_000, 200_000])
def test_gzip_members_without_end(count: int) -> None:
    body = gzip.compress(b"", mtime=0) * count
    work, problem = body_work("gzip", body)
    assert problem == f"inflate: more than {MAX_MEMBERS} gzip members"
    assert work < MAX_MEMBERS * 2000


def test_some_gzip_members_are_fine() -> None:
    body = b"".join(gzip.compress(b"<p>%d" % number) for number in range(500))
    head = parse_head(http(b"", Content_Encoding="gzip"), b"")
    assert head is not None
    assert decode_body(head, body, MIB) == b"".join(b"<p>%d" % number for number in range(500))


@pytest.mark.parametrize("window", ["gzip", "deflate"])
def test_blocks_that_yield_nothing(window: str) -> None:
    start = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" if window == "gzip" else b"\x78\x9c"
    work, problem = body_work(window, start + b"\0\0\0\xff\xff" * 4_000_000)
    assert problem.startswith("inflate:")
    assert work < 8 * MIB


def test_frames_of_zstd_without_end() -> None:
    work, problem = body_work("zstd", warcs.zst(b"") * 100_000)
    assert problem == f"zstd: more than {MAX_MEMBERS} frames"
    work, problem = body_work("zstd", warcs.zst(b"<p>") + b"\x50\x2a\x4d\x18\0\0\0\0" * 100_000)
    assert problem == f"zstd: more than {MAX_MEMBERS} frames"
    assert work < 1000


@pytest.mark.parametrize("block", [b"\0\0\0", b"\x02\0\0\0"], ids=["raw", "repeated"])
def test_blocks_of_zstd_that_yield_nothing(block: bytes) -> None:
    body = b"\x28\xb5\x2f\xfd\0\x58" + block * 400_000 + b"\1\0\0"
    assert body_work("zstd", body)[1] == f"zstd: {MAX_IDLE} bytes of compressed data that yield nothing"


def test_windows_of_zstd_are_bounded_in_every_frame() -> None:
    small = warcs.zst(b"<p>hello")
    window = b"\x28\xb5\x2f\xfd\0\xa8" + b"\1\0\0" + b"\0" * 20  # 2^31 bytes
    segment = b"\x28\xb5\x2f\xfd\xe0" + (1 << 30).to_bytes(8, "little") + b"\1\0\0" + b"\0" * 20
    for bad in (window, segment, small + window, small + segment):
        assert body_work("zstd", bad)[1] == "zstd: the window is too large"


def test_brotli_without_content() -> None:
    works = [body_work("br", b"\x0c" + b"\x06" * count + b"\x03")[0] for count in (10_000, 1_000_000)]
    assert works[1] <= works[0] * 100


@pytest.mark.parametrize("layers", [MAX_ENCODINGS + 1, 80, 13_000])
def test_stacked_encodings(layers: int) -> None:
    body = b"<p>hello"
    for _ in range(min(layers, 80)):
        body = gzip.compress(body, 1)
    work, problem = body_work(", ".join(["gzip"] * layers), body)
    assert problem == f"{layers} content encodings, more than {MAX_ENCODINGS}"
    assert work == 0


def test_a_few_encodings_are_undone() -> None:
    body = b"<p>hello" * 10
    for _ in range(MAX_ENCODINGS):
        body = gzip.compress(body)
    assert body_work(", ".join(["gzip"] * MAX_ENCODINGS), body)[1].startswith("80|")


def test_chunks_without_end() -> None:
    works = []
    for count in (MAX_CHUNKS // 64, MAX_CHUNKS // 16):
        _, found = body_work("", b"1\r\nx\r\n" * count + b"0\r\n\r\n", "chunked")
        works.append(int(found.partition("|")[2]))
    assert works[1] <= works[0] * 4.1
    assert "more than" in body_work("", b"1\r\nx\r\n" * (MAX_CHUNKS + 2), "chunked")[1]


def test_a_header_flood_is_no_head() -> None:
    flood = b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(20_000))
    assert parse_head(flood, b"") is None
