"""The record of a page, read again from its input."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

from pagekin.errors import InputError
from pagekin.params import ReadParams
from pagekin.readers import Input, Position, Record, read_input
from pagekin.readers.base import RECORD_BITS
from pagekin.run import Run


def input_of(run: Run, page: int) -> Input | None:
    """The input that a page was read from, in this run or one before it."""
    ordinal = page >> RECORD_BITS
    return next((s for known in run.lineage for s in known.inputs if s.ordinal == ordinal), None)


def record_of(run: Run, page: int, offset_before: int | None) -> Record:
    """The record of a page, read again from its input.

    Args:
        run: The run, or one made against the run that read it.
        page: The page.
        offset_before: Where the record before it lies; None if it is the first of its input.
    """
    number = page & ((1 << RECORD_BITS) - 1)
    source = input_of(run, page)
    if source is None or source.format == "stream" or not Path(source.path).exists():
        name = "its input" if source is None else source.path
        raise InputError(f"the page cannot be shown as it was: {name} is not there any more")
    after = None if number == 0 or offset_before is None else Position(number - 1, offset_before)
    with closing(_generated(read_input(source, ReadParams(keep_errors=True), after))) as records:
        for record in records:
            if record.page == page and record.html is not None:
                return record
            if record.page >= page:
                break
    raise InputError("the page cannot be shown as it was: its input has changed, or holds only text")


def _generated(records: Iterator[Record]) -> Generator[Record, None, None]:
    """The same as what can be closed before its end."""
    yield from records
