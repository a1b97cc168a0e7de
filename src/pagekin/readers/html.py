"""HTML files: a folder, a zip, or a single file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from pagekin.errors import InputError
from pagekin.params import ReadParams
from pagekin.readers.base import (
    Input,
    Position,
    Record,
    is_html_type,
    looks_like_html,
    message,
    page_id,
    parse_date,
    parse_status,
    skipped,
)
from pagekin.readers.files import byte_order, folder_files, kind
from pagekin.readers.formats import HTML_SUFFIXES, MANIFESTS, format_by_name
from pagekin.readers.http import BadEncodingError, TooLargeError, gunzip
from pagekin.readers.manifest import MAX_MANIFEST, read_manifest
from pagekin.readers.rows import long_name
from pagekin.readers.source import ZIP_ERRORS, UnreadableError, is_remote, open_file, open_source
from pagekin.readers.zips import check, open_zip, overlapping

_URL_CHARACTERS = "/?=&;:@!$'()*+,~[]"


@dataclass
class NamedFiles:
    """Files by name, in byte order. `host` is what stands for a host where a name has none."""

    names: list[str]
    host: str
    open: Callable[[str], Any]


def read_html(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """One record for each file. Its offset is the file's index."""
    with ExitStack() as stack:
        if source.format == "zip":
            files = _zip_files(source.path, params.max_page_bytes, stack)
        else:
            files = _folder_files(source.path, params.follow_links)
        manifest = _manifest(source.path, files, MAX_MANIFEST * params.max_page_bytes)
        names = [name for name in files.names if name not in MANIFESTS]
        for index in range(0 if after is None else after.record + 1, len(names)):
            yield _read_file(source, params, files, names[index], index, manifest.get(names[index]))


def read_left_out(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """One record for everything in a folder that is not read."""
    left_out = folder_files(source.path, params.follow_links).left_out
    for index in range(0 if after is None else after.record + 1, len(left_out)):
        name, reason, detail = left_out[index]
        yield skipped(source, index, index, reason, f"{name}: {detail}")


def _folder_files(path: str, follow_links: bool) -> NamedFiles:
    if kind(path) == "folder":
        # Crawl files among them are inputs of their own.
        names = [
            name
            for name in folder_files(path, follow_links).files
            if name in MANIFESTS or format_by_name(name) in (None, "html")
        ]
        return NamedFiles(names, _folder_name(path), lambda name: open_file(f"{path.rstrip('/')}/{name}"))
    folder, _, name = path.rpartition("/")
    return NamedFiles([name], _folder_name(folder or "."), lambda _: open_file(path))


def _folder_name(path: str) -> str:
    name = PurePosixPath(path).name if is_remote(path) else Path(path).resolve().name
    return name or "localhost"


def _zip_files(path: str, max_page_bytes: int, stack: ExitStack) -> NamedFiles:
    file = stack.enter_context(closing(open_source(path)))
    archive = stack.enter_context(open_zip(file, max_page_bytes))
    # Not by is_dir: a name may be empty.
    members = {info.filename: info for info in archive.infolist() if not info.filename.endswith("/")}
    names = sorted(members, key=byte_order)
    shared = overlapping(archive)
    return NamedFiles(
        names, PurePosixPath(path).stem, lambda name: archive.open(check(members[name], shared))
    )


def _manifest(path: str, files: NamedFiles, limit: int) -> dict[str, dict[str, Any]]:
    """What a manifest in the root says of each file, by its path."""
    name = next((name for name in MANIFESTS if name in files.names), None)
    if name is None:
        return {}
    try:
        with closing(files.open(name)) as file:
            data = _read_up_to(file, limit + 1)
    except ZIP_ERRORS as error:
        raise UnreadableError(f"{name}: {message(error)}") from error
    if len(data) > limit:
        raise InputError(
            f"{path}: {name} is larger than {limit} bytes; divide the folder, or give more --memory"
        )
    return read_manifest(data, f"{path}: {name}", files.names)


def _read_file(
    source: Input, params: ReadParams, files: NamedFiles, name: str, index: int, entry: dict[str, Any] | None
) -> Record:
    entry = entry or {}
    packed = name.lower().endswith(".gz")
    plain = name[:-3] if packed else name
    url = _clean(entry.get("url")) or _url(plain, files.host)
    long = long_name(entry | {"url": url})
    if long is not None:
        return skipped(source, index, index, "too-large", long)
    status = parse_status(entry.get("status"))
    content_type = _clean(entry.get("content_type"))
    if status not in (None, 200) and not params.keep_errors:
        return skipped(source, index, index, "status", str(status), url)
    by_name = PurePosixPath(plain.lower().partition("?")[0]).suffix
    is_html = is_html_type(content_type) if content_type else by_name in HTML_SUFFIXES or None
    if is_html is None and by_name and not entry:
        is_html = False
    if is_html is False:
        return skipped(source, index, index, "not-html", content_type or by_name, url)
    limit = params.max_page_bytes
    try:
        with closing(files.open(name)) as file:
            data = _read_up_to(file, limit + 1)
        if len(data) > limit:
            raise TooLargeError
        if packed:
            data = gunzip(data, limit)
    except TooLargeError:
        return skipped(source, index, index, "too-large", f"more than {limit} bytes", url)
    except BadEncodingError as error:
        return skipped(source, index, index, "corrupt", str(error), url)
    except ZIP_ERRORS as error:
        return skipped(source, index, index, "unreadable", message(error), url)
    if is_html is None and not looks_like_html(data):
        return skipped(source, index, index, "not-html", "by its beginning", url)
    return Record(
        page_id(source, index),
        url,
        data,
        None,
        content_type,
        _clean(entry.get("ip")),
        status,
        parse_date(str(entry.get("date") or "")),
        source.path,
        index,
    )


def _read_up_to(file: Any, size: int) -> bytes:
    """All of a file, but not more than this; an unbuffered file may give less than asked for at a time."""
    pieces = []
    while size > 0 and (piece := file.read(min(size, 1 << 20))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _clean(value: object) -> str | None:
    return str(value).strip() or None if value is not None else None


def _url(name: str, host: str) -> str:
    """`http://host/path` from the path; a file right in the root takes the folder's name as its host."""
    path = name if "/" in name else f"{host}/{name}"
    return "http://" + quote(byte_order(path), safe=_URL_CHARACTERS)
