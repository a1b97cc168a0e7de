"""Text of unknown origin in CSV files and in the spreadsheets that open them."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable

_SIGNS = ("=", "+", "-", "@")


def csv_line(values: Iterable[object]) -> str:
    """A row as a line. A carriage return in a cell is quoted: else it would begin another row."""
    out = io.StringIO()
    # Only what the line ends with is quoted.
    csv.writer(out, lineterminator="\r\n").writerow(values)
    return out.getvalue()[:-2] + "\n"


def guarded(text: str) -> str:
    """The text for a cell of a CSV file: marked as text where a spreadsheet would run it."""
    return f"'{text}" if is_formula(text) else text


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a cell: it begins with =, +, - or @.

    In any width, and after blanks and characters that cannot be seen, which some programs drop first. A tab
    or a carriage return would begin another cell.
    """
    if text[:1] in ("\t", "\r"):
        return True
    first = next((c for c in text if unicodedata.category(c)[0] not in "CZ"), "")
    return unicodedata.normalize("NFKC", first)[:1] in _SIGNS
