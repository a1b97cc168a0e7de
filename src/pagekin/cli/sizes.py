"""Sizes as people write them: 4GB, 500MB, 64MiB, 1000000."""

from __future__ import annotations

import re

import click

UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}


class Size(click.ParamType):  # type: ignore[type-arg]
    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", str(value), re.IGNORECASE)
        if match is None:
            self.fail(f"{value!r} is not a size; write for instance 500MB or 4GB", param, ctx)
        size = int(float(match[1]) * UNITS[(match[2] or "").lower()])
        if size < 1:
            self.fail("a size must be at least one byte", param, ctx)
        return size


SIZE = Size()
