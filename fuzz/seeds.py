"""Inputs to begin with: the cases that the oracles share, and the few that earlier fuzzing found to matter.

`python fuzz/seeds.py unpack TARGET FOLDER` writes them as files.
`python fuzz/seeds.py pack TARGET FOLDER` keeps the files of a folder as the target's seeds.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
CASES = HERE.parent / "tests" / "cases" / "markup.json"


def kept(target: str) -> Path:
    return HERE / "seeds" / f"{target}.txt"


def unpack(target: str, folder: Path) -> None:
    """Each input in a file that is named by its content, as libFuzzer does."""
    inputs = [case["input"].encode("utf-8", "replace") for case in json.loads(CASES.read_text("utf-8"))]
    if kept(target).exists():
        inputs += [base64.b64decode(line) for line in kept(target).read_text().splitlines()]
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / hashlib.sha1(data, usedforsecurity=False).hexdigest()).write_bytes(data)


def pack(target: str, folder: Path) -> None:
    """One line for each input, in base64, so that changes can be read."""
    lines = sorted(base64.b64encode(path.read_bytes()).decode() for path in folder.iterdir())
    kept(target).parent.mkdir(exist_ok=True)
    kept(target).write_text("".join(f"{line}\n" for line in sorted(lines, key=len)))


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
