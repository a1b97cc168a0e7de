"""One input to its records, whatever its format."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from pagekin import _core
from pagekin.errors import InputError, UsageError
from pagekin.params import ReadParams
from pagekin.readers.arc import ArcReader, read_arc
from pagekin.readers.base import Input, Position, Record, message, skipped
from pagekin.readers.expand import expand
from pagekin.readers.formats import format_of_content
from pagekin.readers.html import read_html, read_left_out
from pagekin.readers.index import read_cdx, read_parquet_index
from pagekin.readers.jsonl import read_jsonl, read_jsonl_stored
from pagekin.readers.parquet import read_parquet
from pagekin.readers.source import is_panic, open_source
from pagekin.readers.wacz import read_wacz
from pagekin.readers.warc import WarcReader, read_warc

_DEFAULTS = ReadParams()


def read_input(
    source: Input, params: ReadParams = _DEFAULTS, after: Position | None = None
) -> Iterator[Record]:
    """Every record of an input in its order, page or skipped; after a position if one is given.

    What cannot be read becomes a record with a reason. The same input and parameters always give the same
    records, and reading on after any of them gives the rest of them.

    Raises:
        UsageError: a stream cannot be read on after a position.
        InputError: the input is not of a format that can be read, or lacks needed columns.
    """
    if source.format == "stream" and after is not None:
        raise UsageError(f"{source.path}: a stream cannot be resumed; save it to a file and scan that")
    records = _READERS[source.format](source, params, after)
    return _guarded(source, records, params.max_page_bytes, after or Position(-1, 0))


def read_pages(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], params: ReadParams = _DEFAULTS
) -> Iterator[Record]:
    """The pages of crawl files, folders, globs or URLs, without what is not a page.

    Examples:
        >>> pages = list(read_pages(example_warc))
        >>> len(pages), all(page.html is not None for page in pages)
        (400, True)
    """
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    for source in expand([os.fspath(name) for name in paths], follow_links=params.follow_links):
        for record in read_input(source, params):
            if record.reason is None:
                yield record


UNREADABLE_REST = -1
"""The offset of a row that stands for the rest of an input: after it comes nothing."""


_WIDEST = 3
"""Bytes of UTF-8 that one byte of another charset may be."""


def _of_size(source: Input, record: Record, limit: int) -> Record:
    """The record; not a page if its characters take more bytes than it may have.

    A byte of Thai or of half-width katakana is a word, and three bytes: memory goes by what is decoded.
    """
    if record.html is None or len(record.html) * _WIDEST <= limit:
        return record
    size = len(_core.decode(record.html, record.content_type)[0].encode())
    if size <= limit:
        return record
    detail = f"{size} bytes as UTF-8"
    number = record.position.record
    return skipped(source, number, record.offset, "too-large", detail, record.url)


def _guarded(source: Input, records: Iterator[Record], limit: int, last: Position) -> Iterator[Record]:
    """Whatever happens to the file or the network while reading is a record too."""
    if last.offset == UNREADABLE_REST:
        return
    record: Record | None = None
    try:
        for record in records:
            yield _of_size(source, record, limit)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        yield _rest(source, record, last, error)
    except BaseException as error:
        if not is_panic(error):
            raise
        yield _rest(source, record, last, error)


def _rest(source: Input, record: Record | None, last: Position, error: BaseException) -> Record:
    number = (last if record is None else record.position).record + 1
    return skipped(source, number, UNREADABLE_REST, "unreadable", message(error))


def _read_stream(source: Input, params: ReadParams, _after: Position | None) -> Iterator[Record]:
    """Standard input or a pipe: what it holds is seen only now."""
    with closing(open_source(source.path)) as stored:
        form = format_of_content(stored, source.path)
        if form == "warc":
            yield from WarcReader(source, params).records(stored)
        elif form == "arc":
            yield from ArcReader(source, params).records(stored)
        elif form == "jsonl":
            yield from read_jsonl_stored(source, stored, params)
        else:
            raise InputError(f"{source.path}: a stream must be WARC, ARC or JSONL; save {form} to a file")


_READERS: dict[str, Callable[[Input, ReadParams, Position | None], Iterator[Record]]] = {
    "arc": read_arc,
    "warc": read_warc,
    "wet": read_warc,
    "wacz": read_wacz,
    "html": read_html,
    "left-out": read_left_out,
    "zip": read_html,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "cdx": read_cdx,
    "parquet-index": read_parquet_index,
    "stream": _read_stream,
}
