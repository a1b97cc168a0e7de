"""The known name that somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to add to a message about an unknown name: a question, or nothing if no known name is close.

    Examples:
        >>> did_you_mean("word", ["url", "words"])
        "; did you mean 'words'?"
        >>> did_you_mean("xyz", ["url", "words"])
        ''
    """
    from difflib import get_close_matches

    lower = {one.lower(): one for one in known}
    close = get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    if not close:  # the beginning of a long name is closer than its letters tell
        close = [one for one in lower if len(name) > 2 and one.startswith(name.lower())][:1]
    return f"; did you mean {lower[close[0]]!r}?" if close else ""


def not_among(name: str, known: Iterable[str], lead: str, listed: Iterable[str] | None = None) -> str:
    """The same, and then all names that there are.

    Examples:
        >>> not_among("word", ["url", "words"], "it has")
        "; did you mean 'words'? it has: url, words"
        >>> not_among("xyz", ["url", "words"], "it has")
        '; it has: url, words'
    """
    known = list(known)
    return f"{did_you_mean(name, known) or ';'} {lead}: {', '.join(known if listed is None else listed)}"
