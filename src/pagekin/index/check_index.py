"""The check index: files, mapped into memory, in which pages like a new one are found by a few lookups.

    pages.arrow      one row a page: id, URL, and where it belongs
    styles.forest    style fingerprints            (crates/core/src/index/forest.rs)
    structures.forest  structure fingerprints, if they count
    texts.forest     shingles, 16 bits of each
    md5.forest       64 bits of the MD5 of the text
    urls.forest      64 bits of a hash of the URL

Row i is the same page in all of them. Workers share the mapped pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pagekin import _core
from pagekin.errors import RunError
from pagekin.index.catalog import Catalog
from pagekin.index.folder import IndexFolder
from pagekin.run import Run
from pagekin.urls import name_hash

STYLE_BANDS = 32
TEXT_BANDS = 12
"""Places in a fingerprint at which a lookup begins; see docs/decisions."""

WIDTH = 24
"""Pages that each of these offers for comparison."""

NEAREST = 256
"""Pages that a lookup gives at most."""

WORD = 4
"""16-bit dimensions of a 64-bit hash."""

PIECE = 1 << 16

_COLUMNS = ("page", "url", "host", "domain", "cluster", "software", "class")

NO_CLUSTER = -1


class SimilarPage(NamedTuple):
    """A stored page that is like the asked one."""

    row: int
    matching: int
    filled: int
    similarity: float


_ROW, _SIMILARITY = itemgetter(0), itemgetter(3)
_FOUND: Callable[[tuple[int, int, int, float]], SimilarPage] = partial(tuple.__new__, SimilarPage)


def build_check_index(run: Run, catalog: Catalog, folder: Path, threads: int = 2) -> None:
    """Writes the check index of a run and those it was made against."""
    folder.mkdir()
    columns = ", ".join(f'"{name}"' for name in _COLUMNS)
    pages = catalog.arrow(f"SELECT {columns} FROM pages ORDER BY page")
    with pa.OSFile(str(folder / "pages.arrow"), "wb") as sink, pa.ipc.new_file(sink, pages.schema) as writer:
        writer.write_table(pages.combine_chunks(), max_chunksize=PIECE)
    params = run.params
    styles = _core.ForestWriter(params.style.m, min(params.style.m, STYLE_BANDS))
    structures = _core.ForestWriter(params.style.m, min(params.style.m, STYLE_BANDS))
    texts = _core.ForestWriter(params.shingles.m, min(params.shingles.m, TEXT_BANDS))
    md5 = _core.ForestWriter(WORD, 1)
    for batch in _sketches(run):
        styles.push(batch.column("style"))
        if params.style.structure_t:
            structures.push(batch.column("structure"))
        texts.push(batch.column("shingles"), words=True)
        md5.push(
            pa.array(
                [None if h is None else bytes.fromhex(h[:16]) for h in batch.column("md5").to_pylist()],
                pa.binary(),
            )
        )
    urls = _core.ForestWriter(WORD, 1)
    for chunk in pages["url"].chunks:
        urls.push(pa.array([url_key(url or "") for url in chunk.to_pylist()], pa.binary()))
    writers = {"styles": styles, "texts": texts, "md5": md5, "urls": urls}
    if params.style.structure_t:
        writers["structures"] = structures
    for name, writer in writers.items():
        writer.finish(str(folder / f"{name}.forest"), threads)


def _sketches(run: Run) -> Iterator[pa.RecordBatch]:
    for known in run.lineage:
        yield from known.batches("sketches", ["style", "structure", "shingles", "md5"])


def url_key(url: str) -> bytes:
    """64 bits that stand for a URL, as a forest takes them."""
    return name_hash(url).to_bytes(2 * WORD, "little", signed=True)


class CheckIndex:
    def __init__(self, run: Run, catalog: Catalog, folder: IndexFolder) -> None:
        place = folder.part("known", lambda made: build_check_index(run, catalog, made))
        self.params = run.params
        try:
            self._map = pa.memory_map(str(place / "pages.arrow"))
            self.pages: pa.Table = pa.ipc.open_file(self._map).read_all()
            style = self.params.style
            self.styles = _core.Forest(str(place / "styles.forest"), style.m, style.over_m)
            self.structures = (
                _core.Forest(str(place / "structures.forest"), style.m, style.over_m)
                if style.structure_t
                else None
            )
            self.texts = _core.Forest(str(place / "texts.forest"), self.params.shingles.m)
            self.md5 = _core.Forest(str(place / "md5.forest"), WORD)
            self.urls = _core.Forest(str(place / "urls.forest"), WORD)
        except (OSError, pa.ArrowException) as error:
            raise RunError(f"cannot use the check index: {error}; delete {place} and try again") from error
        self.bytes = sum(file.stat().st_size for file in place.iterdir())
        self._columns = {name: self.pages[name].chunks for name in _COLUMNS}
        clusters = self.pages["cluster"].combine_chunks().fill_null(NO_CLUSTER)
        self._clusters = memoryview(clusters.buffers()[1] or b"").cast("q")

    def row(self, number: int) -> dict[str, Any]:
        chunk, place = divmod(number, PIECE)
        return {name: chunks[chunk][place].as_py() for name, chunks in self._columns.items()}

    def clusters(self, rows: Sequence[int]) -> list[int]:
        """The clusters of stored pages; `NO_CLUSTER` for a page in none."""
        return [self._clusters[row] for row in rows]

    def like_style(self, fingerprint: bytes | None, structure: bytes | None = None) -> list[SimilarPage]:
        """Stored pages whose noise or structure is linked to this one's, closest first."""
        style = self.params.style
        found: list[tuple[int, int, int, float]] = []
        for forest, query, t in (
            (self.styles, fingerprint, style.t),
            (self.structures, structure, style.structure_t),
        ):
            found += forest.nearest(query, t, WIDTH, NEAREST) if forest and query else ()
        # A check spends most of its time here: hundreds of plain tuples, sorted by C alone.
        found.sort(key=_ROW)
        found.sort(key=_SIMILARITY, reverse=True)
        best: dict[int, tuple[int, int, int, float]] = {}
        for one in found:
            best.setdefault(one[0], one)
        return list(map(_FOUND, islice(best.values(), NEAREST)))

    def like_text(self, shingles: bytes, min_shared: int) -> list[SimilarPage]:
        """Stored pages that share at least so many shingles, closest first."""
        return list(map(_FOUND, self.texts.nearest(shingles, min_shared, WIDTH, NEAREST, words=True)))

    def same_text(self, md5: str, max_rows: int = 8) -> list[int]:
        """Rows of stored pages with the same text."""
        return self.md5.equal(bytes.fromhex(md5[:16]), max_rows)

    def of_url(self, url: str) -> int | None:
        """The row of the newest stored page of this URL."""
        rows = [row for row in self.urls.equal(url_key(url), 16) if self.row(row)["url"] == url]
        return max(rows, default=None)

    def close(self) -> None:
        self._map.close()
