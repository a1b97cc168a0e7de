"""The tree is as CONTRIBUTING.md and the lists of the import test say, and its files are small."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from unit.test_imports import FILES, HOMES, LAYERS, imports

TREE = Path(__file__).parents[2]
ROOMS = ("src", "crates", "tests", "benches", "fuzz", "docs", "examples", "tools")
CODE = {".py", ".pyi", ".rs", ".js", ".css", ".sql", ".html", ".toml"}
MAX_LINES = 400
MADE = {".venv", "__pycache__", "build", "dist", "site", "src", "target"}
"""Folders that are made; of `src` the layout shows what is in it."""


def test_files_are_small() -> None:
    files = [path for room in ROOMS for path in (TREE / room).rglob("*") if path.suffix in CODE]
    files = [path for path in files if not {"target", "__pycache__", "corpus"} & set(path.parts)]
    assert len(files) > 400
    lengths = {path: path.read_bytes().count(b"\n") for path in files}
    assert not {str(path): lines for path, lines in lengths.items() if lines > MAX_LINES}


def test_layers_and_homes_name_what_there_is() -> None:
    units = {file.split("/")[0] for file in FILES} - {"__init__"}
    assert set().union(*LAYERS) - {"_core"} == units
    for package, homes in HOMES.items():
        for home in homes:
            inside = [file for file in FILES if file == home or file.startswith(f"{home}/")]
            used = {name.split(".")[0] for file in inside for name in imports(FILES[file])}
            assert package in used, f"HOMES: nothing in {home} imports {package}"


def test_pyproject_asks_for_what_is_used() -> None:
    project = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: needs for name, needs in project["optional-dependencies"].items() if name != "all"}
    asked = {re.split(r"[^\w-]", need)[0].replace("-", "_") for needs in extras.values() for need in needs}
    used = {name.split(".")[0] for path in FILES.values() for name in imports(path)}
    assert asked - used == {"httptools", "pandas", "uvloop"}, "these uvicorn and PySpark use by themselves"


@pytest.mark.parametrize("folder", ["src/pagekin", "crates/core/src", "crates", "tests", ""])
def test_contributing_shows_every_room(folder: str) -> None:
    """Each folder with code in it is named in the layout."""
    text = (TREE / "CONTRIBUTING.md").read_text(encoding="utf-8")
    layout = text.partition("```text\n")[2].partition("```")[0]
    inside = TREE / folder
    code = [path.relative_to(inside) for path in inside.rglob("*") if path.suffix in {".py", ".rs"}]
    rooms = {path.parts[0] for path in code if len(path.parts) > 1 and path.parts[0] not in MADE}
    assert not {room for room in rooms if not re.search(rf"\b{room}/", layout)}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_layers_are_told_in_their_order(page: str) -> None:
    told = re.search(r"`(cli →[^`]*)`", (TREE / page).read_text(encoding="utf-8"))
    assert told, f"{page} does not say which way imports point"
    layers = [set(re.findall(r"\w+", names)) for names in told[1].split("→")]
    named = set().union(*layers)
    assert layers == [names & named for names in LAYERS if names & named]
    folders = {path.parent.name for path in (TREE / "src/pagekin").glob("*/__init__.py")}
    assert folders - {"__pycache__"} <= named
