"""ssdeep digests: of a text, two of them compared, and files of them.

A digest is `BLOCKSIZE:SIGNATURE:SIGNATURE`, as the `ssdeep` command prints it for a file with that text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pagekin import _core
from pagekin.errors import InputError
from pagekin.fs import lines_at_most


def ssdeep(text: str | bytes) -> str:
    """The digest of a text as UTF-8, or of bytes.

    Examples:
        >>> ssdeep("Fish and chips, fish and chips, and mushy peas.")
        '3:jWaDGzaD7q/M:if9U'
        >>> ssdeep("")
        '3::'
    """
    return _core.ssdeep(text.encode() if isinstance(text, str) else text)


def ssdeep_score(a: str, b: str) -> int:
    """How alike two digests are, from 0 to 100.

    Examples:
        >>> one = ssdeep(" ".join(map(str, range(500))))
        >>> two = ssdeep(" ".join(map(str, range(7, 500))))
        >>> ssdeep_score(one, two)
        99
    """
    try:
        return _core.ssdeep_score(a, b)
    except ValueError as error:
        raise InputError(str(error)) from None


def ssdeep_why(a: str, b: str) -> str | None:
    """Why two digests score 0, in words; None if they do not.

    Examples:
        >>> ssdeep_why("3:C:C", "3:D:D")
        'too short: a signature has fewer than 7 characters'
    """
    try:
        return _core.ssdeep_why(a, b)
    except ValueError as error:
        raise InputError(str(error)) from None


def digest_length(digest: str) -> int:
    """Characters of the longer signature, of which no more than three equal ones in a row count.

    Examples:
        >>> digest_length("3:C:C"), digest_length("3:aaaaaab:xyz")
        (1, 4)
    """
    return max(len(_REPEATS.sub(r"\1\1\1", signature)) for signature in digest.split(":")[1:])


_MAX_LINE = 64 << 10
_REPEATS = re.compile(r"(.)\1{3,}")

HEADER = "ssdeep,1.1--blocksize:hash:hash,filename"
_HEADERS = (HEADER, "ssdeep,1.0--blocksize:hash:hash,filename")

_CONTROL = {code: f"%{code:02X}" for code in (*range(32), 127)}
"""A name of several lines would break the file; URLs write such characters like this anyway."""


def in_one_line(name: str) -> str:
    r"""A name without line breaks and other control characters, which stand as URLs write them.

    Examples:
        >>> in_one_line("a\tb")
        'a%09b'
    """
    return name.translate(_CONTROL)


def digest_line(digest: str, name: str) -> str:
    r"""A line of a file in the ssdeep format.

    Examples:
        >>> digest_line("3:C:C", 'a "page"')
        '3:C:C,"a \\"page\\""'
    """
    quoted = in_one_line(name).replace('"', '\\"')
    return f'{digest},"{quoted}"'


@dataclass
class DigestFile:
    """A file in the ssdeep format, as `ssdeep FILES > file` writes it; iterates over digests and names."""

    path: Path
    skipped: int = 0
    """lines that are no digests"""

    def __iter__(self) -> Iterator[tuple[str, str]]:
        try:
            # Names may hold a carriage return: lines end with a line feed alone.
            with self.path.open("rb") as file:
                lines = (_text(line) for line in lines_at_most(file.readline, self.path, _MAX_LINE))
                if next(lines, "").removeprefix("\ufeff").rstrip("\r\n") not in _HEADERS:
                    raise InputError(
                        f"{self.path} is not a file of ssdeep digests: it must begin with {HEADER}"
                    )
                for line in lines:
                    found = _parse_line(line.rstrip("\r\n"))
                    if found is not None:
                        yield found
                    elif line.strip():
                        self.skipped += 1
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror}") from error


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _parse_line(line: str) -> tuple[str, str] | None:
    digest, _, name = line.partition(",")
    try:
        _core.ssdeep_score(digest, digest)
    except (ValueError, UnicodeEncodeError):
        return None
    if len(name) >= 2 and name[0] == name[-1] == '"':
        name = name[1:-1].replace('\\"', '"')
    return digest, name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
