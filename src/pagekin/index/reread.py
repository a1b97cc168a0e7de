"""Several pages read again from their inputs, if that is soon done."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from pagekin import _core
from pagekin.errors import PagekinError
from pagekin.index.records import input_of, record_of
from pagekin.params import ReadParams
from pagekin.readers import Record, read_input
from pagekin.run import Run

SMALL = 64 << 20
"""Bytes of an input that may be read from its start."""
SEEKS = ("warc", "arc", "html")
"""Formats in which a page is found by its place."""


def offsets_before(pages: Collection[int]) -> str:
    """SQL for where the records lie after which these pages are read: `page` and `offset`."""
    before = ", ".join(str(page - 1) for page in sorted(pages)) or "NULL"
    return " UNION ALL ".join(
        f'SELECT page + 1 AS page, "offset" FROM {table} WHERE page IN ({before})'
        for table in ("pages", "skipped")
    )


def read_again(run: Run, pages: Collection[int], offsets: Mapping[int, int | None]) -> dict[int, str]:
    """The HTML of these pages: each by its place, or all in one pass over a small input.

    Pages of an input that is not there any more, or that would have to be read far, are left out.

    Args:
        run: The run.
        pages: Its pages.
        offsets: As `offsets_before` gives them.
    """
    found: dict[int, str] = {}
    for source in {input_of(run, page) for page in pages}:
        if source is None or not (path := Path(source.path)).exists():
            continue
        own = sorted(page for page in pages if input_of(run, page) == source)
        records: Iterator[Record] = iter(())
        if source.format in SEEKS:
            records = (record_of(run, page, offsets.get(page)) for page in own)
        elif path.stat().st_size <= SMALL:
            records = read_input(source, ReadParams(keep_errors=True), None)
        with suppress(PagekinError):  # it has changed since
            for record in takewhile(lambda one: one.page <= own[-1], records):  # noqa: B023
                if record.page in own and record.html is not None:
                    found[record.page] = _core.decode(record.html, record.content_type)[0]
    return found
