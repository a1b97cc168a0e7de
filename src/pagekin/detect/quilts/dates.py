"""When pages were written, as a file of the user's says."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa

from pagekin.errors import ParamsError
from pagekin.fs import text_lines
from pagekin.readers.base import parse_date
from pagekin.tables.crawl import DATE

SAID = pa.schema([("url", pa.string()), ("date", DATE)])


def read_dates(path: str) -> pa.Table:
    """The file's `url` and `date`; no rows without a file.

    A line is a URL, white space and a date: `2011-05-03`, `2011-05-03T10:00:00Z` or 14 digits. Empty
    lines and lines that begin with # are left out.
    """
    if not path:
        return SAID.empty_table()
    try:
        found = _dates(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ParamsError(f"cannot read the dates in {path}: {reason}") from error
    return pa.table([pa.array(found.keys(), pa.string()), pa.array(found.values(), DATE)], schema=SAID)


def _dates(path: str) -> dict[str, datetime]:
    found: dict[str, datetime] = {}
    for number, line in enumerate(text_lines(Path(path)), 1):
        fields = line.split(maxsplit=1)
        if not fields or fields[0].startswith("#"):
            continue
        date = parse_date(fields[1].strip()) if len(fields) == 2 else None
        if date is None:
            raise ParamsError(
                f"{path}, line {number}: not a URL and a date, as in `http://a.example/ 2011-05-03`"
            )
        found[fields[0]] = date
    return found
