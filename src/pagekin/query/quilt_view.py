"""One stored quilt in detail: its text, and the patches that each source has too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.errors import UsageError
from pagekin.run import Run


@dataclass(frozen=True)
class Patch:
    """Consecutive words that a quilt has in common with a source. Offsets count words."""

    rank: int
    """of the source"""
    start: int
    source_start: int
    words: int


@dataclass(frozen=True)
class Quilt:
    """A quilt with its text and its patches."""

    row: dict[str, Any]
    """of `quilts`"""
    sources: list[dict[str, Any]]
    """rows of `quilt_sources`"""
    text: str
    patches: list[Patch]

    def table(self) -> pa.Table:
        """The patches as rows, with their words."""
        sources = {source["rank"]: source for source in self.sources}
        rows = [
            {
                "page": self.row["page"],
                "source": sources[patch.rank]["source"],
                "source_url": sources[patch.rank]["source_url"],
                **vars(patch),
                "text": self.text_of(patch),
            }
            for patch in self.patches
        ]
        return pa.Table.from_pylist(rows)

    def text_of(self, patch: Patch) -> str:
        """The words of a patch as the quilt has them."""
        spans = _core.word_spans(self.text)
        return self.text[spans[patch.start][0] : spans[patch.start + patch.words - 1][1]]

    def pieces(self) -> Iterator[tuple[str, Patch | None]]:
        """The text in order, cut where patches begin and end; words in two patches go to the first."""
        spans = _core.word_spans(self.text)
        at = 0
        for patch in self.patches:
            last = spans[patch.start + patch.words - 1][1]
            begin = max(at, spans[patch.start][0])
            if last <= begin:
                continue
            if begin > at:
                yield self.text[at:begin], None
            yield self.text[begin:last], patch
            at = last
        if at < len(self.text):
            yield self.text[at:], None


def quilt(run: Run, page: str | int) -> Quilt:
    """A quilt by its URL or page id, with the words that each source has too.

    A gram belongs to the first source, in the order of choice, that has it. Patches also hold grams
    that too many pages have to count as patch grams.
    """
    column = "page" if isinstance(page, int) else "url"
    found = run.dataset("quilts").to_table(filter=pc.field(column) == page)
    if found.num_rows == 0:
        raise UsageError(
            f"{page} is not among the quilts of {run.path}; `pagekin show RUN quilts` lists them"
        )
    row = found.slice(0, 1).to_pylist()[0]
    mine = run.dataset("quilt_sources").to_table(filter=pc.field("page") == row["page"])
    sources: list[dict[str, Any]] = mine.sort_by("rank").to_pylist()
    pages = [row["page"], *(source["source"] for source in sources)]
    texts = run.page_columns("texts", ["text"], pages)["text"].to_pylist()
    return stitched(row, sources, dict(zip(pages, texts, strict=True)), run.params.quilts.k)


def stitched(row: dict[str, Any], sources: list[dict[str, Any]], texts: dict[int, str], k: int) -> Quilt:
    """The quilt of a row of `quilts`, the rows of its sources, and the texts of all these pages."""
    text = texts[row["page"]]
    spans = _core.patches(text, [texts.get(source["source"], "") for source in sources], k)
    return Quilt(row, sources, text, [Patch(sources[number]["rank"], *rest) for number, *rest in spans])
