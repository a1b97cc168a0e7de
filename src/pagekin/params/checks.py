"""Checks of single values; an error names the parameter."""

from __future__ import annotations

from pagekin.errors import ParamsError


def at_least(part: str, name: str, value: int, minimum: int) -> None:
    if value < minimum:
        raise ParamsError(f"{part}.{name} must be at least {minimum}, not {value}")


def between(part: str, name: str, value: float, minimum: int, maximum: int) -> None:
    if not minimum <= value <= maximum:
        raise ParamsError(f"{part}.{name} must be from {minimum} to {maximum}, not {value}")


def one_of(part: str, name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParamsError(f"{part}.{name} must be one of {', '.join(known)}, not {value!r}")
