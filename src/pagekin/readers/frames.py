"""Compressed frames (gzip members, zstd and lz4 frames): decoding them, and where they begin and end.

FastWARC's readers decode. They say where a frame began, but not where good data stopped when a later one is
broken; that is found here from the stored bytes, and costs time only where something is broken.
"""

from __future__ import annotations

import io
import os
import re
import zlib
from enum import Enum
from typing import Any, NamedTuple

from fastwarc.stream_io import GzipReader, Lz4Reader, ZstdReader

from pagekin.readers.source import (
    LZ4_MAGIC,
    SNIFF,
    ZSTD_MAGIC,
    FileSlice,
    StoredFile,
    UnreadableError,
    is_panic,
)


def _past_empty_frames(decoder: Any) -> Any:
    """The same decoder, for which a frame without content is no end."""

    class Reader(decoder):  # type: ignore[misc]
        def read(self, size: int) -> bytes:
            data: bytes = super().read(size)
            while len(data) < size:
                frame = self.frame_start_position()
                more = super().read(size - len(data))
                if not more and frame == self.frame_start_position():
                    break
                data += more
            return data

    return Reader


READERS: dict[str, Any] = {
    "gzip": _past_empty_frames(GzipReader),
    "zstd": ZstdReader,
    "lz4": _past_empty_frames(Lz4Reader),
}

_GZIP = b"\x1f\x8b\x08"
_MAGICS = {"gzip": _GZIP, "zstd": ZSTD_MAGIC, "lz4": LZ4_MAGIC}
_WARC_RECORD = re.compile(rb"WARC/")
_DICTIONARY_FRAME = 0x184D2A5D
_MAX_DICTIONARY = 2 << 20
"""Each decoder copies it. Those of archives in use have some hundreds of kilobytes."""
_OVERRUN = 64 << 10  # how far past a damaged frame's end its decoder may run before it fails
# How much of a frame is decoded to see its beginning: zstd and lz4 need a whole block. So many bytes, for so
# many of what looks like frames in each 64 KiB of the file. Fewer with a dictionary: it is copied for each.
_TRIALS = ((1 << 10, SNIFF), (64 << 10, 64), (5 << 20, 4))
_TRIED_BYTES = 1 << 28
_MAX_ZSTD_BLOCK = 128 << 10


class Broken(Enum):
    """Why a frame has no end."""

    NO_FRAME = "no frame begins here"
    CORRUPT = "the compressed data is damaged"
    TRUNCATED = "the file ends inside the compressed data"


class BrokenFrame(NamedTuple):
    """A frame that cannot be decoded, and the offset up to which it could be followed."""

    start: int
    why: Broken
    reached: int


class Codec:
    """One way of compressing, and the dictionary that a .warc.zst may carry in its first frame."""

    def __init__(self, name: str, source: StoredFile) -> None:
        self.name = name
        self._magic = _MAGICS[name]
        self._dictionary = _zstd_dictionary(source) if name == "zstd" else None
        if self._dictionary and not _is_dictionary(self._dictionary):
            raise UnreadableError("the dictionary at the beginning of the file is damaged")
        copied = len(self._dictionary or b"")
        self._trials = [(size, min(count, _TRIED_BYTES // (size + copied))) for size, count in _TRIALS]

    def reader(self, file: Any, start: int = 0) -> Any:
        """A FastWARC reader that decodes from the frame at `start` on."""
        options = {"dictionary": self._dictionary} if self._dictionary else {}
        reader = READERS[self.name](file, **options)
        reader.inner_seek(start)
        return reader

    def frame_end(self, source: StoredFile, start: int, decode: bool = True) -> int | BrokenFrame:
        """The offset just after the frame that begins at `start`, if all of it can be decoded.

        Without `decode`, only what has to be decoded to find the end is.
        """
        source.seek(start)
        if self.name == "gzip":
            return _gzip_end(source, start)
        fields = _Fields(source, start)
        try:
            why = _zstd_end(fields) if self.name == "zstd" else _lz4_end(fields)
        except EOFError:
            why = Broken.TRUNCATED
        if why is not None:
            return BrokenFrame(start, why, fields.skipped_from)
        if decode and not self._decodes(source, start, fields.position):
            return BrokenFrame(start, Broken.CORRUPT, fields.position)
        return fields.position

    def last_size(self, source: StoredFile) -> int | None:
        """What a gzip file's last bytes say is the size of its last frame, uncompressed and modulo 2^32."""
        size = source.size()
        if self.name != "gzip" or size is None or size < 18:
            return None
        source.seek(size - 4)
        return int.from_bytes(source.read(4), "little")

    def first_broken(self, source: StoredFile, start: int, decode: bool = True) -> BrokenFrame | None:
        """The first frame at or after `start` that cannot be decoded, each frame following the one before."""
        while True:
            end = self.frame_end(source, start, decode)
            if isinstance(end, BrokenFrame):
                source.seek(start)
                return end if source.read(1) else None
            start = end

    def next_record_frame(
        self, source: StoredFile, broken: BrokenFrame, several: bool, record: re.Pattern[bytes] = _WARC_RECORD
    ) -> int | None:
        """The first frame after a broken one that holds the beginning of a record.

        What the broken frame's decoder could follow is not searched, but for its last part, into which a
        damaged frame may have led it; nor is that if it gave `several` records. Else frames that lie inside
        of each other would each be decoded to their common end. For the same reason the bytes handed to
        decoders are limited: bytes that only look like frames may come one after the other. The limit is one
        of places in the file, not of the search: searches are as many as there are broken frames.
        """
        begin = max(broken.start + 1, broken.reached - (0 if several else _OVERRUN))
        place = begin - begin % SNIFF
        if not source.reaches(place):
            place = begin
        trials = self._trials if source.seekable() else self._trials[:2]  # a stream cannot go back far
        while True:
            span = SNIFF - place % SNIFF
            data = _read_at(source, place, span + len(self._magic) - 1)
            found, number = data.find(self._magic), 0
            while 0 <= found < span:
                if place + found >= begin:
                    sizes = [size for size, count in trials if number < count]
                    if self._is_record(source, place + found, sizes, record):
                        return place + found
                number += 1
                found = data.find(self._magic, found + 1)
            if len(data) <= span:
                source.seek(place + len(data))
                return None
            place += span

    def _is_record(self, source: StoredFile, start: int, sizes: list[int], record: re.Pattern[bytes]) -> bool:
        """Whether a frame that may begin here begins with a record."""
        text = next((text for size in sizes if (text := self._beginning(source, start, size))), b"")
        return record.match(text) is not None

    def _beginning(self, source: StoredFile, start: int, size: int) -> bytes:
        """What the frame at `start` begins with, if its first `size` bytes tell."""
        source.seek(start)
        head = source.read(size)
        try:
            if self.name == "gzip":
                text = zlib.decompressobj(31).decompress(head, 16)
            else:
                text = bytes(self.reader(io.BytesIO(head)).read(16))
        except zlib.error:
            return b"?"
        except OSError:
            return b""
        return text.lstrip(b"\r\n")

    def _decodes(self, source: StoredFile, start: int, end: int) -> bool:
        try:
            reader = self.reader(FileSlice(source, start, end))
            while reader.read(SNIFF):
                pass
        except OSError:
            if source.failed:
                raise
            return False
        return True


def _read_at(source: StoredFile, start: int, size: int) -> bytes:
    """So many bytes from an offset on; fewer only at the end of the file."""
    source.seek(start)
    data = b""
    while len(data) < size and (more := source.read(size - len(data))):
        data += more
    return data


def _zstd_dictionary(source: StoredFile) -> bytes | None:
    source.seek(0)
    head = source.read(8)
    dictionary = None
    if len(head) == 8 and int.from_bytes(head[:4], "little") == _DICTIONARY_FRAME:
        size = int.from_bytes(head[4:], "little")
        # Packed or not, what is stored is hardly larger than the dictionary.
        if size <= _MAX_DICTIONARY:
            dictionary = _read_at(source, 8, size)
            if len(dictionary) < size:
                raise UnreadableError("the file ends inside the dictionary at its beginning")
            if dictionary.startswith(ZSTD_MAGIC):
                dictionary = ZstdReader(FileSlice(source, 8, 8 + size)).read(_MAX_DICTIONARY + 1)
        if max(size, len(dictionary or b"")) > _MAX_DICTIONARY:
            raise UnreadableError(
                f"the dictionary at the beginning of the file is larger than {_MAX_DICTIONARY} bytes"
            )
    source.seek(0)
    return dictionary


def _is_dictionary(data: bytes) -> bool:
    """Whether zstd takes it. FastWARC panics if not, with a message on stderr."""
    stderr = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        ZstdReader(io.BytesIO(), dictionary=data)
    except BaseException as error:
        if not is_panic(error):
            raise
        return False
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)
    return True


def _gzip_end(source: StoredFile, start: int) -> int | BrokenFrame:
    inflate = zlib.decompressobj(31)
    position = start
    data = source.read(SNIFF)
    if not data.startswith(_GZIP[: len(data)]):
        return BrokenFrame(start, Broken.NO_FRAME, start)
    while data:
        reached = position
        position += len(data)
        while data and not inflate.eof:
            try:
                inflate.decompress(data, 1 << 20)
            except zlib.error:
                return BrokenFrame(start, Broken.CORRUPT, reached)
            data = inflate.unconsumed_tail
        if inflate.eof:
            return position - len(inflate.unused_data)
        data = source.read(SNIFF)
    return BrokenFrame(start, Broken.TRUNCATED, position)


class _Fields:
    """Little-endian numbers of a frame, one after the other."""

    def __init__(self, source: StoredFile, start: int) -> None:
        self.source = source
        self.position = start
        self.skipped_from = start  # the last block begins here: in a cut frame, it may reach over others

    def number(self, size: int) -> int:
        data = self.source.read(size)
        if len(data) < size:
            raise EOFError
        self.position += size
        return int.from_bytes(data, "little")

    def skip(self, size: int) -> None:
        self.skipped_from = self.position
        if size:
            # Read the last byte, because one can seek past the end of a file.
            self.position += size - 1
            self.source.seek(self.position)
            self.number(1)


def _zstd_end(fields: _Fields) -> Broken | None:
    """RFC 8878, section 3.1: frame header, blocks with their sizes, checksum."""
    magic = fields.number(4)
    if 0x184D2A50 <= magic <= 0x184D2A5F:
        fields.skip(fields.number(4))
        return None
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
        if kind == 3 or size > _MAX_ZSTD_BLOCK:
            return Broken.CORRUPT
        fields.skip(1 if kind == 1 else size)
    fields.skip(4 * checksum)
    return None


def _lz4_end(fields: _Fields) -> Broken | None:
    """The LZ4 frame format: descriptor, blocks with their sizes until an end mark, checksum."""
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
    return None
