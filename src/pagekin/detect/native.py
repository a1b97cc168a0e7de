"""A kernel that is one function of the native module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pagekin import _core
from pagekin.engines.base import BatchFunction


@dataclass(frozen=True)
class NativeKernel:
    """A function of `_core` on each batch, by its name: functions of the native module do not pickle."""

    name: str
    schema: pa.Schema
    arguments: tuple[Any, ...] = ()
    growth: int = 1
    """How many bytes come out for each that comes in, roughly."""

    def open(self, threads: int) -> BatchFunction:
        function = getattr(_core, self.name)
        names = self.schema.names
        return lambda batch: function(batch, *self.arguments).select(names).cast(self.schema)
