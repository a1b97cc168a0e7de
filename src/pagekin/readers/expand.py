"""What a user names (files, folders, globs, `-`, URLs) to inputs in their order."""

from __future__ import annotations

from collections.abc import Sequence

from pagekin.errors import InputError
from pagekin.readers.base import Input, message
from pagekin.readers.files import folder_files, glob_paths, kind
from pagekin.readers.formats import MANIFESTS, READABLE, format_by_name, format_of
from pagekin.readers.source import is_remote, open_file


def expand(inputs: Sequence[str], first_ordinal: int = 0, follow_links: bool = False) -> list[Input]:
    """The inputs that names stand for, numbered from `first_ordinal` on.

    Names keep their order. What a folder or a glob stands for comes in byte order of the paths. A folder
    gives one input for each crawl file below it, one more for all its HTML files, and one for what in it is
    not read: links that lead out of it (unless `follow_links`), folders that may not be opened.

    Raises:
        InputError: a name stands for nothing that can be read.
    """
    found = [pair for name in inputs for pair in _expand(name, follow_links)]
    if not found:
        raise InputError("no input was given; name a crawl file, a folder, or - for standard input")
    return [Input(first_ordinal + index, path, form) for index, (path, form) in enumerate(found)]


def _expand(name: str, follow_links: bool) -> list[tuple[str, str]]:
    if name == "-":
        return [("-", "stream")]
    try:
        web = name.startswith(("http://", "https://"))
        what = "folder" if web and name.endswith("/") else kind(name)
        if web and what == "folder":
            raise InputError(
                f"{name}: a web site is not a crawl file; fetch it first (`pagekin crawl {name} -o crawl`), "
                "then scan the folder `crawl`"
            )
        if what is not None:
            return _expand_path(name, what, follow_links)
        if any(character in name for character in "*?["):
            return _expand_glob(name, follow_links)
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {_problem(error)}") from None
    raise InputError(f"{name}: no such file or folder; check the path")


def _expand_path(name: str, what: str, follow_links: bool = False) -> list[tuple[str, str]]:
    if what == "folder":
        return _expand_folder(name, follow_links)
    if what == "stream":
        return [(name, "stream")]
    if not is_remote(name):
        open_file(name).close()  # say now, not after an hour, that it cannot be read
    form = format_of(name)
    return [(name, _parquet_format(name) if form == "parquet" else form)]


def _expand_folder(folder: str, follow_links: bool) -> list[tuple[str, str]]:
    root = folder.rstrip("/") or "/"
    listing = folder_files(folder, follow_links)
    forms = {name: format_by_name(name) for name in listing.files}
    has_html = "html" in forms.values()
    found: list[tuple[str, str]] = []
    other: InputError | None = None
    for name, form in forms.items():
        if form not in (None, "html", "cdx") and not (has_html and name in MANIFESTS):
            try:
                pairs = _expand_path(f"{root.rstrip('/')}/{name}", "file")
                # An index names records of the files beside it, which are read anyway.
                found += [pair for pair in pairs if pair[1] != "parquet-index"]
            except InputError as error:
                # A table of something else, which nobody named: the truth of a made-up web, for instance.
                if form != "parquet":
                    raise
                other = error
    if has_html:
        found.append((root, "html"))
    if not found and other is not None:
        raise other
    if listing.left_out:
        found.append((root, "left-out"))
    if not found:
        raise InputError(f"{folder}: the folder holds no file that pagekin reads; it needs {READABLE}")
    return found


def _expand_glob(pattern: str, follow_links: bool) -> list[tuple[str, str]]:
    paths = glob_paths(pattern)
    if not paths:
        raise InputError(f"{pattern}: the pattern matches nothing; check it, and the folder it begins in")
    return [pair for path in paths for pair in _expand_path(path, kind(path) or "file", follow_links)]


def _parquet_format(path: str) -> str:
    """Missing columns are a mistake to be told at once; a damaged file is told when it is read."""
    from pagekin.readers.parquet import parquet_format

    return parquet_format(path)


def _problem(error: OSError) -> str:
    return error.strerror or message(error)
