"""WACZ: a zip whose `archive/` folder holds WARC files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import closing

from pagekin.params import ReadParams
from pagekin.readers.base import Input, Position, Record, message, page_id, skipped
from pagekin.readers.source import ZIP_ERRORS, FileSlice, ReplayBuffer, StoredFile, open_source
from pagekin.readers.warc import WarcReader
from pagekin.readers.zips import check, open_zip, overlapping


def is_archive_name(name: str) -> bool:
    """Whether a zip's member is one of a WACZ's WARC files."""
    return name.startswith("archive/") and name.endswith((".warc", ".warc.gz", ".warc.zst", ".warc.lz4"))


def read_wacz(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of all WARC files of a WACZ, in byte order of their names, one after the other.

    Offsets count from the beginning of each WARC file. They do not tell the record, so reading on after a
    position begins at the beginning.
    """
    last = -1 if after is None else page_id(source, after.record)
    for record in _all_records(source, params):
        if record.page > last:
            yield record


def _all_records(source: Input, params: ReadParams) -> Iterator[Record]:
    count = 0
    with closing(open_source(source.path)) as file, open_zip(file, params.max_page_bytes) as archive:
        shared = overlapping(archive)
        members = [info for info in archive.infolist() if is_archive_name(info.filename)]
        for info in sorted(members, key=lambda info: info.filename.encode("utf-8", "surrogateescape")):
            try:
                with closing(_open_member(archive, file, check(info, shared))) as stored:
                    for record in WarcReader(source, params, info.filename).records(stored, first=count):
                        yield record
                        count += 1
            except ZIP_ERRORS as error:
                yield skipped(source, count, 0, "unreadable", f"{info.filename}: {message(error)}")
                count += 1


def _open_member(archive: zipfile.ZipFile, file: StoredFile, info: zipfile.ZipInfo) -> StoredFile:
    """A member's bytes; those of a stored one straight from the file, without a checksum over all of it."""
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        # As a stream: each step back in a compressed member would decode it again from its beginning.
        return ReplayBuffer(archive.open(info), owned=True)
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("no local header")
    name, extra = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
    start = info.header_offset + 30 + name + extra
    return StoredFile(FileSlice(file, start, start + info.compress_size), size=info.compress_size)
