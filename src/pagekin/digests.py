"""ssdeep digests: of a text, and two of them compared.

A digest is `BLOCKSIZE:SIGNATURE:SIGNATURE`, as the `ssdeep` command prints it for a file with that text.
"""

from __future__ import annotations

from pagekin import _core
from pagekin.errors import InputError


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
