"""Axes: from values to places, and the ticks a reader expects."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from pagekin.look.words import scaled

T = TypeVar("T")

MAX_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """What an axis says, and the values at its two ends.

    On a logarithmic axis values at or below zero have no place; `fits` says so.
    """

    label: str
    low: float
    high: float
    log: bool = False
    form: Callable[[float], str] = scaled
    whole: bool = False
    """only whole numbers are ticks"""
    first: float = 0.0
    """ticks begin here, though the axis may begin before"""

    @classmethod
    def over(
        cls,
        label: str,
        values: Iterable[float],
        *,
        log: bool = False,
        zero: bool = True,
        form: Callable[[float], str] = scaled,
        whole: bool = False,
    ) -> Axis:
        """An axis that holds these values; a linear one begins at zero unless told otherwise."""
        known = [value for value in values if not log or value > 0]
        low, high = min(known, default=1.0 if log else 0.0), max(known, default=1.0)
        if log:
            # A value just below a power of ten may be rounded up to it, and still has to fit.
            low = min(10.0 ** math.floor(math.log10(low) + 1e-9), low)
            return cls(label, low, max(high * 1.08, low * 10), True, form, whole)
        low = min(low, 0.0) if zero else low
        axis = cls(label, low, high if high > low else low + 1, False, form, whole)
        # The last tick stands at the end, so that nothing is above the axis.
        step = axis._step()
        top = max(step * math.ceil(axis.high / step - 1e-9), axis.high)
        return replace(axis, low=low if zero else min(step * math.floor(low / step + 1e-9), low), high=top)

    def fits(self, value: float) -> bool:
        """The value has a place on this axis."""
        return self.low <= value <= self.high and (not self.log or value > 0)

    def place(self, value: float) -> float:
        """Where a value is: 0 at one end, 1 at the other."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """Values to mark, and what to write there.

        Examples:
            >>> [text for _, text in Axis("pages", 1, 20_000, log=True).ticks()]
            ['1', '10', '100', '1k', '10k']
            >>> [text for _, text in Axis("share", 0, 0.7).ticks()]
            ['0', '0.2', '0.4', '0.6']
            >>> [text for _, text in Axis("sites", 1, 9, log=True).ticks()]
            ['1', '2', '3', '5', '7']
        """
        values = self._powers() if self.log else self._steps()
        return [(value, self.form(value)) for value in values if value >= self.first or not self.log]

    def _powers(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / MAX_TICKS))
        powers = [10.0**n for n in range(first, last + 1, every)]
        if len(powers) > 2:
            return powers
        factors = (1, 2, 5) if len(powers) == 2 else (1, 2, 3, 5, 7)
        found = [f * 10.0**n for n in range(first - 1, last + 1) for f in factors]
        return [value for value in found if self.low * 0.999 <= value <= self.high * 1.001]

    def _step(self) -> float:
        raw = (self.high - self.low) / (MAX_TICKS - 1)
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(f * size for f in (1, 2, 5, 10) if f * size >= raw * (1 - 1e-9))
        return max(step, 1.0) if self.whole else step

    def _steps(self) -> list[float]:
        step = self._step()
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        # Rounded: 0.1 added up three times is no 0.3.
        return [round(n * step, 12) for n in range(first, last + 1)]


def log_bins(values: Iterable[int], per_decade: int = 10) -> list[tuple[int, int]]:
    """Whole-number ranges (low, high), both included, that cover the values evenly on a log axis.

    Examples:
        >>> log_bins([1, 12], 3)
        [(1, 2), (3, 4), (5, 9), (10, 21)]
    """
    top, edges, n = max(values, default=0), [1], 1
    while edges[-1] <= top:
        edge = math.ceil(10 ** (n / per_decade) - 1e-9)
        edges += [edge] if edge > edges[-1] else []
        n += 1
    return [(low, high - 1) for low, high in pairwise(edges)]


def thinned(points: list[T], max_points: int) -> list[T]:
    """At most so many of the points, evenly spread, the first and the last among them."""
    if len(points) <= max_points:
        return points
    places = {round(n * (len(points) - 1) / (max_points - 1)) for n in range(max_points)}
    return [points[place] for place in sorted(places)]
