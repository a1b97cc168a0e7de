"""What a JSON request says, checked field by field; what is wrong is told by its name."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

from pagekin.errors import UsageError
from pagekin.query.checker import CHECKS, Asked
from pagekin.readers.base import valid_text


def body_of(data: bytes, content_type: str) -> dict[str, Any]:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise UsageError("send JSON, and say so: Content-Type: application/json")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the body is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageError("the body must be an object")
    return found


def only(body: dict[str, Any], names: Sequence[str], where: str = "the body") -> None:
    """Raises on a field that is none of these: a typing error would go unseen."""
    unknown = sorted(body.keys() - set(names))
    if unknown:
        raise UsageError(f"{where} has no field {valid_text(unknown[0])!r}; it may have: {', '.join(names)}")


def text_field(body: dict[str, Any], name: str, *, needed: bool = False) -> str | None:
    """A text; None if it is not there."""
    value = body.get(name)
    if value is None:
        if needed:
            raise UsageError(f"the field {name!r} is needed")
        return None
    if not isinstance(value, str):
        raise UsageError(f"the field {name!r} must be a text")
    return valid_text(value)


def number(query: str | None, name: str, default: int, minimum: int, maximum: int) -> int:
    if query is None:
        return default
    sign = query[1:] if query[:1] == "-" else query
    if not (sign.isascii() and sign.isdigit()) or len(sign) > 18 or not minimum <= int(query) <= maximum:
        raise UsageError(f"{name} must be a whole number from {minimum} to {maximum:,}")
    return int(query)


def share(query: str | None, name: str, default: float) -> float:
    if query is None:
        return default
    try:
        value = float(query)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"{name} must be a number from 0 to 1")
    return value


PAGE_FIELDS = ("html", "html_base64", "text", "url", "ip")


def pages_of(body: dict[str, Any], max_pages: int) -> list[Asked]:
    """The pages of a check: `pages`, a list, or the one that the body itself is."""
    only(body, ("pages", "checks", *PAGE_FIELDS))
    if "pages" not in body:
        return [_page({name: value for name, value in body.items() if name != "checks"})]
    if body.keys() & set(PAGE_FIELDS):
        raise UsageError("send one page, or `pages`; not both")
    pages = body["pages"]
    if not isinstance(pages, list) or not all(isinstance(page, dict) for page in pages):
        raise UsageError("`pages` must be a list of objects")
    if not 1 <= len(pages) <= max_pages:
        raise UsageError(f"a request has 1 to {max_pages} pages")
    return [_page(page) for page in pages]


def _page(page: dict[str, Any]) -> Asked:
    only(page, PAGE_FIELDS, "a page")
    html, coded, text = (text_field(page, name) for name in ("html", "html_base64", "text"))
    if sum(value is not None for value in (html, coded, text)) != 1:
        raise UsageError("a page needs one of html, html_base64 and text")
    data = None if html is None else html.encode()
    if coded is not None:
        try:
            data = base64.b64decode(coded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise UsageError(f"html_base64 is not base64: {error}") from error
    return Asked(data, text, text_field(page, "url"), text_field(page, "ip"))


def checks_of(body: dict[str, Any]) -> list[str]:
    """What is to be looked at; everything by default."""
    asked = body.get("checks")
    if asked is None:
        return list(CHECKS)
    if (
        not isinstance(asked, list)
        or not asked
        or not all(one in CHECKS for one in asked if isinstance(one, str))
    ):
        raise UsageError(f"`checks` must be a list of {', '.join(CHECKS)}")
    if not all(isinstance(one, str) for one in asked):
        raise UsageError(f"`checks` must be a list of {', '.join(CHECKS)}")
    return [str(one) for one in asked]
