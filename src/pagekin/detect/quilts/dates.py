"""When pages were written: as the crawl says, or as a file of the user's does."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.engines.base import Batch
from pagekin.errors import ParamsError
from pagekin.readers.base import parse_date
from pagekin.tables.crawl import DATE


def read_dates(path: str) -> pa.Table | None:
    """The file's `url` and `date`; None without a file.

    A line is a URL, white space and a date: `2011-05-03`, `2011-05-03T10:00:00Z` or 14 digits. Empty
    lines and lines that begin with # are left out.
    """
    if not path:
        return None
    found: dict[str, datetime] = {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ParamsError(f"cannot read the dates in {path}: {reason}") from error
    for number, line in enumerate(lines, 1):
        fields = line.split(maxsplit=1)
        if not fields or fields[0].startswith("#"):
            continue
        date = parse_date(fields[1].strip()) if len(fields) == 2 else None
        if date is None:
            raise ParamsError(
                f"{path}, line {number}: not a URL and a date, as in `http://a.example/ 2011-05-03`"
            )
        found[fields[0]] = date
    return pa.table({"url": pa.array(found.keys(), pa.string()), "date": pa.array(found.values(), DATE)})


def dated(pages: Batch, dates: pa.Table | None) -> Batch:
    """Rows of `page`, `url`, `date` as `page` and `date`, a number; the file counts more than the crawl."""
    date = pages["date"] if dates is None else dates_of(pages["url"], pages["date"], dates)
    return pa.record_batch({"page": pages["page"], "date": pc.cast(date, pa.int64())})


def dates_of(urls: pa.Array, crawled: pa.Array, dates: pa.Table) -> pa.Array:
    """The dates of these URLs, where the file has none those of the crawl."""
    said = dates["date"].combine_chunks().take(pc.index_in(urls, dates["url"].combine_chunks()))
    return pc.coalesce(said, crawled)
