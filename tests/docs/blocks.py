"""The project's Markdown files, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    ROOT.glob("docs/**/*.md")
)

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language, what else its info string says, its content."""

    file: Path
    line: int
    language: str
    marks: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}"

    @property
    def tested(self) -> bool:
        return self.marks != "no-test"

    @property
    def lines(self) -> list[str]:
        """The commands of a block, without comments and empty lines."""
        lines = self.text.replace("\\\n", "").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]


def blocks(*languages: str) -> Iterator[Block]:
    """The blocks of some languages in all files."""
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            if match[1] in languages:
                line = text.count("\n", 0, match.start()) + 1
                yield Block(file, line, match[1], match[2].strip(), match[3])


def prose(text: str) -> str:
    """A file without its blocks of code."""
    return _BLOCK.sub("", text)
