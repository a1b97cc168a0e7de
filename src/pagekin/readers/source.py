"""Stored bytes: opening local and remote files, streams that cannot seek, and what compressed them."""

from __future__ import annotations

import io
import lzma
import sys
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Final

from pagekin.errors import MissingExtraError
from pagekin.readers.base import message

SNIFF = 1 << 16
_WINDOW = 1 << 20

BOM: Final = b"\xef\xbb\xbf"
GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
_EXTENSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4"}


ZIP_ERRORS = (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""What reading a damaged, encrypted or oddly compressed zip may raise."""


class UnreadableError(OSError):
    """Stored bytes cannot be had, whatever the file system's own error was."""


def is_panic(error: BaseException) -> bool:
    """Whether a decoder written in Rust gave up. The class has no name to import, and is no `Exception`."""
    return type(error).__name__ == "PanicException"


class StoredFile(io.RawIOBase):
    """A stored file. Remembers that reading failed, so that decoders' errors can be told from that."""

    def __init__(self, file: Any, size: int | None = None) -> None:
        self._file = file
        self._size = size
        self.failed = False

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer; 0 at the end."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; none at the end."""
        try:
            data: bytes | None = self._file.read(size)
        except Exception as error:
            self.failed = True
            raise UnreadableError(message(error)) from error
        return data or b""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to an offset of the stored file."""
        try:
            position: int = self._file.seek(offset, whence)
        except Exception as error:
            self.failed = True
            raise UnreadableError(message(error)) from error
        return position

    def tell(self) -> int:
        position: int = self._file.tell()
        return position

    def seekable(self) -> bool:
        """Whether any offset can be gone back to."""
        return True

    def readable(self) -> bool:
        return True

    def reaches(self, offset: int) -> bool:
        """Whether one can go back to an offset."""
        return offset >= 0

    def size(self) -> int | None:
        """The stored size, where it can be known."""
        if self._size is None:
            here = self.tell()
            self._size = self.seek(0, io.SEEK_END)
            self.seek(here)
        return self._size

    def close(self) -> None:
        """Close the file too."""
        if not self.closed:
            self._file.close()
        super().close()


class ReplayBuffer(StoredFile):
    """A stream that cannot seek: keeps the last stretch, so that readers may step back a little."""

    def __init__(self, file: Any, owned: bool) -> None:
        super().__init__(file)
        self._owned = owned
        self._kept = bytearray()
        self._end = 0  # offset up to which the stream was read
        self._position = 0

    @property
    def oldest(self) -> int:
        """The earliest offset that can still be gone back to."""
        return self._end - len(self._kept)

    def reaches(self, offset: int) -> bool:
        """Whether an offset is still kept."""
        return offset >= self.oldest

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes, from what is kept and then from the stream."""
        if self._position == self._end:
            data = super().read(size)
            self._kept += data
            self._end += len(data)
            if len(self._kept) > 2 * _WINDOW:
                del self._kept[:-_WINDOW]
        else:
            begin = self._position - self.oldest
            data = bytes(self._kept[begin:] if size < 0 else self._kept[begin : begin + size])
        self._position += len(data)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go back to what is kept, or forward by reading."""
        if whence != io.SEEK_SET:
            offset += self._position if whence == io.SEEK_CUR else self._end
        if offset < self.oldest:
            raise OSError("a stream cannot go back that far")
        self._position = min(offset, self._end)
        while self._position < offset and self.read(min(SNIFF, offset - self._position)):
            pass
        return self._position

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return False

    def size(self) -> int | None:
        return None

    def close(self) -> None:
        """Let go of the stream; standard input stays open."""
        if not self._owned:
            self._file = io.BytesIO()
        super().close()


class FileSlice(io.RawIOBase):
    """The part `start`..`end` of a file that can seek, as a file of its own."""

    def __init__(self, file: Any, start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._end = end
        self._position = start

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes of the part."""
        left = max(0, self._end - self._position)
        self._file.seek(self._position)
        data: bytes = self._file.read(left if size < 0 else min(size, left))
        self._position += len(data)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to an offset of the part."""
        origin = {io.SEEK_SET: self._start, io.SEEK_CUR: self._position, io.SEEK_END: self._end}[whence]
        self._position = max(self._start, origin + offset)
        return self.tell()

    def tell(self) -> int:
        return self._position - self._start


def is_remote(path: str) -> bool:
    """Whether a path is a URL for fsspec."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme.replace("+", "").replace("-", "").replace(":", "").isalnum()


def fsspec() -> ModuleType:
    """The fsspec module, or an error that names the extra."""
    try:
        import fsspec as module
    except ImportError:
        raise MissingExtraError("remote paths", "remote") from None
    return module  # type: ignore[no-any-return]


def open_file(path: str) -> BinaryIO:
    """A local or remote file, to be read."""
    if not is_remote(path):
        return Path(path).open("rb", buffering=0)
    remote = fsspec()
    try:
        file: BinaryIO = remote.open(path, "rb").open()
    except Exception as error:
        raise UnreadableError(message(error)) from error
    return file


def open_source(path: str) -> StoredFile:
    """An input's bytes: `-` is standard input."""
    if path == "-":
        return ReplayBuffer(sys.stdin.buffer, owned=False)
    file = open_file(path)
    seekable = False
    with suppress(OSError):
        seekable = file.seekable()
    # A pipe may give less than was asked for: read on until all of it is there.
    return StoredFile(file) if seekable else ReplayBuffer(io.BufferedReader(file), owned=True)


def codec_of(start: bytes, path: str = "") -> str | None:
    """What a file is compressed with, by its first bytes; by its name if they are no record either."""
    if start.startswith(GZIP_MAGIC):
        return "gzip"
    if start.startswith(ZSTD_MAGIC) or (start[1:4] == b"\x2a\x4d\x18" and 0x50 <= start[0] <= 0x5F):
        return "zstd"  # the second: a skippable frame, such as the dictionary of a .warc.zst
    if start.startswith(LZ4_MAGIC):
        return "lz4"
    if not start or start.removeprefix(BOM).lstrip().startswith((b"WARC/", b"filedesc:", b"{")):
        return None
    return _EXTENSIONS.get(Path(path).suffix.lower())
