"""`pagekin`: the commands, loaded one by one, and the exit codes.

0    done
1    failed
2    wrong usage
3    finished, but some inputs were damaged or unreadable
130  interrupted; `scan --resume` goes on
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from pagekin.cli.color import color_option
from pagekin.cli.limits import check_program, met_limit
from pagekin.cli.speech import as_flags
from pagekin.cli.terminal import escaped
from pagekin.errors import PagekinError
from pagekin.suggest import did_you_mean

COMMANDS = {
    "audit": "Count duplicates among ranked search results.",
    "check": "Check new pages against the pages of a run and the verdicts they carry.",
    "compare": "Compare two HTML files: one to one.",
    "completion": "Complete commands and options in your shell.",
    "crawl": "Crawl sites politely, until there is nothing new to find.",
    "demo": "Make a small web, scan it, print the findings, write the report.",
    "export": "Write what a run found in formats that others read.",
    "figures": "Write every figure of a run as SVG and PNG files with their data.",
    "fuzzy-threshold": "Show what ssdeep scores mean on the texts of a run.",
    "like": "Rank all pages of a run by style similarity to one: one to all.",
    "report": "Tell what a run found in one HTML file.",
    "scan": "Read a crawl, sketch its pages, run the detectors.",
    "serve": "Look at a run, judge its findings, check new pages: the review app and API.",
    "show": "Print a table of a run.",
    "ssdeep": "Print the digests of a run in the ssdeep format, or match those of a file.",
    "sweep": "Count the quilts of a run for a grid of parameters.",
    "synth": "Write a made-up web with its truth table.",
    "verdicts": "Show what people decided, or move it between runs and files.",
}

INTERRUPTED = 130
RESUMABLE = ("crawl", "scan")
"""Commands that go on with --resume."""


class ClosedPipeError(Exception):
    """The reader of our output went away (`| head`). Click would end with another code than we do."""


class Commands(click.Group):
    """Imports a command's file only when that command is called, so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(import_module(f"pagekin.cli.{name}"), name)
        assert isinstance(command, click.Command)
        if not any("--color" in option.opts for option in command.params):
            command.params.append(color_option())
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parses the options; --help and --version write here."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError as error:
            raise ClosedPipeError from error

    def invoke(self, ctx: click.Context) -> object:
        check_program()  # before commands import what aborts
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ClosedPipeError from error

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without importing them, and the options."""
        found = [
            CompletionItem(name, help=doc) for name, doc in COMMANDS.items() if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _say_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    from pagekin.extras import EXTRAS, install_command, is_installed

    there = [extra for extra in EXTRAS if is_installed(extra)]
    click.echo(f"pagekin {version('pagekin')}")
    click.echo(f"engines: {', '.join(['local', *(extra for extra in there if extra == 'spark')])}")
    click.echo(f"extras: {', '.join(there) or 'none'}")
    for extra in EXTRAS:
        if extra not in there:
            click.echo(f"  {extra} is not installed: {install_command(extra)}")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_say_version,
    help="Show the version, the engines and the extras that are there.",
)  # fmt: skip
def cli() -> None:
    """Find a web page's kin in a crawl.

    \b
    Examples:
      pagekin demo
      pagekin scan crawl.warc.gz -o run
      pagekin show run pages --top 10

    Results go to stdout, messages to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 finished but some
    inputs were damaged or unreadable, 130 interrupted (go on with `scan --resume`).
    """


cli.params.append(color_option())


def main() -> None:
    _prepare_streams()
    try:
        code = cli.main(standalone_mode=False)
        # Only `scan` and `demo` return a code; click returns None for --help.
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo(f"pagekin: {interrupted()}", err=True)
        code = INTERRUPTED
    except PagekinError as error:
        # What a library said of a table may be that it got no memory: the table is fine then.
        limited = met_limit(error.__cause__) if error.__cause__ else None
        click.echo(f"pagekin: {escaped(as_flags(str(limited or error)))}", err=True)
        code = error.exit_code
    except (BrokenPipeError, ClosedPipeError):
        # Not our failure.
        _drop_output()
        code = 0
    except OSError as error:
        click.echo(f"pagekin: {escaped(str(met_limit(error) or error))}", err=True)
        _drop_output()
        code = 1
    except Exception as error:  # libraries have classes of their own for this
        limited = met_limit(error)
        if limited is None:
            raise
        click.echo(f"pagekin: {limited}", err=True)
        code = limited.exit_code
    if code == INTERRUPTED:
        # A thread may still wait for an idle pipe, over which Python would stumble while it shuts down.
        os._exit(code)
    sys.exit(code if isinstance(code, int) else 0)


def interrupted() -> str:
    """What to say of Ctrl-C, and what to do next."""
    resumable = any(word in RESUMABLE for word in sys.argv[1:2])
    return "interrupted" + ("; go on with the same command and --resume" if resumable else "")


def _prepare_streams() -> None:
    """Streams may be closed, or go to a terminal that cannot show all characters."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
        elif name == "stdout":
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Python would complain at exit about what it still holds and cannot write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
