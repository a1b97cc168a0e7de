"""Charset: rules 1 to 5. What they leave open is a matter of guessing, and no oracle knows it."""

from __future__ import annotations

import re

import webencodings

PRESCAN = 4096
WHITE_SPACE = b"\t\n\f\r "
HTTP_WHITE_SPACE = "\t\n\r "
_HTTP_ESSENCE = re.compile(r"{token}+/{token}+".format(token=r"[!#$%&'*+\-.^_`|~0-9A-Za-z]"))
_HTTP_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")

# Names as the Encoding Standard writes them, where that is not in lower case.
_WRITTEN = {
    name.lower(): name
    for name in (
        "UTF-8 UTF-16BE UTF-16LE IBM866 KOI8-R KOI8-U GBK Big5 EUC-JP EUC-KR ISO-2022-JP Shift_JIS "
        + "ISO-8859-8-I "
        + " ".join(f"ISO-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16))
    ).split()
}


def charset(data: bytes, content_type: str | None = None) -> str | None:
    """The encoding's name in the Encoding Standard; None where only a guess can tell."""
    return (
        from_mark(data)
        or from_http(content_type)
        or from_meta(data[:PRESCAN])
        or from_xml(data[:PRESCAN])
        or from_zeros(data)
        or from_validity(data)
    )


def by_label(label: str) -> str | None:
    encoding = webencodings.lookup(label)
    # Labels of encodings that the standard gave up for safety stand for none that could be read.
    if encoding is None or encoding.name == "replacement":
        return None
    name: str = encoding.name
    return _WRITTEN.get(name, name)


def from_mark(data: bytes) -> str | None:
    for mark, name in ((b"\xef\xbb\xbf", "UTF-8"), (b"\xff\xfe", "UTF-16LE"), (b"\xfe\xff", "UTF-16BE")):
        if data.startswith(mark):
            return name
    return None


def from_xml(start: bytes) -> str | None:
    """An XML declaration that is the very beginning of the page."""
    declaration, closing, _ = start.partition(b">")
    if not closing or not declaration.startswith(b"<?xml"):
        return None
    found = re.search(rb"encoding[\x00-\x20]*=[\x00-\x20]*([\"'])(.*?)\1", declaration, re.DOTALL)
    # A value may hold no blanks; and the declaration could be read byte by byte, so it is not UTF-16.
    if found is None or re.search(rb"[\x00-\x20]", found[2]):
        return None
    name = by_label(found[2].decode("latin-1"))
    return "UTF-8" if name in {"UTF-16LE", "UTF-16BE"} else name


def from_zeros(data: bytes) -> str | None:
    """UTF-16 without a mark: markup begins with ASCII, whose other byte is zero."""
    if re.match(rb"<\0[A-Za-z!?]\0", data):
        return "UTF-16LE"
    if re.match(rb"\0<\0[A-Za-z!?]", data):
        return "UTF-16BE"
    return None


def from_validity(data: bytes) -> str | None:
    # ISO-2022-JP is ASCII to the eye.
    if re.search(rb"\x1b[$(]", data):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "UTF-8"


def from_http(content_type: str | None) -> str | None:
    """The `charset` parameter, by "parse a MIME type" of the MIME Sniffing Standard."""
    content_type = (content_type or "").strip(HTTP_WHITE_SPACE)
    essence, _, _ = content_type.partition(";")
    if not _HTTP_ESSENCE.fullmatch(essence.rstrip(HTTP_WHITE_SPACE)):
        return None
    rest = content_type[len(essence) :]
    at = 0
    while at < len(rest):
        at += 1  # the semicolon
        while rest[at : at + 1] and rest[at] in HTTP_WHITE_SPACE:
            at += 1
        start = at
        while at < len(rest) and rest[at] not in ";=":
            at += 1
        name = rest[start:at]
        if rest[at : at + 1] != "=":
            continue
        at += 1
        if rest[at : at + 1] == '"':
            value, at = _quoted(rest, at + 1)
        else:
            end = (rest + ";").index(";", at)
            value, at = rest[at:end].rstrip(HTTP_WHITE_SPACE), end
            if not value:
                continue
        if name.lower() == "charset" and _HTTP_VALUE.fullmatch(value):
            return by_label(value)  # the first one counts, known or not
    return None


def _quoted(rest: str, at: int) -> tuple[str, int]:
    """A quoted string from behind its quote: its value, and where the next semicolon is."""
    value = ""
    while at < len(rest) and rest[at] != '"':
        if rest[at] == "\\" and at + 1 < len(rest):
            at += 1
        value += rest[at]
        at += 1
    return value, (rest + ";").index(";", min(at, len(rest)))


def from_meta(start: bytes) -> str | None:
    """The HTML standard's "prescan a byte stream", which skips comments but knows no raw elements."""
    try:
        return _Prescan(start).run()
    except IndexError:  # the end, in the middle of something
        return None


def from_content(content: str) -> str | None:
    """The label in `text/html; charset=…`: "extracting a character encoding from a meta element"."""
    at = 0
    while (at := content.find("charset", at)) >= 0:
        at += len("charset")
        rest = content[at:].lstrip("\t\n\f\r ")
        if not rest.startswith("="):
            continue
        rest = rest[1:].lstrip("\t\n\f\r ")
        if rest[:1] in {'"', "'"}:
            label, closing, _ = rest[1:].partition(rest[0])
            return by_label(label) if closing else None
        return by_label(re.split(r"[\t\n\f\r ;]", rest, maxsplit=1)[0])
    return None


class _Prescan:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def run(self) -> str | None:
        while self.at < len(self.data):
            rest = self.data[self.at :]
            if rest.startswith(b"<!--"):
                # The dashes of the beginning may be those of the end: `<!-->`.
                self.at = self.find(b"-->", self.at + 2) + 2
            elif re.match(rb"(?i)<meta[\t\n\f\r /]", rest):
                self.at += 5
                if (found := self.meta()) is not None:
                    return found
            elif re.match(rb"</?[A-Za-z]", rest):
                while self.data[self.at] not in WHITE_SPACE + b">":
                    self.at += 1
                while self.attribute() is not None:
                    pass
            elif rest[:2] in {b"<!", b"</", b"<?"}:
                self.at = self.find(b">", self.at)
            self.at += 1
        return None

    def find(self, what: bytes, start: int) -> int:
        at = self.data.find(what, start)
        if at < 0:
            raise IndexError
        return at

    def meta(self) -> str | None:
        seen: set[str] = set()
        is_pragma = False
        needs_pragma: bool | None = None
        found: str | None = None
        while (pair := self.attribute()) is not None:
            name, value = pair
            if name in seen:
                continue
            seen.add(name)
            if name == "http-equiv":
                is_pragma = value == "content-type"
            elif name == "content" and needs_pragma is None:
                if (found := from_content(value)) is not None:
                    needs_pragma = True
            elif name == "charset":
                found, needs_pragma = by_label(value), False
        if needs_pragma is None or (needs_pragma and not is_pragma):
            return None
        # The tag could be read byte by byte, so it is not UTF-16 whatever it says.
        if found in {"UTF-16LE", "UTF-16BE"}:
            return "UTF-8"
        return "windows-1252" if found == "x-user-defined" else found

    def attribute(self) -> tuple[str, str] | None:
        """The next attribute of this tag in lower case, or None at its `>`: "get an attribute"."""
        while self.data[self.at] in WHITE_SPACE + b"/":
            self.at += 1
        if self.data[self.at : self.at + 1] == b">":
            return None
        start = self.at
        while (byte := self.data[self.at]) not in WHITE_SPACE + b"/>" and not (
            byte == 0x3D and self.at > start
        ):
            self.at += 1
        name = self.lowered(start)
        while self.data[self.at] in WHITE_SPACE:
            self.at += 1
        if self.data[self.at] != 0x3D:
            return name, ""
        self.at += 1
        while self.data[self.at] in WHITE_SPACE:
            self.at += 1
        quote = self.data[self.at : self.at + 1]
        if quote in {b'"', b"'"}:
            start = self.at + 1
            self.at = self.find(quote, start)
            value = self.lowered(start)
            self.at += 1
            return name, value
        start = self.at
        while self.data[self.at] not in WHITE_SPACE + b">":
            self.at += 1
        return name, self.lowered(start)

    def lowered(self, start: int) -> str:
        return self.data[start : self.at].lower().decode("latin-1")
