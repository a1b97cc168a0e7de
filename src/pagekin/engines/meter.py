"""How far the reading of a crawl has come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pagekin.engines.base import Advance, Progress
from pagekin.readers import Input
from pagekin.readers.base import RECORD_BITS

BYTE_OFFSETS = ("arc", "cdx", "jsonl", "warc", "wet")


class ReadMeter:
    """Turns page ids and offsets into a share of the whole input."""

    def __init__(self, inputs: Sequence[Input], progress: Progress) -> None:
        self.progress = progress
        self.inputs = {source.ordinal: source for source in inputs}
        self.begins: dict[int, int] = {}
        total = 0
        for source in inputs:
            self.begins[source.ordinal] = total
            total += _size(source.path)
        self.total = max(total, 1)

    def advance(
        self, page: int, offset: int, *, rows: int, records: int = 0, size: int = 0, earlier: bool = False
    ) -> None:
        """The last record that was read is `page` at `offset`; the rest as in `Advance`."""
        ordinal = page >> RECORD_BITS
        source = self.inputs[ordinal]
        # Where offsets are bytes of the file as it lies on the disk, or (if it is compressed) more than that.
        inside = min(offset, _size(source.path)) if source.format in BYTE_OFFSETS else 0
        done = (self.begins[ordinal] + inside) / self.total
        self.progress.advance(Advance(rows, done, source.path, records, size, earlier))


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0
