"""The figures of a progress line: how much is done, how fast, and how long it will take."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagekin.engines.base import Advance

_NAME = 28
"""Characters of a file's name that are shown."""


class StepMeter:
    """Counts what a step tells of itself. Times are seconds of one clock."""

    def __init__(self, step: str, now: float) -> None:
        self.step = step
        self.file: str | None = None
        self.records = self.rows = 0
        self._begin(now, 0.0)

    def _begin(self, now: float, done: float) -> None:
        """A part of the step begins, of which a share may have been done earlier."""
        self._since = now
        self._first = self._done = done
        self._rows = self._size = 0

    def add(self, more: Advance, now: float) -> None:
        """What was done since the last time."""
        if more.done < self._done:
            self._begin(now, 0.0)
        self.file = more.file
        self.records += more.records
        self.rows += more.rows
        if more.earlier:
            self._begin(now, more.done)
            return
        self._done = more.done
        self._rows += more.rows
        self._size += more.size

    @property
    def title(self) -> str:
        """The step, and the file that it reads."""
        return self.step if self.file is None else f"{self.step} {short_name(self.file)}"

    def figures(self, now: float) -> str:
        """Records, pages, speed and the time left, as far as they are known."""
        found = []
        if self.file is not None:
            found += [f"{self.records:,} records", f"{self.rows:,} pages"]
        elif self.rows:
            found.append(f"{self.rows:,} rows")
        elapsed = max(now - self._since, 1e-9)
        if self._size:
            found.append(f"{self._size / elapsed / 1e6:,.0f} MB/s")
        elif self._rows:
            found.append(f"{self._rows / elapsed:,.0f}/s")
        left = self.seconds_left(now)
        if left is not None:
            found.append(f"{say_time(left)} left")
        return ", ".join(found)

    def seconds_left(self, now: float) -> float | None:
        """How long this part of the step will take, if the rest goes as fast as what was done."""
        share = self._done - self._first
        return (now - self._since) * (1 - self._done) / share if share > 0 else None

    def fields(self, now: float) -> dict[str, Any]:
        """The state of the step as values, for `--json`."""
        elapsed = max(now - self._since, 1e-9)
        left = self.seconds_left(now)
        return {
            "step": self.step,
            "file": self.file,
            "done": round(self._done, 4),
            "records": self.records,
            "pages": self.rows,
            "rate": round(self._rows / elapsed, 1),
            "mb_per_second": round(self._size / elapsed / 1e6, 1),
            "seconds_left": None if left is None else round(left, 1),
        }


def short_name(path: str) -> str:
    """A file's name, without its middle if it is long: its end tells it from its neighbours."""
    name = PurePosixPath(path).name or path
    if len(name) <= _NAME:
        return name
    return f"{name[:9]}…{name[-(_NAME - 10) :]}"


def say_time(seconds: float) -> str:
    """A time as 0:05, 12:34 or 1:02:03."""
    whole = round(seconds)
    minutes, hours = whole // 60, whole // 3600
    return f"{hours}:{minutes % 60:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
