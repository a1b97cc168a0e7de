"""Names for clusters, from what their pages say of themselves (`signatures.toml`), strongest evidence first.

What most members say in their heads names a cluster; else what most of the texts say that are read. A text
counts more than a head where one program is built on another: pages by Sphinx say Docutils in their heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.styles.kernels import First, ints
from pagekin.detect.styles.signatures import by_head, name_by_text, table
from pagekin.engines.base import Batch, BatchFunction, Engine
from pagekin.run import Run

READ = 8
"""Members of a cluster whose texts are read: the first ones, and the centroid."""

HEADS = pa.schema([*ints("cluster", "pages"), ("generator", pa.string()), ("title", pa.string())])
CHOSEN = pa.schema(ints("cluster", "page", "turn"))
READ_TEXTS = pa.schema(
    [*ints("cluster", "pages"), ("text", pa.string()), ("head", pa.string()), ("title", pa.string())]
)
VOTES = pa.schema([*ints("cluster", "pages"), ("said", pa.string())])
SAID = pa.schema([*ints("cluster"), ("said", pa.string())])

STOCK = {"parked domain", "default server page", "error page", "challenge page", "directory listing"}
"""Genres of pages that nobody wrote: the server, the registrar or a guard puts them up."""


def strongest(head: str | None, text: str | None) -> str | None:
    """The name that counts more.

    Examples:
        >>> strongest("software: Docutils", "software: Sphinx")
        'software: Sphinx'
        >>> strongest("software: Doxygen", "software: WordPress"), strongest(None, "forum: phpBB")
        ('software: Doxygen', 'forum: phpBB')
        >>> strongest("software: WordPress", "parked domain")
        'parked domain'
    """
    if head is None or text is None:
        return head or text
    if head in STOCK:
        return head
    if text in STOCK or _built_on().get(text) == head:
        return text
    return head


def _built_on() -> dict[str, str]:
    """Software → the software that it is built on."""
    pairs = [(entry, below) for entry in table() for below in entry.over]
    return {f"{entry.genre}: {entry.name}": f"{entry.genre}: {below}" for entry, below in pairs}


@dataclass(frozen=True)
class Turns:
    """In which order members are chosen: the centroid, then the others by page."""

    schema: pa.Schema = CHOSEN

    def open(self, threads: int) -> BatchFunction:
        def turns(batch: Batch) -> Batch:
            cluster, page = batch.column("cluster"), batch.column("page")
            turn = pc.cast(pc.not_equal(page, batch.column("centroid")), pa.int64())
            return pa.RecordBatch.from_arrays([cluster, page, turn], schema=CHOSEN)

        return turns


@dataclass(frozen=True)
class SaidByHeads:
    """What generators and titles give pages away as."""

    schema: pa.Schema = VOTES

    def open(self, threads: int) -> BatchFunction:
        def said(batch: Batch) -> Batch:
            heads = zip(*(batch.column(name).to_pylist() for name in ("generator", "title")), strict=True)
            return _votes(batch, [by_head(generator, title) for generator, title in heads])

        return said


@dataclass(frozen=True)
class SaidByTexts:
    """What texts give pages away as."""

    schema: pa.Schema = VOTES

    def open(self, threads: int) -> BatchFunction:
        def said(batch: Batch) -> Batch:
            read = zip(*(batch.column(name).to_pylist() for name in ("text", "head", "title")), strict=True)
            return _votes(batch, [name_by_text(*said) for said in read])

        return said


def _votes(batch: Batch, said: list[str | None]) -> Batch:
    columns = [batch.column("cluster"), batch.column("pages"), pa.array(said, pa.string())]
    return pa.RecordBatch.from_arrays(columns, schema=VOTES)


def name_clusters(run: Run, engine: Engine, described: Any) -> tuple[Any, Any]:
    """What most members say in their heads, and what most of the texts say that are read: cluster, said."""
    heads = """
        SELECT cluster, generator, title, count(*) AS pages
        FROM described GROUP BY cluster, generator, title
    """
    said = engine.map(engine.sql(heads, HEADS, described=described), SaidByHeads())
    by_heads = engine.keep(_majority(engine, said))
    first = First("cluster", READ, CHOSEN)
    turns = engine.map(described, Turns())
    chosen = engine.exchange(turns, "cluster", first, order=("turn", "page"), combine=first)
    texts = engine.concat(*(engine.load(old, "texts", ["page", "text"]) for old in run.lineage))
    read = """
        SELECT c.cluster, CAST(1 AS BIGINT) AS pages, t.text, h.said AS head, d.title
        FROM chosen c JOIN described d ON c.page = d.page
        LEFT JOIN texts t ON c.page = t.page LEFT JOIN by_heads h ON c.cluster = h.cluster
    """
    texts_read = engine.sql(
        read, READ_TEXTS, chosen=chosen, described=described, texts=texts, by_heads=by_heads
    )
    return by_heads, _majority(engine, engine.map(texts_read, SaidByTexts()))


def _majority(engine: Engine, votes: Any) -> Any:
    """What more than half of the votes for a cluster say, if they say anything."""
    query = """
        SELECT v.cluster, v.said
        FROM (
            SELECT cluster, said, sum(pages) AS pages FROM votes WHERE said IS NOT NULL GROUP BY cluster, said
        ) v
        JOIN (SELECT cluster, sum(pages) AS pages FROM votes GROUP BY cluster) a ON v.cluster = a.cluster
        WHERE 2 * v.pages > a.pages
    """
    return engine.sql(query, SAID, votes=votes)
