"""Every error pagekin raises on purpose.

    PagekinError                  code, exit code, and a sentence that says what to do
    ├── UsageError                exit 2   bad arguments, parameters or combinations of them
    │   ├── ParamsError                    a parameter out of its range, or an unknown one
    │   └── MissingExtraError              a feature whose optional extra is not installed
    ├── InputError                exit 1   an input cannot be found, read or understood
    │   └── NoPagesError                   everything was read and nothing was a page
    ├── RunError                  exit 1   a run folder is missing, busy, foreign or unfinished
    │   ├── RunExistsError                 the output folder already holds something
    │   ├── ParamsMismatchError            the folder was written with other parameters or inputs
    │   └── TableMissingError              the run has no such table
    ├── OutputError               exit 1   the output cannot be written (full, read-only, not ours)
    │   └── OutputExistsError              a file would be overwritten
    ├── EngineError               exit 1   an engine could not start or lost its workers
    └── LimitError                exit 1   the system gives too little memory, threads or open files

`code` is stable and may be matched on; messages may change.
"""

from __future__ import annotations

from typing import ClassVar

from pagekin.extras import install_command

DAMAGED = 3
"""The exit code when everything was done, but some inputs were damaged or unreadable."""


class PagekinError(Exception):
    """Base of every error pagekin raises on purpose."""

    code: ClassVar[str] = "pagekin"
    exit_code: ClassVar[int] = 1


class UsageError(PagekinError):
    """Bad arguments, parameters or combinations of them."""

    code = "usage"
    exit_code = 2


class ParamsError(UsageError):
    """A parameter out of its range, or an unknown one."""

    code = "params"


class MissingExtraError(UsageError):
    """A feature whose optional extra is not installed."""

    code = "missing-extra"

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the optional part `{extra}`: {install_command(extra)}")
        self.extra = extra


class InputError(PagekinError):
    """An input cannot be found, read or understood."""

    code = "input"


class NoPagesError(InputError):
    """Everything was read and nothing was a page."""

    code = "no-pages"


class RunError(PagekinError):
    """A run folder is missing, busy, foreign or unfinished."""

    code = "run"


class RunExistsError(RunError):
    """The output folder already holds something."""

    code = "run-exists"


class ParamsMismatchError(RunError):
    """The folder was written with other parameters or inputs."""

    code = "params-mismatch"


class TableMissingError(RunError):
    """The run has no such table."""

    code = "table-missing"


class OutputError(PagekinError):
    """The output cannot be written (full, read-only, not ours)."""

    code = "output"


class OutputExistsError(OutputError):
    """A file would be overwritten."""

    code = "output-exists"


class EngineError(PagekinError):
    """An engine could not start or lost its workers."""

    code = "engine"


class LimitError(PagekinError):
    """The system gives too little memory, too few threads or too few open files."""

    code = "limit"
