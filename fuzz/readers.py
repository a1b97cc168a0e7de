"""Fuzzes the readers: mutated crawl files and HTTP bodies, with a counter of work.

A failure is an exception, a row out of order, reading on after a row that gives other rows than reading all
did, or work out of proportion: too much for the input's size, or more than linear when it is repeated.

    python fuzz/readers.py [--seconds N] [--seed N] [TARGET...]

The same seed tries the same inputs. An input that fails is written to fuzz/artifacts/ and can be tried again:

    python fuzz/readers.py --input fuzz/artifacts/FILE TARGET

One that ends the whole process stays in the temporary folder, as pagekin-fuzz-*/a.TARGET.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import warcs  # noqa: E402
from faults.meter import counting  # noqa: E402

from pagekin.errors import InputError  # noqa: E402
from pagekin.readers import Input, ReadParams, Record, read_input  # noqa: E402
from pagekin.readers.http import BadEncodingError, TooLargeError, decode_body, parse_head  # noqa: E402

PARAMS = ReadParams(max_page_bytes=1 << 20)
FIXED_WORK = 64 << 20
WORK_PER_BYTE = 10_000
"""Each byte of a gzip file may stand for a thousand, read a few times."""
LARGEST = 1 << 16
REPEATED = 1 << 18
TOKENS = [bytes.fromhex(line) for line in (HERE / "readers.dict").read_text().split()]


def records(count: int = 4) -> list[bytes]:
    odd = warcs.record("response", warcs.http(b"<p>x"), length=5000)
    return [
        warcs.warcinfo(),
        *(warcs.page(number) for number in range(count)),
        odd,
        warcs.wet(9, "words and words"),
    ]


def rows(count: int = 5) -> bytes:
    lines = [{"url": warcs.url(n), "html": warcs.html(n).decode(), "status": 200} for n in range(count)]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def zipped(names: dict[str, bytes], method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in names.items():
            archive.writestr(name, data)
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(
        pa.table({"url": [warcs.url(n) for n in range(9)], "html": [warcs.html(n) for n in range(9)]}), out
    )
    return out.getvalue()


def bodies() -> list[bytes]:
    page = warcs.html(1, 2000)
    chunked = (
        b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (page[:100], page[100:])) + b"0\r\n\r\n"
    )
    return [
        warcs.http(warcs.gz(page), Content_Encoding="gzip"),
        warcs.http(warcs.zst(page), Content_Encoding="zstd"),
        warcs.http(warcs.brotli(page), Content_Encoding="br"),
        warcs.http(warcs.gz(warcs.gz(page)), Content_Encoding="gzip, gzip"),
        warcs.http(chunked, Transfer_Encoding="chunked"),
        warcs.http(warcs.gz(page)[10:-8], Content_Encoding="deflate"),
    ]


def framed(pack: Callable[[bytes], bytes]) -> list[bytes]:
    """Each record in a frame, all in one, and some frames with several."""
    parts = records()
    return [
        b"".join(map(pack, parts)),
        pack(b"".join(parts)),
        pack(b"".join(parts[:3])) + pack(b"".join(parts[3:])),
    ]


def arc_records(count: int = 4) -> list[bytes]:
    start = b"filedesc://a.arc 0.0.0.0 20040506070809 text/plain 6\n1 0 X\n\n"
    pages = [warcs.http(warcs.html(number)) for number in range(count)]
    lines = [
        f"{warcs.url(n)} 192.0.2.1 20040506070809 text/html {len(page)}\n" for n, page in enumerate(pages)
    ]
    return [start, *(line.encode() + page + b"\n" for line, page in zip(lines, pages, strict=True))]


def index() -> list[bytes]:
    """Lines that name records of the file beside them, with their lengths and without."""
    lines, offset = [], 0
    for number, data in enumerate(records()):
        entry = {"filename": BESIDE, "offset": offset, "length": len(data), "url": warcs.url(number)}
        lines.append(f"com,example)/ 2024 {json.dumps(entry)}")
        lines.append(f"com,example)/ 2024 {warcs.url(number)} text/html 200 D - {offset} {BESIDE}")
        offset += len(data)
    return ["\n".join(lines).encode(), "\n".join([" CDX N b a m s k r V g", *lines[1::2]]).encode()]


BESIDE = "beside.warc"


def files(manifest: str) -> dict[str, bytes]:
    """Pages, and where they came from."""
    rows = [{"path": f"a/{n}.html", "url": f"http://b.example/{n}", "status": 200} for n in range(5)]
    csv = "".join(f"{','.join(map(str, row.values()))}\n" for row in ({key: key for key in rows[0]}, *rows))
    text = csv if manifest == "csv" else "".join(f"{json.dumps(row)}\n" for row in rows)
    return {f"manifest.{manifest}": text.encode()} | {f"a/{n}.html": warcs.html(n) for n in range(5)}


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "warc": lambda: [b"".join(records())],
    "warc.gz": lambda: framed(warcs.gz),
    "warc.zst": lambda: [*framed(warcs.zst), warcs.zst_with_dictionary(records())],
    "warc.lz4": lambda: framed(warcs.lz4),
    "http": bodies,
    "wacz": lambda: [
        zipped({"archive/a.warc.gz": framed(warcs.gz)[0]}, zipfile.ZIP_STORED),
        zipped({"archive/a.warc": b"".join(records())}, zipfile.ZIP_DEFLATED),
    ],
    "zip": lambda: [zipped(files(name), zipfile.ZIP_DEFLATED) for name in ("csv", "jsonl", "txt")],
    "arc": lambda: [b"".join(arc_records())],
    "arc.gz": lambda: [b"".join(map(warcs.gz, arc_records())), warcs.gz(b"".join(arc_records()))],
    "cdx": index,
    "jsonl": lambda: [rows()],
    "jsonl.gz": lambda: [warcs.gz(rows()), warcs.gz(rows(2)) + warcs.gz(rows(3))],
    "jsonl.zst": lambda: [warcs.zst(rows())],
    "parquet": lambda: [parquet()],
}


def mutate(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A few changes: bytes, numbers, tokens, parts left out, repeated, moved, or taken from another input."""
    changed = bytearray(data)
    for _ in range(1 << rng.randrange(5)):
        at = rng.randrange(len(changed) + 1)
        size = min(rng.choice((1, 2, 4, 16, 64, 256, 4096)), len(changed) - at)
        match rng.randrange(8):
            case 0 if at < len(changed):
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at : at + size] = rng.randbytes(size)
            case 2:
                changed[at:at] = rng.choice(TOKENS)
            case 3:
                del changed[at : at + size]
            case 4:
                changed[at:at] = changed[at : at + size] * rng.choice((1, 2, 10, 100))
            case 5:
                other = rng.choice(others)
                begin = rng.randrange(len(other))
                changed[at:at] = other[begin : begin + size]
            case 6:
                changed[at : at + 4] = rng.choice((0, 1, 255, 65535, 1 << 31, 0xFFFFFFFF)).to_bytes(
                    4, "little"
                )
            case _:
                number = str(rng.choice((0, -1, 300, 70_000, 10**9, 10**19))).encode()
                where = changed.find(b"Content-Length: ", at)
                if where >= 0:
                    changed[where + 16 : where + 18] = number
        if len(changed) > LARGEST:
            del changed[LARGEST:]
    return bytes(changed)


@dataclass
class Target:
    """One reader, and a file to read from."""

    name: str
    path: Path

    def read(self, data: bytes) -> tuple[int, list[Record]]:
        """The work of reading, as `counting` counts it, and the records."""
        with counting() as meter:
            if self.name == "http":
                read_body(data)
                return meter.work, []
            self.path.write_bytes(data)
            if self.name == "cdx":
                self.path.with_name(BESIDE).write_bytes(b"".join(records()))
            found: list[Record] = []
            with suppress(InputError):
                found = list(read_input(self.input, PARAMS))
        return meter.work, found

    @property
    def input(self) -> Input:
        return Input(0, str(self.path), self.name.partition(".")[0])

    def check(self, data: bytes, rng: random.Random) -> None:
        work, found = self.read(data)
        assert work <= FIXED_WORK + WORK_PER_BYTE * len(data), f"{work} for {len(data)} bytes"
        assert [row.page for row in found] == list(range(len(found))), "rows out of order"
        if found and rng.random() < 0.25 and self.name != "http":
            row = rng.randrange(len(found))
            rest = list(read_input(self.input, PARAMS, found[row].position))
            assert rest == found[row + 1 :], f"other rows when read on after row {row}"
        if rng.random() < 0.02 and data and self.name not in ("parquet", "zip", "wacz"):
            # Both longer than what readers hold: below that, all bytes are looked at for every damage.
            times = -(-REPEATED // len(data))
            work, more = (self.read(data * count)[0] for count in (times, 4 * times))
            assert more <= 4**1.15 * work + FIXED_WORK, f"work {work}, and {more} for 4 times as much"


def read_body(data: bytes) -> None:
    head = parse_head(data, b"")
    if head is not None:
        with suppress(BadEncodingError, TooLargeError):
            decode_body(head, data[head.end :], PARAMS.max_page_bytes)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(SEEDS)}; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--input", type=Path)
    given = parser.parse_args()
    names = given.targets or list(SEEDS)
    with tempfile.TemporaryDirectory(prefix="pagekin-fuzz-") as folder:
        if given.input:
            Target(names[0], Path(folder, f"a.{names[0]}")).check(given.input.read_bytes(), random.Random(0))
            return 0
        return sum(fuzz(Target(name, Path(folder, f"a.{name}")), given) for name in names)


def fuzz(target: Target, given: argparse.Namespace) -> int:
    """Tries inputs until the time is up; the number of failures."""
    corpus, failures, tried = SEEDS[target.name](), 0, 0
    for data in corpus:
        target.check(data, random.Random(1))
    end = time.process_time() + given.seconds
    while time.process_time() < end:
        rng = random.Random(f"{given.seed} {target.name} {tried}")
        data = mutate(rng.choice(corpus), corpus, rng)
        try:
            target.check(data, rng)
        except BaseException as error:  # a panic of a decoder is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            failures += 1
            artifacts = HERE / "artifacts"
            artifacts.mkdir(exist_ok=True)
            path = artifacts / f"{given.seed}-{tried}.{target.name}"
            path.write_bytes(data)
            print(f"{target.name}: {type(error).__name__}: {error}: {path}", flush=True)
        tried += 1
        if failures >= 10:
            break
    print(f"{target.name}: {tried:,} inputs, {failures} failures", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(min(main(), 1))
