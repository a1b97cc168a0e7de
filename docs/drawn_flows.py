"""The figures of docs/architecture.md: the data flow of each detector, as its modules draw it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

DETECT = Path(__file__).resolve().parent.parent / "src/pagekin/detect"
MARKED = re.compile(r"(?<=<!-- flows -->\n).*?(?=<!-- end of flows -->)", re.DOTALL)

FLOWS = {
    "Duplicates": ("duplicates/find", "duplicates/flow", "duplicates/compare"),
    "Styles": ("styles/find", "styles/clusters", "styles/leaders", "styles/shapes"),
    "Quilts": ("quilts/find", "quilts/flow", "quilts/attribution"),
    "Phrases": (
        *("phrases/find", "phrases/popular", "phrases/covers"),
        *("phrases/donors", "phrases/quotes", "phrases/sites"),
    ),
    "Fuzzy": ("fuzzy/find", "fuzzy/flow"),
    "Causes": ("causes/find", "causes/copies", "causes/redirects", "causes/parameters"),
}


def with_flows(page: str) -> str:
    """The page with the figures in their place."""
    assert MARKED.search(page), "docs/architecture.md has lost the marks around the flows"
    return MARKED.sub(lambda _: "\n".join(figures()) + "\n", page)


def figures() -> Iterator[str]:
    """A heading for each detector, and the figures of its modules."""
    for detector, modules in FLOWS.items():
        yield f"### {detector}\n"
        for module in modules:
            yield f"`src/pagekin/detect/{module}.py`:\n"
            yield f"```text\n{figure(DETECT / f'{module}.py')}\n```\n"


def figure(module: Path) -> str:
    """The paragraph of a module's docstring that has arrows in it."""
    paragraphs = (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").split("\n\n")
    drawn = [paragraph for paragraph in paragraphs if "→" in paragraph]
    assert len(drawn) == 1, f"{module} draws {len(drawn)} flows"
    return textwrap.dedent(drawn[0])
