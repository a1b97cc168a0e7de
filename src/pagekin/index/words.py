"""Which pages hold a word: (hash of the word, page), sorted, in a DuckDB file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from pagekin import _core
from pagekin.index.catalog import MEMORY, QUIET, SEALED
from pagekin.index.folder import IndexFolder
from pagekin.run import Run

MAX_WORDS = 8
"""Words of a query that count."""


def build_words(run: Run, path: Path) -> None:
    """Writes the words of all texts of a run and those it was made against."""
    with duckdb.connect(path, config={**SEALED, "memory_limit": MEMORY, "threads": "2"}) as db:
        db.execute(QUIET)
        db.execute("SET temp_directory = ?", [f"{path}.spill"])
        db.execute("CREATE TEMP TABLE met (word BIGINT, page BIGINT)")
        for known in run.lineage:
            if "texts" not in known.tables:
                continue
            for batch in known.batches("texts", ["page", "text"]):
                pairs = pa.Table.from_batches([_core.page_words(batch)])
                db.register("pairs", pairs)
                db.execute("INSERT INTO met SELECT word, page FROM pairs")
                db.unregister("pairs")
        db.execute("CREATE TABLE words AS SELECT word, page FROM met ORDER BY word, page")


class WordIndex:
    """The words of a run, open for reading from any thread."""

    def __init__(self, run: Run, folder: IndexFolder) -> None:
        path = folder.part("words.duckdb", lambda made: build_words(run, made))
        self._db = duckdb.connect(
            path, read_only=True, config={**SEALED, "memory_limit": "512MB", "threads": "2"}
        )

    def pages(self, words: Sequence[str], limit: int) -> tuple[list[int], int]:
        """The first pages that hold all these words, and how many do."""
        hashes = sorted(set(_core.word_hashes(" ".join(words))))[:MAX_WORDS]
        if not hashes:
            return [], 0
        one = "SELECT page FROM words WHERE word = {}"
        both = " INTERSECT ".join(one.format(int(word)) for word in hashes)
        cursor = self._db.cursor()
        cursor.execute(QUIET)
        found = cursor.execute(
            f"WITH found AS ({both}) SELECT page, count(*) OVER () FROM found ORDER BY 1 LIMIT {int(limit)}"
        ).fetchall()
        return [page for page, _ in found], found[0][1] if found else 0

    def close(self) -> None:
        self._db.close()
