"""ARC, the format of web archives before WARC: its records, told in the words of WARC.

A record is a line and a block of bytes. The block of a page is its HTTP response. What is damaged has the
same rows as in a WARC file, and rows depend on nothing but the bytes from their offset on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagekin.errors import InputError
from pagekin.params import ReadParams
from pagekin.readers.arc_line import MAX_LINE, ArcLine, line_at, next_line
from pagekin.readers.base import Input, Position, Record
from pagekin.readers.frames import Broken, BrokenFrame, Codec
from pagekin.readers.http import MAX_HEAD
from pagekin.readers.members import MemberStream
from pagekin.readers.raw_record import RawRecord, damage
from pagekin.readers.source import ReplayBuffer, StoredFile
from pagekin.readers.warc import WarcReader

_FIRST = 64 << 10  # of a block that is not held, enough to tell what it is
_PIECE = 1 << 20
_MEMBER = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{1,12}:")
_BLANK = re.compile(rb"[\r\n]+")
_REASONS = {Broken.NO_FRAME: "garbage", Broken.CORRUPT: "corrupt", Broken.TRUNCATED: "truncated"}


def read_arc(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of an ARC file, plain or gzipped."""
    return ArcReader(source, params).read(after)


class ArcReader(WarcReader):
    """ARC records to pages, for one input: what makes a record a page is the same as in a WARC file."""

    def _scan(self, stored: StoredFile, start: int) -> Iterator[RawRecord]:
        codec = self._codec(stored)
        if codec is not None and codec.name != "gzip":
            raise InputError(f"{self._name}: ARC files must be plain or gzipped, not {codec.name}; unpack it")
        return iter(ArcScanner(stored, codec, self._limit + MAX_HEAD, start))


class ArcScanner:
    """The records of one ARC file, from the stored offset `start` on. No block over `hold` bytes is held."""

    def __init__(self, source: StoredFile, codec: Codec | None, hold: int, start: int = 0) -> None:
        self._source = source
        self._codec = codec
        self._hold = hold
        self._stream = MemberStream(source, codec is not None, start)

    def __iter__(self) -> Iterator[RawRecord]:
        stream = self._stream
        while True:
            stream.fill(MAX_LINE)
            blank = _BLANK.match(stream.buffer, stream.begin)
            if blank is not None:
                stream.use(blank.end() - blank.start())
            elif stream.held:
                line = self._line(0)
                yield self._gap() if line is None else self._record(line)
            elif stream.stop is None or stream.stop.why is None:
                return
            else:
                at, why = stream.stop.offset, stream.stop.why
                if isinstance(why, str):
                    yield damage(at, "unreadable", why)
                    return
                self._past_damage()
                size = stream.offset - at
                yield damage(at, _REASONS[why], f"{size} bytes" if why is Broken.NO_FRAME else why.value)

    def _line(self, count: int) -> ArcLine | None:
        """The line of a record that begins after so many bytes."""
        stream = self._stream
        line = line_at(stream.buffer, stream.begin + count)
        if line is None:
            return None
        member = stream.next_member(count + 1)
        if member is not None and stream.begin + member < line.end and self._line(member) is not None:
            return None  # it was cut, and what looks like its rest is another record
        return line

    def _gap(self) -> RawRecord:
        """Bytes that are no record."""
        stream = self._stream
        offset, begin = stream.offset, stream.position
        begun = _MEMBER.match(stream.buffer, stream.begin)
        found = self._find()
        size = stream.position - begin
        if found:
            return damage(offset, "garbage", f"{size} bytes")
        if (lost := self._damaged(begin)) is not None:
            self._past_damage()
            return damage(offset, _REASONS[lost], lost.value)
        if begun and size < MAX_LINE and b"\n" not in begun.string[begun.start() :]:
            return damage(offset, "truncated", "the file ends inside the record's headers")
        return damage(offset, "garbage", f"{size} bytes to the end")

    def _record(self, line: ArcLine) -> RawRecord:
        stream = self._stream
        length = line.length
        head = _warc_head(line)
        known = RawRecord(stream.offset, head, head.lower(), b"", b"", length)
        stream.use(line.end - line.begin)
        if length > self._hold:
            return self._pass_over(known)
        stream.fill(length + MAX_LINE)
        if stream.held < length:
            return self._short(known)
        if not self._ends_at(length):
            inner = self._search(length)
            if inner is not None:
                stream.use(inner)
                return known.too_long(inner)
            if (
                not _BLANK.match(stream.buffer, stream.begin + length)
                and stream.next_member(length) != length
            ):
                return self._too_short(known, length)
        known.data = stream.take(length)
        return self._checked(known)

    def _ends_at(self, length: int) -> bool:
        """Whether, after so many bytes, there is another record or the end."""
        stream = self._stream
        blank = _BLANK.match(stream.buffer, stream.begin + length)
        after = length + (blank.end() - blank.start() if blank else 0)
        return after == stream.held or self._line(after) is not None

    def _checked(self, known: RawRecord) -> RawRecord:
        """A record of which all bytes are there: spoiled if its member's checksum is wrong."""
        stream = self._stream
        why = self._damaged(stream.position - known.length)
        if why is Broken.CORRUPT:
            self._past_damage()
            return known.spoiled("corrupt", why.value)
        if why is Broken.TRUNCATED and not stream.buffer[stream.begin :].strip(b"\r\n"):
            self._past_damage()  # only what closes its member is cut off
        return known

    def _too_short(self, known: RawRecord, size: int) -> RawRecord:
        """The record goes on after its length."""
        stream = self._stream
        stream.use(size)
        begin = stream.position
        if not self._find() and self._damaged(begin) is not None:
            self._past_damage()
            return known.spoiled("corrupt", Broken.CORRUPT.value)
        return known.too_short()

    def _short(self, known: RawRecord) -> RawRecord:
        """The bytes end before the record does: the file was cut or is damaged, or the length is wrong."""
        stream = self._stream
        size = stream.held
        inner = self._search(size)
        if inner is not None:
            stream.use(inner)
            return known.too_long(inner)
        return self._cut(known, size, stream.take(size))

    def _cut(self, known: RawRecord, size: int, block: bytes | None = None) -> RawRecord:
        """The bytes end after `size` of the record's; which are `block`, if they could be held."""
        why = None if self._stream.stop is None else self._stream.stop.why
        goes_on = isinstance(why, Broken) and self._past_damage()
        if isinstance(why, str):
            return known.spoiled("unreadable", why)
        if why in (Broken.CORRUPT, Broken.NO_FRAME):
            return known.spoiled("corrupt", f"{size} of {known.length} bytes, then damaged data")
        # A record that was cut in the middle of a file takes in the members behind it.
        if block is not None and not goes_on:
            return known.cut(block)
        return known.spoiled("truncated", f"{size} of {known.length} bytes")

    def _pass_over(self, known: RawRecord) -> RawRecord:
        """A block too large to be held. A record that begins inside is believed: its length is wrong."""
        stream = self._stream
        begin = stream.position
        stream.fill(_FIRST)
        known.data = stream.buffer[stream.begin : stream.begin + _FIRST]
        while True:
            missing = begin + known.length - stream.position
            stream.fill(min(_PIECE, missing) + MAX_LINE)
            inner = self._search(min(stream.held, missing))
            if inner is not None:
                stream.use(inner)
                return known.too_long(stream.position - begin)
            if missing <= stream.held:
                if self._ends_at(missing) or _BLANK.match(stream.buffer, stream.begin + missing):
                    stream.use(missing)
                    return self._checked(known)
                return self._too_short(known, missing)
            if stream.stop is not None:
                stream.use(stream.held)
                return self._cut(known, stream.position - begin)
            stream.use(stream.held - MAX_LINE)

    def _find(self) -> bool:
        """Go to the next record after the first byte; to the end, or to damage, if there is none."""
        stream = self._stream
        while True:
            stream.fill(_PIECE)
            found = self._search(stream.held)
            if found is not None:
                stream.use(found)
                return True
            if stream.stop is not None:
                stream.use(stream.held)
                return False
            stream.use(stream.held - MAX_LINE)

    def _search(self, before: int) -> int | None:
        """After how many bytes a record begins: at a line's or member's beginning, not at 0, and `before`."""
        stream = self._stream
        begin = stream.begin
        line = next_line(stream.buffer, begin + 1, begin + before + MAX_LINE)
        found = before if line is None else min(before, line.begin - begin)
        member = stream.next_member(1)
        while member is not None and member < found:
            if self._line(member) is not None:
                return member
            member = stream.next_member(member + 1)
        return found if found < before else None

    def _damaged(self, begin: int) -> Broken | None:
        """What is wrong with the last member, if it is damaged and the bytes from `begin` on are its."""
        stop = self._stream.stop
        if stop is None or not isinstance(stop.why, Broken) or stop.why is Broken.NO_FRAME:
            return None
        return stop.why if self._stream.damage_begin() <= begin else None

    def _past_damage(self) -> bool:
        """Go to the next member that holds a record; to the end of the file, and False, if there is none."""
        stop = self._stream.stop
        assert stop is not None
        assert self._codec is not None
        assert isinstance(stop.why, Broken)
        start = stop.offset
        if isinstance(self._source, ReplayBuffer):
            start = max(start, self._source.oldest)
        broken = BrokenFrame(start, stop.why, stop.reached)
        frame = self._codec.next_record_frame(self._source, broken, several=False, record=_MEMBER)
        self._stream.put(self._source.tell() if frame is None else frame, self._stream.end)
        return frame is not None


def _warc_head(line: ArcLine) -> bytes:
    """The line as the headers of a WARC record."""
    url, kind = line.url, line.kind.strip().partition(b" ")[0]
    scheme = url.partition(b":")[0].lower()
    if scheme in (b"http", b"https"):
        name, kind = b"response", b"application/http"
    elif scheme in (b"filedesc", b"dns", b"metadata", b"warcinfo"):
        name = scheme
    else:
        name = b"resource"
    fields = (
        (b"WARC-Type", name),
        (b"WARC-Target-URI", url),
        (b"WARC-IP-Address", line.ip.removeprefix(b"-")),
        (b"WARC-Date", line.date),
        (b"Content-Type", b"" if kind == b"no-type" else kind),
    )
    return b"WARC/1.0\r\n" + b"".join(b"%s: %s\r\n" % pair for pair in fields) + b"\r\n"
