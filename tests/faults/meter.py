"""Counts the work of reading, so that tests need no clock: bytes read, decoded, searched and copied."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from fastwarc.stream_io import BrotliReader, ZstdReader

from pagekin.readers import (
    arc_line,
    blocks,
    frames,
    http,
    inflate,
    lookahead,
    members,
    record_scanner,
    source,
    stream,
)

CALL = 64
"""What a call costs, in bytes: many calls for little are work too."""


class Meter:
    """Work by kind: `read`, `decoded`, `searched`, `copied`."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    @property
    def work(self) -> int:
        return self.counts.total()

    def add(self, kind: str, size: int) -> None:
        self.counts[kind] += size + CALL


class _Pattern:
    """A compiled pattern that counts what it looks at."""

    def __init__(self, meter: Meter, pattern: Any) -> None:
        self._meter, self._pattern = meter, pattern

    def search(self, text: bytes, begin: int = 0, end: int = 1 << 62) -> Any:
        return self._count(self._pattern.search(text, begin, end), text, begin, end)

    def match(self, text: bytes, begin: int = 0, end: int = 1 << 62) -> Any:
        found = self._pattern.match(text, begin, end)
        return self._count(found, text, begin, end if found else begin)

    def sub(self, by: bytes, text: bytes) -> bytes:
        self._meter.add("searched", len(text))
        return bytes(self._pattern.sub(by, text))

    def _count(self, found: Any, text: bytes, begin: int, end: int) -> Any:
        stop = found.end() if found else min(end, len(text))
        self._meter.add("searched", max(0, stop - begin))
        return found


class _Zlib:
    """zlib, whose decoders count what goes in, comes out, and is copied as not used."""

    error = zlib.error

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def decompressobj(self, window: int) -> Any:
        meter, inner = self._meter, zlib.decompressobj(window)

        class Decoder:
            def decompress(self, data: bytes, size: int) -> bytes:
                meter.add("decoded", 0)
                found = inner.decompress(data, size)
                used = len(data) - len(inner.unconsumed_tail) - len(inner.unused_data)
                meter.add("decoded", used + len(found))
                meter.add("copied", len(inner.unconsumed_tail) + len(inner.unused_data))
                return found

            def __getattr__(self, name: str) -> Any:
                return getattr(inner, name)

        return Decoder()


def _decoder(meter: Meter, base: Any) -> Any:
    class Decoder(base):  # type: ignore[misc]
        def __init__(self, *_: Any, dictionary: bytes = b"", **__: Any) -> None:
            meter.add("decoded", 16 * CALL)
            meter.add("copied", len(dictionary))

        def read(self, size: int) -> bytes:
            data: bytes = super().read(size)
            meter.add("decoded", len(data))
            return data

    return Decoder


@contextmanager
def counting() -> Iterator[Meter]:
    """Everything that readers do in this block is counted."""
    meter = Meter()

    def counted_read(original: Any) -> Any:
        def read(self: Any, size: int = -1, /) -> bytes:
            data: bytes = original(self, size)
            meter.add("read", len(data))
            return data

        return read

    def fill(self: Any, size: int) -> None:
        before = self.end
        filled(self, size)
        if self.end > before:
            meter.add("copied", self.held)

    filled = members.MemberStream.fill

    def set_buffer(self: Any, value: bytes) -> None:
        meter.add("copied", len(value))
        self.__dict__["buffer"] = value

    with ExitStack() as stack:

        def put(target: Any, name: str, value: Any) -> None:
            stack.enter_context(patch.object(target, name, value, create=name == "_buffer"))

        put(source.StoredFile, "read", counted_read(source.StoredFile.read))
        put(source.ReplayBuffer, "read", counted_read(source.ReplayBuffer.read))
        put(stream.Stream, "_buffer", property(lambda self: self.__dict__["buffer"], set_buffer))
        put(frames, "zlib", _Zlib(meter))
        put(inflate, "zlib", _Zlib(meter))
        put(frames, "READERS", {name: _decoder(meter, base) for name, base in frames.READERS.items()})
        put(http, "ZstdReader", _decoder(meter, ZstdReader))
        put(http, "BrotliReader", _decoder(meter, BrotliReader))
        put(http, "_CHUNK", _Pattern(meter, http._CHUNK))
        for module, name in ((blocks, "START"), (record_scanner, "START"), (record_scanner, "_BLANK")):
            put(module, name, _Pattern(meter, getattr(module, name)))
        for name in ("_SCHEME", "_LATER_SCHEME", "_FIELDS"):
            put(arc_line, name, _Pattern(meter, getattr(arc_line, name)))
        put(members.MemberStream, "fill", fill)
        put(lookahead.Lookahead, "_read", _counted_call(meter, lookahead.Lookahead._read))
        yield meter


def _counted_call(meter: Meter, method: Any) -> Any:
    def call(self: Any) -> None:
        before = self._position
        method(self)
        meter.add("searched", self._position - before)

    return call
