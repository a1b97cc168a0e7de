"""Compressed frames (gzip members, zstd and lz4 frames): decoding them, and where they begin and end.

FastWARC's readers decode. They say where a frame began, but not where good data stopped when a later one is
broken; that is found here from the stored bytes, and costs time only where something is broken.
"""

from __future__ import annotations

import re
import zlib
from enum import Enum
from typing import Any

from fastwarc.stream_io import GzipReader, Lz4Reader, ZstdReader

from pagekin.readers.source import LZ4_MAGIC, SNIFF, ZSTD_MAGIC, FileSlice, Source

READERS: dict[str, Any] = {"gzip": GzipReader, "zstd": ZstdReader, "lz4": Lz4Reader}

_GZIP = b"\x1f\x8b\x08"
_MAGICS = {"gzip": _GZIP, "zstd": ZSTD_MAGIC, "lz4": LZ4_MAGIC}
_WARC_RECORD = re.compile(rb"[\r\n]*WARC/")
_DICTIONARY_FRAME = 0x184D2A5D
_MAX_DICTIONARY = 16 << 20


class Broken(Enum):
    """Why a frame has no end."""

    NO_FRAME = "no frame begins here"
    CORRUPT = "the compressed data is damaged"
    TRUNCATED = "the file ends inside the compressed data"


class Codec:
    """One way of compressing, and the dictionary that a .warc.zst may carry in its first frame."""

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self._magic = _MAGICS[name]
        self._dictionary = _zstd_dictionary(source) if name == "zstd" else None

    def reader(self, file: Any, start: int = 0) -> Any:
        """A FastWARC reader that decodes from the frame at `start` on."""
        options = {"dictionary": self._dictionary} if self._dictionary else {}
        reader = READERS[self.name](file, **options)
        reader.inner_seek(start)
        return reader

    def frame_end(self, source: Source, start: int, decode: bool = True) -> int | Broken:
        """The offset just after the frame that begins at `start`, if all of it can be decoded.

        Without `decode`, only what has to be decoded to find the end is.
        """
        source.seek(start)
        if self.name == "gzip":
            return _gzip_end(source, start)
        try:
            end = _zstd_end(source, start) if self.name == "zstd" else _lz4_end(source, start)
        except EOFError:
            return Broken.TRUNCATED
        if decode and isinstance(end, int) and not self._decodes(source, start, end):
            return Broken.CORRUPT
        return end

    def last_size(self, source: Source) -> int | None:
        """What a gzip file's last bytes say is the size of its last frame, uncompressed and modulo 2^32."""
        size = source.size()
        if self.name != "gzip" or size is None or size < 18:
            return None
        source.seek(size - 4)
        return int.from_bytes(source.read(4), "little")

    def first_broken(self, source: Source, start: int, decode: bool = True) -> tuple[int, Broken] | None:
        """The first frame at or after `start` that cannot be decoded, each frame following the one before."""
        while True:
            end = self.frame_end(source, start, decode)
            if isinstance(end, Broken):
                source.seek(start)
                return (start, end) if source.read(1) else None
            start = end

    def next_record_frame(
        self, source: Source, start: int, record: re.Pattern[bytes] = _WARC_RECORD
    ) -> int | None:
        """The first frame at or after `start` that begins with a record, by its first 16 bytes."""
        base, data = start, b""
        while True:
            source.seek(base + len(data))
            more = source.read(SNIFF)
            if not more:
                return None
            data += more
            found = data.find(self._magic)
            while found >= 0:
                if self._holds_record(source, base + found, data[found : found + 1024], record):
                    return base + found
                found = data.find(self._magic, found + 1)
            keep = len(self._magic) - 1
            base, data = base + len(data) - keep, data[-keep:]

    def _holds_record(self, source: Source, start: int, head: bytes, record: re.Pattern[bytes]) -> bool:
        try:
            if self.name == "gzip":
                # Random bytes hold many of these short magics: most are refused here, without a reader.
                begin = zlib.decompressobj(31).decompress(head, 16)
                if begin:
                    return record.match(begin) is not None
            begin = bytes(self.reader(source, start).read(16))
        except (OSError, zlib.error):
            if source.failed:
                raise
            return False
        return record.match(begin) is not None

    def _decodes(self, source: Source, start: int, end: int) -> bool:
        try:
            reader = self.reader(FileSlice(source, start, end))
            while reader.read(SNIFF):
                pass
        except OSError:
            if source.failed:
                raise
            return False
        return True


def _zstd_dictionary(source: Source) -> bytes | None:
    source.seek(0)
    head = source.read(8)
    dictionary = None
    if len(head) == 8 and int.from_bytes(head[:4], "little") == _DICTIONARY_FRAME:
        dictionary = source.read(min(int.from_bytes(head[4:], "little"), _MAX_DICTIONARY))
        if dictionary.startswith(ZSTD_MAGIC):
            size = len(dictionary)
            dictionary = ZstdReader(FileSlice(source, 8, 8 + size)).read(_MAX_DICTIONARY)
    source.seek(0)
    return dictionary


def _gzip_end(source: Source, start: int) -> int | Broken:
    inflate = zlib.decompressobj(31)
    position = start
    data = source.read(SNIFF)
    if not data.startswith(_GZIP[: len(data)]):
        return Broken.NO_FRAME
    while data:
        position += len(data)
        while data and not inflate.eof:
            try:
                inflate.decompress(data, 1 << 20)
            except zlib.error:
                return Broken.CORRUPT
            data = inflate.unconsumed_tail
        if inflate.eof:
            return position - len(inflate.unused_data)
        data = source.read(SNIFF)
    return Broken.TRUNCATED


class _Fields:
    """Little-endian numbers of a frame, one after the other."""

    def __init__(self, source: Source, start: int) -> None:
        self.source = source
        self.position = start

    def number(self, size: int) -> int:
        data = self.source.read(size)
        if len(data) < size:
            raise EOFError
        self.position += size
        return int.from_bytes(data, "little")

    def skip(self, size: int) -> None:
        if size:
            # Read the last byte, because one can seek past the end of a file.
            self.position += size - 1
            self.source.seek(self.position)
            self.number(1)


def _zstd_end(source: Source, start: int) -> int | Broken:
    """RFC 8878, section 3.1: frame header, blocks with their sizes, checksum."""
    fields = _Fields(source, start)
    magic = fields.number(4)
    if 0x184D2A50 <= magic <= 0x184D2A5F:
        fields.skip(fields.number(4))
        return fields.position
    if magic != int.from_bytes(ZSTD_MAGIC, "little"):
        return Broken.NO_FRAME
    descriptor = fields.number(1)
    single_segment, checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    content_size = (single_segment, 2, 4, 8)[descriptor >> 6]
    fields.skip((0 if single_segment else 1) + (0, 1, 2, 4)[descriptor & 3] + content_size)
    last = 0
    while not last:
        block = fields.number(3)
        last, kind, size = block & 1, block >> 1 & 3, block >> 3
        if kind == 3:
            return Broken.CORRUPT
        fields.skip(1 if kind == 1 else size)
    fields.skip(4 * checksum)
    return fields.position


def _lz4_end(source: Source, start: int) -> int | Broken:
    """The LZ4 frame format: descriptor, blocks with their sizes until an end mark, checksum."""
    fields = _Fields(source, start)
    if fields.number(4) != int.from_bytes(LZ4_MAGIC, "little"):
        return Broken.NO_FRAME
    flags = fields.number(1)
    block_checksum, content_size, checksum, dictionary = (flags >> bit & 1 for bit in (4, 3, 2, 0))
    fields.skip(1 + 8 * content_size + 4 * dictionary + 1)
    while True:
        block = fields.number(4)
        if block == 0:
            break
        size = block & 0x7FFFFFFF
        if size > 8 << 20:
            return Broken.CORRUPT
        fields.skip(size + 4 * block_checksum)
    fields.skip(4 * checksum)
    return fields.position
