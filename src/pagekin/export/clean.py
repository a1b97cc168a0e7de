"""The corpus without copies: one page of each duplicate class and, if wanted, only what is its own."""

from __future__ import annotations

import gzip
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pagekin import _core
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, Progress, Silent
from pagekin.engines.local import LocalEngine
from pagekin.errors import MissingExtraError, TableMissingError, UsageError
from pagekin.fs import writing
from pagekin.run import Run
from pagekin.tables.crawl import DATE
from pagekin.tables.lookup import TableLookup
from pagekin.warc import warc_record

PASSAGE = pa.struct([pa.field("start", pa.int64()), pa.field("end", pa.int64())])
SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("text", pa.string()),
        ("title", pa.string()),
        ("date", DATE),
        ("page", pa.int64()),
        ("copies", pa.int64()),
    ]
)
OWN = SCHEMA.append(pa.field("passages", pa.list_(PASSAGE)))


@dataclass(frozen=True)
class Exported:
    pages: int
    copies: int
    """left out: another page of their class stands for them"""
    empty: int
    """left out: no word"""
    cut: int
    """left out: every passage that would count is an earlier page's"""


def export_clean(
    run: Run,
    output: Path,
    *,
    original_only: bool = False,
    min_words: int = 1,
    threads: int | None = None,
    memory: int = 4 * 10**9,
    progress: Progress | None = None,
) -> Exported:
    """Writes the corpus with one page per duplicate class, as the JSONL, Parquet or WARC file its name says.

    Args:
        run: A run with the table `duplicates`.
        output: The file: `.jsonl`, `.jsonl.gz`, `.jsonl.zst`, `.parquet`, `.warc` or `.warc.gz`.
        original_only: Cut passages that an earlier page has: earlier by date where known, then by page id.
            A page is as early as the earliest of its class.
        min_words: Leave out passages of fewer words.
        threads: How many threads may be used; by default all cores.
        memory: Bytes that may be used; more goes to a folder beside the output.
        progress: Is told how the work goes on.
    """
    write = writer_of(output)
    if "duplicates" not in run.tables:
        raise TableMissingError(f"{run.path} has no table 'duplicates'; scan with only=[\"duplicates\"]")
    engine = LocalEngine(threads, progress or Silent(), memory)
    copies = run.copies()
    left_out = TableLookup(pa.table({"page": copies}))
    pages = _PageColumns(
        run.table("pages", ["page", "title", "date", "words"]), run.table("duplicates", ["class", "page"])
    )
    counted = _RowCounter()

    def texts() -> Iterator[Batch]:
        for batch in engine.load(run, "texts").open(None):
            kept = batch.filter(pc.invert(left_out.contains(batch.column("page"))))
            yield kept.filter(pages.has_words(kept.column("page")))

    with writing(output), TemporaryDirectory(dir=output.parent, prefix=f".{output.name}.") as folder:
        partial = Path(folder) / output.name
        schema = SCHEMA
        rows: Iterator[Batch] = map(pages.join, texts())
        if original_only:
            schema = OWN
            cut = _cutter(run, engine, pages, texts, min_words, folder)
            rows = (pages.join(batch, cut(batch)) for batch in texts())
        write(partial, schema, map(counted, rows))
        partial.replace(output)
    kept = pages.ids.filter(pc.invert(left_out.contains(pages.ids)))
    worded = len(kept.filter(pages.has_words(kept)))
    return Exported(counted.rows, len(copies), len(kept) - worded, worded - counted.rows)


class _RowCounter:
    rows = 0

    def __call__(self, batch: Batch) -> Batch:
        self.rows += batch.num_rows
        return batch


class _PageColumns:
    """What the run knows of pages beside their texts."""

    def __init__(self, pages: pa.Table, duplicates: pa.Table) -> None:
        self.ids = pages["page"].combine_chunks()
        self.dates = pages["date"].combine_chunks()
        self.known = TableLookup(pages)
        dates = self.known.column("date", duplicates["page"])
        members = pa.table({"class": duplicates["class"], "date": dates})
        classes = members.group_by("class").aggregate([("class", "count"), ("date", "min")])
        self.classes = TableLookup(classes, "class")

    def has_words(self, page: pa.Array) -> pa.Array:
        return pc.greater(self.known.column("words", page), 0)

    def order(self) -> Batch:
        """Pages with their ranks: by date where it is known, then by page id.

        A page stands for its class, which had the text as soon as any of its pages did.
        """
        dates = pc.coalesce(self.classes.column("date_min", self.ids), self.dates)
        keys = pa.table({"page": self.ids, "date": dates})
        places = pc.sort_indices(keys, sort_keys=[("date", "ascending"), ("page", "ascending")])
        ranks = pc.sort_indices(places).cast(pa.int64())
        return pa.RecordBatch.from_arrays([self.ids, ranks], names=["page", "rank"])

    def join(self, texts: Batch, cut: Batch | None = None) -> Batch:
        """Rows as they are written; pages of which nothing is left are left out."""
        page = texts.column("page")
        size = pc.coalesce(self.classes.column("class_count", page), pa.scalar(1))
        text = texts.column("text") if cut is None else cut.column("text")
        title, date = (self.known.column(name, page) for name in ("title", "date"))
        columns = [texts.column("url"), text, title, date, page, pc.subtract(size, 1)]
        if cut is None:
            return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
        columns.append(cut.column("passages").cast(OWN.field("passages").type))
        rows = pa.RecordBatch.from_arrays(columns, schema=OWN)
        return rows.filter(pc.greater(pc.binary_length(rows.column("text")), 0))


def _cutter(
    run: Run,
    engine: LocalEngine,
    pages: _PageColumns,
    texts: Callable[[], Iterator[Batch]],
    min_words: int,
    folder: str,
) -> Callable[[Batch], Batch]:
    """Reads all texts once to learn which page was first to have a phrase."""
    kernel = shingler(run.params.shingles)
    originals = _core.Originals(pages.order(), kernel, engine.threads, engine.memory, folder)
    for batch in texts():
        originals.push(batch.select(["page", "text"]))
    originals.seal()
    return lambda batch: originals.cut(batch.select(["page", "text"]), min_words)


WriteRows = Callable[[Path, pa.Schema, Iterator[Batch]], None]


def writer_of(path: Path) -> WriteRows:
    for end, write in WRITERS.items():
        if path.name.lower().endswith(end):
            return write
    raise UsageError(f"cannot export to {path}: give a name that ends with one of {', '.join(WRITERS)}")


def _write_parquet(path: Path, schema: pa.Schema, rows: Iterator[Batch]) -> None:
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in rows:
            writer.write_batch(batch)


def _write_jsonl(path: Path, schema: pa.Schema, rows: Iterator[Batch]) -> None:
    with _opened(path) as file:
        for batch in rows:
            for row in batch.to_pylist():
                file.write(
                    json.dumps(row, ensure_ascii=False, default=_plain).encode("utf-8", "replace") + b"\n"
                )


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _write_warc(path: Path, schema: pa.Schema, rows: Iterator[Batch]) -> None:
    """WET-like: a conversion record a page, each a gzip member of its own in a `.gz` file."""
    level = 6 if path.name.lower().endswith(".gz") else None
    with path.open("wb") as file:
        for batch in rows:
            for row in batch.to_pylist():
                file.write(_record(row, level))


def _record(row: dict[str, Any], level: int | None) -> bytes:
    date = row["date"] or datetime(1970, 1, 1, tzinfo=UTC)
    fields = {
        "WARC-Date": date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-Target-URI": "".join((row["url"] or "").split()),
    }
    if row.get("passages") is not None:
        spans = (f"{passage['start']}-{passage['end']}" for passage in row["passages"])
        fields["Pagekin-Passages"] = ",".join(spans)
    name = uuid.uuid5(uuid.NAMESPACE_URL, f"pagekin:{row['page']}:{row['url']}")
    block = row["text"].encode("utf-8", "replace")
    return warc_record("conversion", str(name), fields, "text/plain", block, level)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    name = path.name.lower()
    if name.endswith(".gz"):
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
            yield file
    elif name.endswith(".zst"):
        try:
            codec = pa.CompressedOutputStream(str(path), "zstd")
        except (NotImplementedError, pa.ArrowException):
            raise MissingExtraError("writing .zst files", "remote") from None
        with codec:
            yield codec
    else:
        with path.open("wb") as file:
            yield file


WRITERS: dict[str, WriteRows] = {
    ".jsonl": _write_jsonl,
    ".jsonl.gz": _write_jsonl,
    ".jsonl.zst": _write_jsonl,
    ".parquet": _write_parquet,
    ".warc": _write_warc,
    ".warc.gz": _write_warc,
}
