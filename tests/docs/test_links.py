"""Links between the documents lead somewhere, and the symbols that they name exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from docs.blocks import FILES, ROOT, prose

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SYMBOL = re.compile(r"`([\w./-]+\.(?:py|rs)):([\w.]+)`")
PATH = re.compile(r"`((?:src|crates|tests|docs|benches|fuzz|tools)/[\w./-]+)`")


def anchors(path: Path) -> set[str]:
    """What GitHub makes of a file's headings."""
    headings = re.findall(r"^#+ (.*)$", prose(path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_links(file: Path) -> None:
    for target in LINK.findall(prose(file.read_text(encoding="utf-8"))):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (file.parent / path).resolve() if path else file
        assert there.exists(), f"{file.name}: {target}"
        assert not anchor or anchor in anchors(there), f"{file.name}: {target}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_paths_and_symbols(file: Path) -> None:
    text = prose(file.read_text(encoding="utf-8"))
    for path in PATH.findall(text):
        assert (ROOT / path).exists(), f"{file.name}: {path}"
    for path, symbol in SYMBOL.findall(text):
        source = ROOT / path
        assert source.is_file(), f"{file.name}: {path}"
        known = python_symbols(source) if source.suffix == ".py" else rust_symbols(source)
        assert symbol in known, f"{file.name}: {path} has no {symbol}"


def test_architecture_names_symbols() -> None:
    assert len(SYMBOL.findall((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))) > 50


def python_symbols(path: Path) -> set[str]:
    """The names that a module defines, methods as `Class.method`."""
    found: set[str] = set()

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            found.update(prefix + target.id for target in targets if isinstance(target, ast.Name))

    visit(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def rust_symbols(path: Path) -> set[str]:
    """The functions, types and constants of a Rust file."""
    kinds = "fn|struct|enum|trait|type|const|static"
    return set(re.findall(rf"^\s*(?:pub )?(?:{kinds}) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
