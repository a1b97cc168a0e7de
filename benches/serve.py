"""The check service and the review app over 1,000,000 stored pages, one cluster of them with 600,000.

The run folder is a made-up web of 20,000 pages fifty times, with other hosts and other fingerprints each
time. Its tables are written without a scan: what is measured here begins with a finished run. `python
serve.py 5` takes five copies.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import duckdb
import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from harness import Row, cache_folder, publish
from linear import web

import pagekin
from pagekin.index.catalog import Catalog
from pagekin.run import Run
from pagekin.tables import TABLES

PAGES, COPIES = 20_000, 50
STEP = 1 << 20
"""Between the ids of a page in two copies; more than a copy has records."""
HUGE = 30
"""Copies whose pages are one cluster."""
PER_SECOND, SECONDS = 50, 20
ROUNDS = 3
"""Of single checks; the best one counts, because other work on the machine only ever makes them slower."""
BATCH = 100

_IDS = ("page", "class", "representative", "cluster", "centroid", "source")
_URLS = ("url", "source_url", "centroid_url", "example_url", "of_url")


def fabricated(copies: int) -> Path:
    """The run folder, kept for the next time."""
    folder = cache_folder() / f"serve-{copies}x-run"
    if folder.exists():
        return folder
    source = cache_folder() / "serve-run"
    if not source.exists():
        unfinished = source.with_name("unfinished-serve-run")
        shutil.rmtree(unfinished, ignore_errors=True)
        pagekin.scan(web(PAGES), unfinished, threads=2)
        unfinished.rename(source)
    unfinished = folder.with_name(f"unfinished-{folder.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    run = Run(source)
    for name in run.tables:
        (unfinished / f"{name}.parquet").mkdir()
        for copy in range(copies):
            part = unfinished / f"{name}.parquet" / f"part-{copy:06d}.parquet"
            if name in ("phrases", "url_parameters", "duplicate_rates") and copy:
                continue
            _write_copy(run, name, part, copy, copies)
    info = json.loads((source / "run.json").read_text())
    (unfinished / "run.json").write_text(json.dumps(info))
    unfinished.rename(folder)
    return folder


def _write_copy(run: Run, name: str, part: Path, copy: int, copies: int) -> None:
    table = run.table(name)
    huge = copy < HUGE * copies // COPIES
    columns = []
    for field in TABLES[name].schema:
        column = table[field.name].combine_chunks()
        if field.name in _IDS:
            numbers = np.asarray(column.fill_null(-1)) + copy * STEP
            if huge and field.name == "cluster" and name != "duplicate_rates":
                numbers[:] = 0
            column = pa.array(numbers, pa.int64())
        elif field.name in _URLS and copy:
            column = pa.array(
                [url and re.sub(r"(?<=://)", f"c{copy}.", url, count=1) for url in column.to_pylist()]
            )
        elif field.name in ("host", "domain", "site") and copy:
            column = pa.array([value and f"c{copy}{value}" for value in column.to_pylist()])
        elif field.name in ("style", "shingles") and copy:
            width = 2 if field.name == "style" else 8
            turn = np.frombuffer((copy * 1_291).to_bytes(width, "little"), f"<u{width}")[0]
            column = pa.array(
                [
                    None if b is None else (np.frombuffer(b, f"<u{width}") ^ turn).tobytes()
                    for b in column.to_pylist()
                ],
                pa.binary(),
            )
        elif field.name == "donors":
            column = pa.nulls(len(column), field.type) if copy else column
        columns.append(column.cast(field.type))
    made = pa.Table.from_arrays(columns, schema=TABLES[name].schema)
    if name == "style_clusters" and huge:
        made = _one_cluster(made, copies) if copy == 0 else made.slice(0, 0)
    pq.write_table(made, part, compression="zstd", compression_level=1, row_group_size=1_000)


def _one_cluster(clusters: pa.Table, copies: int) -> pa.Table:
    row = clusters.slice(0, 1).to_pylist()[0]
    pages = PAGES * (HUGE * copies // COPIES)
    return pa.Table.from_pylist(
        [row | {"cluster": 0, "pages": pages, "domains": pages // 4}], clusters.schema
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of all lies."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


async def steady(url: str, bodies: Sequence[bytes]) -> list[float]:
    """Milliseconds from each request to the end of its answer, at a steady rate, whatever is under way.

    Written on bare streams: a client library takes as much time as the server does, on the same two cores.
    """
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    path = "/" + url.removeprefix("http://").partition("/")[2]
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    taken: list[float] = []

    async def ask(body: bytes, due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        reader, writer = idle.pop() if idle else await asyncio.open_connection(host, int(port))
        head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        begin = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer.lower())
        if not answer.startswith(b"HTTP/1.1 200") or length is None:
            raise ConnectionError(answer.decode())
        await reader.readexactly(int(length[1]))
        taken.append(1e3 * (time.perf_counter() - begin))
        idle.append((reader, writer))

    begin = time.perf_counter() + 0.2
    await asyncio.gather(*(ask(body, begin + n / PER_SECOND) for n, body in enumerate(bodies)))
    for _, writer in idle:
        writer.close()
    return taken


def screens(run: Path) -> list[str]:
    """Every kind of screen, the heaviest of each kind."""
    catalog = Catalog(Run(run))
    quilt = catalog.one("SELECT page FROM quilts ORDER BY sources DESC LIMIT 1")
    number = catalog.one('SELECT "class" FROM classes ORDER BY pages DESC LIMIT 1')
    domain = catalog.one("SELECT domain FROM domains ORDER BY pages DESC LIMIT 1")
    worm = catalog.one("SELECT cluster FROM clusters WHERE cluster > 0 ORDER BY pages DESC LIMIT 1")
    url = catalog.one("SELECT url FROM pages WHERE page > 5000 LIMIT 1")
    catalog.close()
    return [
        "/", "/quilts", "/quilts?sort=-sources&shared=0.6", "/clusters", "/clusters?domains=2&sort=-pages",
        "/copies",
        "/phrases", "/sites", "/sites?sort=-quilts", "/sites?site=c7", "/precision", "/verdicts",
        f"/quilts/{quilt}",
        "/clusters/0", f"/clusters/{worm}", f"/copies/{number}", f"/sites/{quote(domain)}", f"/pages/{quilt}",
        f"/search?q={quote(url, safe='')}", "/search?q=c7.", "/search?q=the", "/judge/quilts/random/100/0/1",
        "/judge/clusters/rank/100/0/1", "/judge/classes/random/100/0/1", "/judge/sites/random/100/0/1",
        "/api/tables/pages?sort=-words&limit=50",
    ]  # fmt: skip


def main() -> None:
    """Builds the index, then asks."""
    copies = int(sys.argv[1]) if len(sys.argv) > 1 else COPIES
    run = fabricated(copies)
    stored = PAGES * copies
    command = [sys.executable, "-m", "pagekin.cli.main", "serve", str(run), "--port", "0"]
    code = "from pagekin.cli.main import main; main()"
    command[1:3] = ["-c", code]
    begin = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            url = next(found[1] for line in server.stderr if (found := re.search(r"app: (http\S+)/", line)))
            building = time.perf_counter() - begin
            rows = [Row(f"building the index of {stored:,} pages, and starting", building, "s")]
            rows += measure(url, run, server.pid, stored)
        finally:
            server.terminate()
    publish("serve", rows)


def measure(url: str, run: Path, pid: int, stored: int) -> list[Row]:
    """How fast checks and screens are answered."""
    wait(url)
    whole = (page for page in pagekin.read(web(PAGES)) if page.html is not None)
    pages = list(islice(whole, PER_SECOND * SECONDS))
    singles = [
        json.dumps(
            {"html": (p.html or b"").decode("utf-8", "replace"), "url": f"http://new{n}.example/"}
        ).encode()
        for n, p in enumerate(pages)
    ]
    asyncio.run(steady(f"{url}/api/check", singles[:100]))  # the files come into memory
    # The client's own pauses would count as the server's.
    gc.collect()
    gc.disable()
    before = processor_time(pid)
    rounds = []
    for _ in range(ROUNDS):
        rounds.append(asyncio.run(steady(f"{url}/api/check", singles)))
        said = ", ".join(f"p{100 * p:.0f} {percentile(rounds[-1], p):.1f}" for p in (0.5, 0.9, 0.99, 1.0))
        print(f"checks: {said} ms; load of the machine {os.getloadavg()[0]:.1f}", file=sys.stderr)
    cost = 1e3 * (processor_time(pid) - before) / (ROUNDS * len(singles))
    gc.enable()
    taken = min(rounds, key=lambda found: percentile(found, 0.99))
    batches = [
        json.dumps({"pages": [json.loads(body) for body in singles[at : at + BATCH]]}).encode()
        for at in range(0, len(singles), BATCH)
    ]
    begin = time.perf_counter()
    for body in batches:
        httpx.post(f"{url}/api/check", content=body, headers={"Content-Type": "application/json"}, timeout=60)
    rate = len(singles) / (time.perf_counter() - begin)
    worst, slowest = 0.0, ""
    shown = screens(run)
    with httpx.Client(timeout=60, follow_redirects=True) as client:
        for path in shown:
            client.get(url + path)
            own = []
            for _ in range(3):
                begin = time.perf_counter()
                client.get(url + path).raise_for_status()
                own.append(1e3 * (time.perf_counter() - begin))
            middle = statistics.median(own)
            print(f"{middle:8.1f} ms  {path}", file=sys.stderr)
            if middle > worst:
                worst, slowest = middle, path
        giant = []
        for _ in range(3):
            begin = time.perf_counter()
            client.get(f"{url}/clusters/0").raise_for_status()
            giant.append(1e3 * (time.perf_counter() - begin))
    index = httpx.get(f"{url}/api/run").json()["index_bytes"]
    resident = int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) * 1024  # type: ignore[index]
    return [
        Row(f"check at {PER_SECOND} requests/s, p50", percentile(taken, 0.5), "ms", at_most=5),
        Row("the same, p99", percentile(taken, 0.99), "ms", at_most=25),
        Row("processor time of the server for a check", cost, "ms"),
        Row(f"check in batches of {BATCH}", rate, "pages/s", at_least=300),
        Row("check index, mapped and shared by workers", index / stored, "bytes a page"),
        Row("resident memory of a worker, mapped pages included", resident / 1e6, "MB"),
        Row(f"slowest of {len(shown)} screens ({slowest})", worst, "ms", at_most=200),
        Row("the page of the largest cluster", statistics.median(giant), "ms", at_most=200),
    ]


def processor_time(pid: int) -> float:
    """Seconds that a process has computed: what a busy machine makes no longer."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait(url: str) -> None:
    """Until it answers."""
    for _ in range(600):
        try:
            httpx.get(f"{url}/api/run", timeout=60)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError(url)


if __name__ == "__main__":
    print(f"DuckDB {duckdb.__version__}", file=sys.stderr)
    main()
