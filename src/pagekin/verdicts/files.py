"""Verdicts as CSV and JSONL, out and in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pagekin.errors import InputError, UsageError
from pagekin.index.catalog import Catalog
from pagekin.look.cells import csv_line, guarded
from pagekin.verdicts.labels import COLUMNS, HAND, Verdict, checked, is_id, now, uid_of
from pagekin.verdicts.samples import Sample
from pagekin.verdicts.store import Store

FORMATS = ("csv", "jsonl")


def format_of(path: Path) -> str:
    """The format that a file's name asks for."""
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"{path}: verdicts are written and read as .csv or .jsonl")
    return form


def written(rows: Iterable[Verdict], form: str) -> Iterator[str]:
    """Rows as text, line by line; superseded ones too, in the order in which they were given."""
    if form == "jsonl":
        for row in rows:
            yield json.dumps(asdict(row), ensure_ascii=False) + "\n"
        return
    yield csv_line(COLUMNS)
    for row in rows:
        yield csv_line(map(_cell, asdict(row).values()))


def _cell(value: str | None) -> str:
    """Marked as text where a spreadsheet would run it; `read_rows` takes the mark off again."""
    text = value or ""
    return f"'{text}" if text.startswith("'") else guarded(text)


@dataclass(frozen=True)
class Imported:
    """What the import of a file did."""

    added: int
    known: int
    """rows that were there already"""
    elsewhere: int
    """rows about pages, clusters or classes that this run does not have"""


def import_rows(store: Store, catalog: Catalog, path: Path) -> Imported:
    """Adds the verdicts of a file: all of them, or none if a line cannot be read.

    Ids belong to a run. A row whose URL is another page's here is moved to the page of its URL, and
    to that page's cluster or class.
    """
    rows = list(read_rows(path))
    placed = [found for row in rows if (found := _placed(catalog, row)) is not None]
    added = store.add(placed)
    return Imported(added, len(placed) - added, len(rows) - len(placed))


def read_rows(path: Path) -> Iterator[Verdict]:
    """The verdicts of a file. Only `kind`, `label` and `target` or `url` are needed; a CSV has a header."""
    format_of(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    for number, row in _parsed(path, text):
        try:
            yield _verdict(row)
        except (UsageError, TypeError) as error:
            raise InputError(f"{path}, line {number}: {error}") from error


def _parsed(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if format_of(path) == "csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
        try:
            for row in reader:
                values = {key: (value or "") for key, value in row.items() if key}
                yield reader.line_num, {k: v[1:] if v[:1] == "'" else v for k, v in values.items()}
        except csv.Error as error:
            raise InputError(f"{path}, line {reader.line_num}: not CSV: {error}") from error
        return
    # Not splitlines: a reason may hold characters that it takes for line ends.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}, line {number}: not JSON: {error}") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}, line {number}: not an object")
            yield number, row


def _verdict(row: Mapping[str, Any]) -> Verdict:
    values = {name: str(row[name]) if row.get(name) not in (None, "") else None for name in COLUMNS}
    label = values["label"]
    uid = values["uid"] or uid_of(*(values[name] for name in COLUMNS if name != "uid"))
    made = Verdict(
        uid=uid,
        at=values["at"] or now(),
        who=values["who"] or "imported",
        kind=values["kind"] or "page",
        target=values["target"] or "",
        url=values["url"],
        scope=values["scope"] or HAND,
        label=label,
        why=values["why"] or "",
        sample=values["sample"] or "",
        supersedes=values["supersedes"],
    )
    if not made.target and made.url is None:
        raise UsageError("a verdict needs a target or a url")
    if made.sample:
        Sample.parse(made.sample)
    checked(made if made.target or made.kind == "site" else replace(made, target="0"))
    return made


def _placed(catalog: Catalog, row: Verdict) -> Verdict | None:
    """The row with the ids of this run; None if it is about nothing here."""
    if row.kind not in ("page", "cluster", "class"):
        return checked(row)
    here = catalog.page(int(row.target)) if is_id(row.target) else None
    if row.url is not None and (here is None or here["url"] != row.url):
        page = catalog.page_of_url(row.url)
        here = None if page is None else catalog.page(page)
    if here is None:
        return None
    number = here[row.kind]
    if number is None:
        return None
    return checked(replace(row, target=str(number), url=here["url"]))
