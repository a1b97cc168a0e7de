"""Whether to use colours: `--color`, else NO_COLOR, else whether anybody looks."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from rich.console import Console

KEY = "pagekin.color"
CHOICES = {"auto": None, "always": True, "never": False}


def _choose(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.find_root().meta[KEY] = ctx.find_root().color = ctx.color = CHOICES[value]


def color_option() -> click.Option:
    """`--color`, for the group and for each of its commands."""
    return click.Option(
        ["--color"],
        type=click.Choice(list(CHOICES)),
        expose_value=False,
        is_eager=True,
        callback=_choose,
        help="When to use colours; auto means on a terminal, unless NO_COLOR is set.  [default: auto]",
    )


def wants_color(stream: IO[Any]) -> bool:
    """Whether what goes to this stream may hold colours."""
    context = click.get_current_context(silent=True)
    chosen = None if context is None else context.find_root().meta.get(KEY)
    if chosen is not None:
        return bool(chosen)
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def console(stream: IO[Any], width: int | None = None) -> Console:
    """Rich's console on a stream, with colours if they are wanted."""
    from rich.console import Console

    class Manners(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end with exit code 1; `main` knows what a closed pipe means."""
            raise BrokenPipeError

    wanted, seen = wants_color(stream), stream.isatty()
    # Where there is no terminal Rich leaves colours out, unless it is made to believe in one.
    force = True if wanted and not seen else None
    system: Literal["auto", "standard"] | None = None
    if wanted:
        system = "auto" if seen else "standard"
    return Manners(file=stream, width=width, highlight=False, force_terminal=force, color_system=system)
