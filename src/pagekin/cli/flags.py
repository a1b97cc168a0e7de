"""Flags that several commands share, and detector parameters as flags: a field that names one gets it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from pagekin.params import PROFILES, Params

F = TypeVar("F", bound=Callable[..., Any])


FORMATS = ("table", "jsonl", "csv", "parquet")
"""What rows can be printed as."""

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="A table for the screen, or a format for programs.",
)


profile_option = click.option(
    "--profile",
    type=click.Choice(PROFILES),
    help="Start from the values that did best on real pages, or from exactly the papers' values.  "
    "[default: default]",
)


def flags() -> Iterator[tuple[str, dataclasses.Field[Any], str]]:
    """Part, field and flag of each parameter that has one."""
    for part, kind in Params.parts().items():
        for field in dataclasses.fields(kind):
            if "flag" in field.metadata:
                yield part, field, field.metadata["flag"]


def param_options(function: F) -> F:
    """Adds the flags to a command, which gets them as one argument `given`, for `apply`."""
    for part, field, flag in reversed(list(flags())):
        doc = field.metadata["doc"]
        choices = field.metadata.get("choices")
        # What a profile turns on can be turned off.
        on_and_off = f"{flag}/--no-{flag[2:]}" if field.metadata.get("paper") is True else flag
        option = click.option(
            on_and_off,
            f"{part}__{field.name}",
            type=click.Choice(choices) if choices else type(field.default),
            is_flag=type(field.default) is bool,
            default=None,
            help=f"{doc[0].upper()}{doc[1:]}."
            + ("" if type(field.default) is bool else f"  [{_defaults(field)}]"),
        )
        function = option(function)
    return function


def _defaults(field: dataclasses.Field[Any]) -> str:
    paper = f"; paper: {field.metadata['paper']}" if "paper" in field.metadata else ""
    return f"default: {field.default if field.default != '' else 'none'}{paper}"


def apply(params: Params, given: dict[str, Any]) -> Params:
    """The parameters with what was given as flags."""
    # All of a part at once: its values are checked together.
    parts: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        if value is not None:
            part, field = name.split("__")
            parts.setdefault(part, {})[field] = value
    for part, values in parts.items():
        params = params.replace(part, **values)
    return params
