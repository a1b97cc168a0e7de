"""HTTP responses as crawlers store them: status, headers, and a body whose encoding headers may lie."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastwarc.stream_io import BrotliReader, ZstdReader

from pagekin.readers.base import looks_like_html
from pagekin.readers.inflate import GZIP, RAW, ZLIB, Inflater
from pagekin.readers.source import GZIP_MAGIC, ZSTD_MAGIC

MAX_HEAD = 64 << 10
_USUAL_HEAD = 2 << 10
_PIECE = 1 << 20
_SMALL_PIECE = 4 << 10
MAX_ENCODINGS = 5
"""Content-Encodings on top of each other; curl takes as many, browsers hardly more than one."""
MAX_MEMBERS = 1024
"""Compressed streams that follow one another in a body. Browsers read the first only."""
MAX_CHUNKS = 1 << 20
MAX_IDLE = 1 << 20
"""Compressed bytes that may yield nothing. Deflate adds 5 bytes in 16,000 at most."""
_MAX_ZSTD_WINDOW = 8 << 20  # RFC 9659: what a sender of Content-Encoding: zstd may ask for
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?=[ \t\r\n])")
_BLANK = re.compile(rb"\r?\n\r?\n")
_LINE = re.compile(rb"\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(slots=True)
class Head:
    """A response's status line and headers (`low` is the same in lower case); its body begins at `end`."""

    status: int
    raw: bytes
    low: bytes
    end: int

    def get(self, name: bytes) -> str | None:
        """A header's value. `name` is CR LF, the name in lower case, and a colon."""
        start = self.low.find(name)
        if start < 0:
            return None
        start += len(name)
        return self.raw[start : self.low.find(b"\r\n", start)].strip().decode("latin-1")


class BadEncodingError(Exception):
    """The body cannot be decoded."""


class TooLargeError(Exception):
    """The decoded body is larger than allowed."""


def parse_head(front: bytes, data: bytes) -> Head | None:
    """The status line and headers with which `front + data` begins; None if they are not there."""
    top = front + data[:_USUAL_HEAD]
    end = top.find(b"\r\n\r\n") + 4
    if end == 3 and len(data) > _USUAL_HEAD:
        top = front + data[: MAX_HEAD - len(front)]
        end = top.find(b"\r\n\r\n") + 4
    if top.startswith(b"HTTP/1.") and top[8:9] == b" " and top[9:12].isdigit():
        status = int(top[9:12])
    else:
        match = _STATUS.match(top)
        if match is None:
            return None
        status = int(match[1])
    raw = top[:end]
    if end == 3 or b"\n\n" in raw:
        # Few servers write bare line feeds.
        blank = _BLANK.search(top)
        if blank is not None:
            raw, end = top[: blank.end()], blank.end()
        elif len(top) < MAX_HEAD:
            raw, end = top + b"\r\n\r\n", len(top)  # headers and no body
        else:
            return None
        raw = _LINE.sub(b"\r\n", raw)
    return Head(status, raw, raw.lower(), end)


def decode_body(head: Head, body: bytes, limit: int, cut: bool = False) -> bytes:
    """The body without its transfer and content encodings, at most `limit` bytes.

    Crawlers often store bodies decoded and headers as sent, so a body that does not look encoded is taken as
    it is. Of a body whose end was `cut` off, what can be decoded is taken.
    """
    if b"-encoding:" in head.low:
        transfer = head.get(b"\r\ntransfer-encoding:")
        if transfer is not None and "chunked" in transfer.lower():
            body = _unchunk(body, cut)
        content = head.get(b"\r\ncontent-encoding:")
        names = [name.strip() for name in content.lower().split(",")] if content else []
        decoders = [_DECODERS[name] for name in names if name in _DECODERS]
        if len(decoders) > MAX_ENCODINGS:
            raise BadEncodingError(f"{len(decoders)} content encodings, more than {MAX_ENCODINGS}")
        for decode in reversed(decoders):
            if body:
                body = decode(body, limit, cut)
    if len(body) > limit:
        raise TooLargeError
    return body


def _unchunk(body: bytes, cut: bool) -> bytes:
    chunks: list[bytes] = []
    position = 0
    while True:
        size_line = _CHUNK.match(body, position)
        if size_line is None:
            if not chunks:
                return body  # already decoded
            if cut:
                return b"".join(chunks)
            raise BadEncodingError("chunked: a chunk has no size")
        size = int(size_line[1], 16)
        begin = size_line.end()
        if size == 0:
            return b"".join(chunks)
        if begin + size > len(body):
            if not chunks and looks_like_html(body[:512]):
                return body
            if cut:
                return b"".join(chunks) + body[begin:]
            raise BadEncodingError("chunked: the last chunk is cut")
        if len(chunks) >= MAX_CHUNKS:
            raise BadEncodingError(f"chunked: more than {MAX_CHUNKS} chunks")
        chunks.append(body[begin : begin + size])
        position = begin + size
        position += 2 if body.startswith(b"\r\n", position) else body.startswith(b"\n", position)


def gunzip(data: bytes, limit: int) -> bytes:
    """What was gzipped, at most `limit` bytes."""
    return _inflate(data, GZIP, limit)


def _gzip(body: bytes, limit: int, cut: bool) -> bytes:
    return _inflate(body, GZIP, limit, cut) if body.startswith(GZIP_MAGIC) else body


def _deflate(body: bytes, limit: int, cut: bool) -> bytes:
    # "deflate" means zlib by the standard and raw deflate to some servers.
    if looks_like_html(body):
        return body
    for window in (ZLIB, RAW):
        try:
            return _inflate(body, window, limit, cut)
        except BadEncodingError as error:
            problem = error
    return _as_it_is(body, problem)


def _inflate(body: bytes, window: int, limit: int, cut: bool = False) -> bytes:
    inflater = Inflater(io.BytesIO(body).read, window)
    pieces: list[bytes] = []
    size = 0
    for _ in range(MAX_MEMBERS):
        try:
            for piece in inflater.stream():
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    raise TooLargeError
                if inflater.used - size > MAX_IDLE:
                    raise _idle("inflate")
        except EOFError:
            if cut:
                return b"".join(pieces)
            raise BadEncodingError("inflate: the data ends early") from None
        except zlib.error as error:
            raise BadEncodingError(f"inflate: {error}") from None
        if window != GZIP or inflater.peek(2) != GZIP_MAGIC:
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    raise BadEncodingError(f"inflate: more than {MAX_MEMBERS} gzip members")


def _brotli(body: bytes, limit: int, cut: bool) -> bytes:
    if looks_like_html(body):
        return body
    try:
        return _drain(BrotliReader, "brotli", body, limit, cut)
    except BadEncodingError as error:
        return _as_it_is(body, error)


def _zstd(body: bytes, limit: int, cut: bool) -> bytes:
    if not body.startswith(ZSTD_MAGIC):
        return body
    # Counts magic numbers inside of frames too: a page has none there but by chance.
    if body.count(ZSTD_MAGIC) + body.count(_ZSTD_SKIPPABLE) > MAX_MEMBERS:
        raise BadEncodingError(f"zstd: more than {MAX_MEMBERS} frames")
    frame = 0
    while frame >= 0:
        if _zstd_window(body[frame : frame + 18]) > _MAX_ZSTD_WINDOW:
            raise BadEncodingError("zstd: the window is too large")
        frame = body.find(ZSTD_MAGIC, frame + 1)
    return _drain(ZstdReader, "zstd", body, limit, cut)


def _zstd_window(head: bytes) -> int:
    """What a frame asks its decoder to hold. RFC 8878, section 3.1.1.1."""
    if len(head) < 18:
        return 0  # too short to be a frame with content
    descriptor = head[4]
    if not descriptor & 0x20:
        return (8 + (head[5] & 7)) << (7 + (head[5] >> 3))
    begin = 5 + (0, 1, 2, 4)[descriptor & 3]
    return int.from_bytes(head[begin : begin + (1, 2, 4, 8)[descriptor >> 6]], "little")


def _as_it_is(body: bytes, problem: BadEncodingError) -> bytes:
    """For encodings without a magic number: a body that holds no control characters was never encoded."""
    if _CONTROL.search(body, 0, 1024):
        raise problem
    return body


def _drain(reader_of: Callable[[Any], Any], name: str, body: bytes, limit: int, cut: bool) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        reader = reader_of(io.BytesIO(body))
        # In small pieces where the end is missing: the piece that meets it is lost.
        while piece := reader.read(_SMALL_PIECE if cut else _PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise TooLargeError
    except OSError as error:
        if cut and pieces:
            return b"".join(pieces)
        raise BadEncodingError(f"{name}: {error}") from None
    if len(body) - size > MAX_IDLE:
        raise _idle(name)
    return b"".join(pieces)


def _idle(name: str) -> BadEncodingError:
    return BadEncodingError(f"{name}: {MAX_IDLE} bytes of compressed data that yield nothing")


_DECODERS: dict[str, Callable[[bytes, int, bool], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
