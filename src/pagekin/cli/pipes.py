"""Pipes among the inputs of a command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from pagekin.cli.terminal import escaped


def say_pipes(names: Iterable[str | Path]) -> None:
    """Opening a pipe waits for its writer, and nobody would see for what."""
    for name in names:
        if Path(name).is_fifo():
            click.echo(escaped(f"{name}: waits until something is written to this pipe"), err=True)
