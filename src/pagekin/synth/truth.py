"""The truth table beside a made-up web: one row per page, in file order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.synth.page import Page

SOURCE = pa.struct(
    [pa.field("url", pa.string()), pa.field("share", pa.float64()), pa.field("attributed", pa.bool_())]
)
# name, type, what it says
COLUMNS: tuple[tuple[str, pa.DataType, str], ...] = (
    ("url", pa.string(), "the page's URL; unique"),
    ("kind", pa.string(), "what the page is"),
    ("site", pa.string(), "its host"),
    ("domain", pa.string(), "its registered domain"),
    ("ip", pa.string(), "the IP address it was fetched from"),
    ("template", pa.string(), "template family; null where no template made it"),
    ("generator", pa.string(), "what its generator meta says; null where it has none"),
    ("farm", pa.string(), "link farm or slice-and-dice farm it belongs to"),
    ("mirror_group", pa.string(), "the mirrored site, original and copies alike"),
    ("mirror_of", pa.string(), "URL of the original page; null on the original"),
    ("copy_group", pa.string(), "pages that paste the same piece"),
    ("copy_kind", pa.string(), "what they paste: licence, frameset, script"),
    ("near_group", pa.string(), "a document and its edited copies"),
    ("near_edit_rate", pa.float64(), "share of the document's words replaced; 0 on the original"),
    ("near_mode", pa.string(), "where the copies stand: same_site, same_chrome, reframed"),
    ("cms_unique", pa.string(), "URL of the one document or list that this view shows"),
    ("cms_view", pa.string(), "canonical, session, print, list, sort, calendar, pagination, tag"),
    (
        "quilt_sources",
        pa.list_(SOURCE),
        "pages it takes passages from, their shares of what is taken, linked to or not",
    ),
    ("quilt_fraction", pa.float64(), "taken words among the words of its main part"),
    ("damage", pa.string(), "what is broken, where the kind is broken"),
    ("language", pa.string(), "made-up language and script"),
    ("charset", pa.string(), "charset of its bytes"),
    ("charset_declared", pa.string(), "where it is declared: http, meta, both, bom, none"),
    ("body_words", pa.int32(), "words of its main part, where they were counted"),
)
SCHEMA = pa.schema([pa.field(name, kind) for name, kind, _ in COLUMNS])
_ROWS = 20_000
_FROM_TRUTH = [
    name
    for name in SCHEMA.names
    if name not in ("url", "kind", "site", "domain", "ip", "language", "charset", "charset_declared")
]


class TruthWriter:
    """Collects rows and writes them in groups."""

    def __init__(self, path: Path) -> None:
        self._writer = pq.ParquetWriter(path, SCHEMA, compression="zstd")
        self._columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
        self._rows = 0

    def page(self, page: Page) -> None:
        """One row."""
        columns, truth = self._columns, page.truth
        columns["url"].append(page.url)
        columns["kind"].append(page.kind)
        columns["site"].append(page.host)
        columns["domain"].append(page.domain)
        columns["ip"].append(page.ip)
        columns["language"].append(page.language)
        columns["charset"].append(page.charset)
        columns["charset_declared"].append(page.declared)
        for name in _FROM_TRUTH:
            columns[name].append(truth.get(name))
        self._rows += 1
        if self._rows == _ROWS:
            self._flush()

    def close(self) -> None:
        """Write what is left."""
        if self._rows:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        arrays = [pa.array(self._columns[field.name], field.type) for field in SCHEMA]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA))
        self._columns = {name: [] for name in SCHEMA.names}
        self._rows = 0
