"""Flags that several commands share, and detector parameters as flags: a field that names one gets it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from pagekin.params import Params

F = TypeVar("F", bound=Callable[..., Any])


format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "csv", "parquet"]),
    default="table",
    show_default=True,
    help="For the screen, or for a program to read.",
)


def flags() -> Iterator[tuple[str, dataclasses.Field[Any], str]]:
    """Part, field and flag of each parameter that has one."""
    for part in dataclasses.fields(Params):
        for field in dataclasses.fields(type(getattr(Params(), part.name))):
            if "flag" in field.metadata:
                yield part.name, field, field.metadata["flag"]


def param_options(function: F) -> F:
    """Adds the flags to a command, which gets them as one argument `given`, for `apply`."""
    for part, field, flag in reversed(list(flags())):
        doc = field.metadata["doc"]
        choices = field.metadata.get("choices")
        option = click.option(
            flag,
            f"{part}__{field.name}",
            type=click.Choice(choices) if choices else type(field.default),
            is_flag=type(field.default) is bool,
            default=None,
            help=f"{doc[0].upper()}{doc[1:]}."
            + ("" if type(field.default) is bool else f"  [default: {field.default}]"),
        )
        function = option(function)
    return function


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
