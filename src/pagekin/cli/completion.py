"""`pagekin completion`."""

from __future__ import annotations

import os
from pathlib import Path

import click

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_PAGEKIN_COMPLETE"
MARK = "# pagekin: completion"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Write it to a file and let the shell load that.")
def completion(shell: str, install: bool) -> None:
    """Print a script that completes commands and options in your shell, or install it.

    For bash and zsh, --install adds one line to ~/.bashrc or ~/.zshrc. fish finds the file by itself.
    Installing again replaces the script and adds no second line.

    \b
    Examples:
      pagekin completion bash --install
      pagekin completion zsh > _pagekin
    """
    script = _script(shell)
    if not install:
        click.echo(script)
        return
    file, startup = _places(shell)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(script)
    click.echo(f"wrote {file}")
    if startup is not None and _add_line(startup, f'source "{file}"  {MARK}'):
        click.echo(f"added a line to {startup}")
    click.echo(f"open a new {shell} to use it")


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    from pagekin.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(cli, {}, "pagekin", VARIABLE).source()


def _places(shell: str) -> tuple[Path, Path | None]:
    """Where the script goes, and the startup file that has to load it."""
    if shell == "fish":
        return _folder("XDG_CONFIG_HOME", ".config") / "fish" / "completions" / "pagekin.fish", None
    startup = Path.home() / ".bashrc"
    if shell == "zsh":
        startup = Path(os.environ.get("ZDOTDIR") or Path.home()) / ".zshrc"
    return _folder("XDG_DATA_HOME", ".local/share") / "pagekin" / f"completion.{shell}", startup


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / default)


def _add_line(file: Path, line: str) -> bool:
    """Adds a line to a file, unless it is there."""
    text = file.read_text() if file.exists() else ""
    if line in text.splitlines():
        return False
    separator = "" if not text or text.endswith("\n") else "\n"
    with file.open("a") as out:
        out.write(f"{separator}{line}\n")
    return True
