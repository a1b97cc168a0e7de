"""Files that a command writes: nothing is overwritten unless asked for, and no folder is made up."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from pagekin.errors import OutputError, OutputExistsError

force_option = click.option("--force", is_flag=True, help="Replace files that exist.")


def require_free(paths: Iterable[Path | None], *, force: bool) -> None:
    """Fails before any work if a file would be overwritten, or its folder is not there."""
    for path in paths:
        if path is None or str(path) in ("-", "/dev/stdout", "/dev/null"):
            continue
        if not path.parent.is_dir():
            raise OutputError(f"cannot write to {path}: there is no folder {path.parent}; make it first")
        if path.exists() and not force:
            raise OutputExistsError(f"{path} exists; give another name, or --force to replace it")


def require_free_folder(folder: Path | None, names: Iterable[str], *, force: bool) -> None:
    """The same for files of these names in a folder, which is made if only it is missing."""
    if folder is None:
        return
    if not folder.parent.is_dir():
        raise OutputError(f"cannot write to {folder}: there is no folder {folder.parent}; make it first")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"cannot write to {folder}: a file of that name is in the way; choose another")
    there = sorted(name for name in names if (folder / name).exists())
    if there and not force:
        raise OutputExistsError(f"{folder} holds {there[0]}; give another folder, or --force to replace it")
