"""The tree is as CONTRIBUTING.md and the lists of the import test say, and its files are small."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
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


def test_each_type_has_a_name_of_its_own() -> None:
    """Classes and aliases of Python, and types of a crate; the border names its types as the kernels do."""
    names: list[str] = []
    for path in (TREE / "src/pagekin").rglob("*.py"):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef):
                names.append(node.name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
                names += [ast.unparse(target) for target in node.targets]
    several = {name for name, times in Counter(names).items() if times > 1 and name[:1].isupper()}
    # `pagekin.Run` is the run folder with questions; `T` is a type variable's usual name.
    assert several - {"Run", "T"} == set()
    for crate in ("core", "py"):
        types = [
            name
            for path in (TREE / "crates" / crate / "src").rglob("*.rs")
            for name in re.findall(
                r"^(?:pub(?:\([a-z]+\))? )?(?:struct|enum|trait|type) (\w+)",
                path.read_text(encoding="utf-8").partition("#[cfg(test)]")[0],
                re.MULTILINE,
            )
        ]
        assert len(types) > 10
        assert not [name for name, times in Counter(types).items() if times > 1]


def test_no_module_only_calls_another() -> None:
    """One function of one statement that passes on what it got would be a name too many."""
    for name, path in FILES.items():
        tree = ast.parse(path.read_bytes())
        defined = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        if len(defined) != 1 or not isinstance(defined[0], ast.FunctionDef) or name.startswith("cli/"):
            continue
        statements = [
            node
            for node in defined[0].body
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        ]
        last = statements[-1]
        passes_on = len(statements) == 1 and isinstance(getattr(last, "value", None), ast.Call)
        other = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        assert not passes_on or other, f"{name} only calls another"


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
