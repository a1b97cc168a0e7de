"""Inputs made to hurt each reader and detector, doubled four times: work grows by less than n^1.15.

Readers: counted work (bytes read, decoded, searched, copied). Scans: CPU time beyond that of an empty scan,
and the peak of memory; and the peak of a scan with little memory. `complexity.py 100` begins with 100 pages
instead of 2,000.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from harness import Row, publish

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import warcs  # noqa: E402
from faults.meter import counting  # noqa: E402

from pagekin.readers import Input, ReadParams, read_input  # noqa: E402
from pagekin.synth import write_web  # noqa: E402

DOUBLINGS = 4
MEMORY = 1 << 30
LITTLE = 64 * 10**6
MADE_UP = 100_000
MIB = 1 << 20
PAGEKIN = str(Path(sys.executable).with_name("pagekin"))
Pages = Iterator[dict[str, str]]


def exponent(values: list[float]) -> float:
    """How a value grows with each doubling, over all of them."""
    return math.log2(max(values[-1], 1e-9) / max(values[0], 1e-9)) / (len(values) - 1)


def liars(count: int) -> bytes:
    record = [
        warcs.record("response", warcs.http(b"<p>x"), f"http://a.example/{n}", length=3 * MIB)
        for n in range(count)
    ]
    return b"".join(record) + b"\0" * (4 * MIB)


def framed_liars(count: int) -> bytes:
    return b"".join(gzip.compress(liars(1)[: -4 * MIB], 1, mtime=0) for _ in range(count)) + warcs.gz(
        b"\0" * (4 * MIB)
    )


def short_liars(count: int) -> bytes:
    block = warcs.http(b"<p>x")
    return b"".join(
        warcs.record("response", block, f"http://a.example/{n}", length=1000) for n in range(count)
    )


def damaged_frames(count: int) -> bytes:
    frame = warcs.gz(warcs.page(1))
    damaged = frame[:-60] + bytes(255 - byte for byte in frame[-60:-12]) + frame[-12:]
    return (damaged + b"\x1f\x8b\x08\4aaaaaa\xff\xff" + frame) * (count // 4)


def encoded(body: bytes, encoding: str) -> bytes:
    return warcs.record("response", warcs.http(body, Content_Encoding=encoding))


def wacz(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/a.warc", data)
    return out.getvalue()


def arc_record(number: int) -> bytes:
    line = f"http://a.example/{number} 192.0.2.1 20040506070809 text/html {3 * MIB}\n"
    return line.encode() + warcs.http(b"<p>x") + b"\n"


READERS: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "wrong lengths": ("warc", liars),
    "wrong lengths, one gzip frame": ("warc.gz", lambda n: gzip.compress(liars(n), 1)),
    "wrong lengths, a gzip frame each": ("warc.gz", framed_liars),
    "lengths that reach a few records on, one gzip frame": (
        "warc.gz",
        lambda n: gzip.compress(short_liars(n), 1),
    ),
    "damaged frames among whole ones": ("warc.gz", damaged_frames),
    "headers without an end": ("warc", lambda n: b"WARC/1.0\r\nA:" * n),
    "gzip names without an end": (
        "warc.gz",
        lambda n: warcs.gz(warcs.page(1))[:-40] + b"\x1f\x8b\x08\x08aaaaaa" * n,
    ),
    "empty gzip frames": ("warc.gz", lambda n: warcs.gz(warcs.page(1)) + warcs.gz(b"") * n),
    "gzip members of a page": ("warc", lambda n: encoded(gzip.compress(b"", mtime=0) * n, "gzip")),
    "encodings of a page": ("warc", lambda n: encoded(gzip.compress(b"<p>x"), ", ".join(["gzip"] * n))),
    "chunks of a page": (
        "warc",
        lambda n: warcs.record(
            "response", warcs.http(b"1\r\nx\r\n" * n + b"0\r\n\r\n", Transfer_Encoding="chunked")
        ),
    ),
    "wrong lengths, WACZ": ("wacz", lambda n: wacz(liars(n))),
    "wrong lengths, ARC": ("arc", lambda n: b"".join(arc_record(number) for number in range(n))),
    "wrong lengths, an ARC member each": (
        "arc.gz",
        lambda n: b"".join(gzip.compress(arc_record(number), 1, mtime=0) for number in range(n)),
    ),
    "ARC lines of many fields": ("arc", lambda n: (b"a:" + b" 11 11111111" * 680 + b"\n") * (n // 20)),
    "an index of one large record": ("cdxj", lambda n: b'{"filename": "a.warc", "offset": 0}\n' * n),
    "empty gzip members of JSONL": ("jsonl.gz", lambda n: gzip.compress(b"{}\n") + gzip.compress(b"") * n),
}


def read(form: str, data: bytes, folder: Path) -> int:
    path = folder / f"a.{form}"
    path.write_bytes(data)
    if form == "cdxj":
        (folder / "a.warc").write_bytes(warcs.page(1, 8 * MIB))
    kind = "cdx" if form == "cdxj" else form.partition(".")[0]
    with counting() as meter:
        for _ in read_input(Input(0, str(path), kind), ReadParams()):
            pass
    return meter.work


def words(rng: random.Random, count: int) -> str:
    return " ".join(f"w{rng.randrange(200_000)}" for _ in range(count))


def texts(count: int, text: Callable[[random.Random, int], str], hosts: int = 1000) -> Pages:
    for number in range(count):
        rng = random.Random(number)
        yield {"url": f"http://h{number % hosts}.example/{number}", "text": text(rng, number)}


FRAME = words(random.Random(-1), 400)
PHRASE = words(random.Random(-2), 12)


def in_groups(size: int) -> Callable[[int], Pages]:
    """Each passage is on so many pages."""

    def make(count: int) -> Pages:
        def text(rng: random.Random, number: int) -> str:
            return f"{words(random.Random(-5 - number // size), 60)} {words(rng, 60)}"

        return texts(count, text)

    return make


def chain(rng: random.Random, number: int) -> str:
    halves = [words(random.Random(10**6 + n), 60) for n in (number, number + 1)]
    return " ".join(halves)


def templates(count: int) -> Pages:
    """One template whose pages differ a little: one bucket, near the threshold."""
    for number in range(count):
        rng = random.Random(number)
        cells = "".join(f"<td class='c{rng.randrange(9)}'>{rng.randrange(10**6)}</td>" for _ in range(60))
        html = f"<html><body><div id='x'><table>{cells}</table></div></body></html>"
        yield {"url": f"http://h{number % 1000}.example/{number}", "html": html}


def one_page(count: int) -> Pages:
    yield {"url": "http://a.example/", "text": words(random.Random(1), count * 50)}


def linked(count: int) -> Pages:
    for number in range(count // 20):
        links = "".join(f"<a href='http://t{n % 997}.example/{number}/{n}'>x</a>" for n in range(640))
        yield {"url": f"http://h{number}.example/", "html": f"<p>page {number}{links}"}


SCANS: dict[str, Callable[[int], Pages]] = {
    "equal pages": lambda n: texts(n, lambda _, __: FRAME),
    "one shared phrase": lambda n: texts(n, lambda rng, _: f"{PHRASE} {words(rng, 120)}"),
    "passages on 50 pages each": in_groups(50),
    "passages on 51 pages each": in_groups(51),
    "half of the text shared": lambda n: texts(n, lambda rng, _: f"{FRAME} {words(rng, 400)}"),
    "chains": lambda n: texts(n, chain),
    "one template": templates,
    "one-word pages": lambda n: texts(n, lambda _, number: f"w{number % 7}"),
    "one huge page": one_page,
    "many links": linked,
    "one host": lambda n: texts(n, lambda rng, _: words(rng, 120), hosts=1),
}


def scan(pages: Pages, folder: Path) -> tuple[float, int]:
    """CPU seconds, and the peak of memory."""
    path, run = folder / "a.jsonl", folder / "run"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(page) + "\n" for page in pages)
    subprocess.run(["rm", "-rf", str(run)], check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    args = [PAGEKIN, "scan", str(path), "-o", str(run), "-q", "--memory", str(MEMORY), "--threads", "2"]
    subprocess.run(args, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    info = json.loads((run / "run.json").read_bytes())
    peak = max(step["peak_memory_bytes"] for step in info["steps"].values())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak


def little_memory(folder: Path) -> list[Row]:
    """The peak up to the end of each step, of a made-up web that needs many times the memory it gets."""
    path, run = folder / "web.warc.gz", folder / "little"
    write_web(path, pages=MADE_UP, seed=1)
    args = [PAGEKIN, "scan", str(path), "-o", str(run), "-q", "--memory", str(LITTLE), "--threads", "2"]
    subprocess.run(args, check=True)
    steps = json.loads((run / "run.json").read_bytes())["steps"]
    most = LITTLE / 10**6 + 400
    return [
        Row(
            f"64 MB, {MADE_UP:,} pages, {name}: memory", step["peak_memory_bytes"] / 10**6, "MB", at_most=most
        )
        for name, step in steps.items()
    ]


def main() -> None:
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    only = os.environ.get("COMPLEXITY_ONLY", "")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case, (form, make) in READERS.items():
            if only in case:
                works = [float(read(form, make(first << step), folder)) for step in range(DOUBLINGS + 1)]
                rows.append(Row(f"reader, {case}", exponent(works), "exponent", at_most=1.15))
                print(rows[-1].name, round(rows[-1].value, 3), flush=True)
        empty = scan(iter([{"url": "http://a.example/", "text": "a few words only"}]), folder)[0]
        for case, make_pages in SCANS.items():
            if only in case:
                done = [scan(make_pages(first << step), folder) for step in range(DOUBLINGS + 1)]
                grown = exponent([max(seconds - empty, 0.01 * empty) for seconds, _ in done[-3:]])
                most = max(peak for _, peak in done) / MIB
                rows.append(Row(f"scan, {case}", grown, "exponent", at_most=1.15))
                rows.append(
                    Row(f"scan, {case}: memory", most, "MiB", at_most=MEMORY / MIB + 400 * 10**6 / MIB)
                )
                print(rows[-2].name, round(grown, 3), [round(s, 2) for s, _ in done], round(most), flush=True)
        if only in "little memory":
            rows += little_memory(folder)
    publish("complexity", rows)


if __name__ == "__main__":
    main()
