"""Progress and messages of commands, on stderr: a progress bar, plain lines or JSON lines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pagekin.cli.color import console as console_on
from pagekin.cli.meter import StepMeter
from pagekin.cli.speech import as_flags
from pagekin.cli.terminal import fit_for, folded
from pagekin.errors import PagekinError

if TYPE_CHECKING:
    from rich.progress import Progress

    from pagekin.engines.base import Advance

F = TypeVar("F", bound=Callable[..., Any])

ROOM_FOR_BAR = 110
"""Columns of a terminal on which the figures leave room for a bar."""


class ProgressReporter:
    """Shows how the work goes on: the `Progress` that engines report to."""

    EVERY = 10.0
    """Seconds between two lines where there is no terminal to draw on."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self.quiet = quiet
        self.as_json = as_json
        self._bar: Progress | None = None
        self._task: Any = None
        self._meter = StepMeter("", time.monotonic())
        self._spoke = 0.0

    def __enter__(self) -> ProgressReporter:
        if sys.stderr.isatty() and not self.quiet and not self.as_json:
            from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

            console = console_on(sys.stderr)
            figures = TextColumn("{task.fields[figures]}", markup=False)
            columns: list[ProgressColumn] = [
                TextColumn("{task.description}", markup=False),
                TaskProgressColumn(),
                figures,
            ]
            if console.width >= ROOM_FOR_BAR:
                columns.insert(1, BarColumn(bar_width=20))
            self._bar = Progress(*columns, console=console, transient=True)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def step(self, name: str) -> None:
        self._spoke = time.monotonic()
        self._meter = StepMeter(name, self._spoke)
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(name, total=1.0, figures="")
        elif self.as_json:
            self.say(f"{name}: begins", step=name)

    def advance(self, more: Advance) -> None:
        """The step has come further."""
        now = time.monotonic()
        self._meter.add(more, now)
        if self._bar is not None:
            self._bar.update(
                self._task,
                description=self._meter.title,
                completed=more.done,
                figures=self._meter.figures(now),
            )
        elif now - self._spoke >= self.EVERY:
            self._spoke = now
            meter = self._meter
            self.say(f"{meter.title}: {more.done:.0%}, {meter.figures(now)}", **meter.fields(now))

    def say(self, message: str, **fields: Any) -> None:
        """A message, or with --json the fields in it."""
        if self.quiet:
            return
        if self.as_json:
            self._line(message, fields)
        else:
            click.echo(folded(sys.stderr, fit_for(sys.stderr, message)), err=True)

    def fail(self, error: PagekinError) -> int:
        """An error as a JSON line; returns the exit code."""
        self._line(as_flags(str(error)), {"error": error.code, "exit": error.exit_code})
        return error.exit_code

    def interrupted(self) -> int:
        """Ctrl-C as a JSON line; returns the exit code."""
        from pagekin.cli.main import INTERRUPTED, interrupted

        self._line(interrupted(), {"error": "interrupted", "exit": INTERRUPTED})
        return INTERRUPTED

    def _line(self, message: str, fields: dict[str, Any]) -> None:
        line = {"time": round(time.time(), 3), "message": message} | fields
        click.echo(fit_for(sys.stderr, json.dumps(line, ensure_ascii=False)), err=True)


def reporter_options(command: F) -> F:
    """Adds --quiet and --json, and passes the `ProgressReporter` they make."""

    @click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
    @click.option("--json", "as_json", is_flag=True, help="Say everything as JSON lines on stderr.")
    @wraps(command)
    def wrapped(*args: Any, quiet: bool, as_json: bool, **kwargs: Any) -> Any:
        reporter = ProgressReporter(quiet=quiet, as_json=as_json)
        if not as_json:
            return command(*args, reporter=reporter, **kwargs)
        # With --json errors are JSON lines too.
        try:
            return command(*args, reporter=reporter, **kwargs)
        except PagekinError as error:
            return reporter.fail(error)
        except KeyboardInterrupt:
            return reporter.interrupted()

    return wrapped  # type: ignore[return-value]
