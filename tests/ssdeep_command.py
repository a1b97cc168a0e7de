"""Debian's `ssdeep` command: what it says of texts and of digests."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

HEADER = "ssdeep,1.1--blocksize:hash:hash,filename"


def require() -> None:
    """Skips where the command cannot be had; as root `make test` installs it, so there it must be."""
    if shutil.which("ssdeep") is None:
        assert os.geteuid() != 0, "the ssdeep command is missing; run tools/system"
        pytest.skip("needs the ssdeep command (Debian package ssdeep), and only root could install it")


def digests(texts: Sequence[bytes], folder: Path) -> list[str]:
    """The digests of some texts, each in a file of its own."""
    require()
    for number, text in enumerate(texts):
        (folder / str(number)).write_bytes(text)
    lines = run("-l", *map(str, range(len(texts))), folder=folder).splitlines()
    assert lines[0] == HEADER
    found = {name.rstrip('"'): digest for digest, name in (line.split(',"') for line in lines[1:])}
    return [found[str(number)] for number in range(len(texts))]


def scores(digests: Sequence[str], folder: Path) -> dict[tuple[int, int], int]:
    """The scores of all pairs of digests."""
    require()
    lines = [HEADER, *(f'{digest},"{number}"' for number, digest in enumerate(digests))]
    (folder / "signatures").write_text("\n".join(lines) + "\n")
    rows = csv.reader(run("-a", "-c", "-x", "signatures", folder=folder).splitlines())
    return {(int(row[0]), int(row[1])): int(row[2]) for row in rows if row}


def run(*args: str, folder: Path) -> str:
    """What the command prints."""
    done = subprocess.run(["ssdeep", "-s", *args], cwd=folder, capture_output=True, check=True, timeout=120)
    return done.stdout.decode()
