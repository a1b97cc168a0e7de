"""Hooks of MkDocs (mkdocs.yml): the navigation, and the pages of the site that lie above this folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

DOCS = Path(__file__).parent
ROOT = DOCS.parent

# What the site takes from the root of the repository.
ABOVE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"

SECTIONS = {
    "Guides": (
        "guide/getting-started.md",
        "guide/which-finding.md",
        "guide/reading-crawls.md",
        "guide/run-folder.md",
        "guide/*.md",
    ),
    "Recipes": ("recipes/*.md",),
    "Reference": ("reference/commands.md", "reference/tables.md", "reference/*.md"),
    "Inside": ("architecture.md", "*.md", "contributing.md", "changelog.md"),
}
"""Pages in their order: those named first, then what the pattern finds besides."""
DECISIONS = ("decisions/README.md", "decisions/*.md")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every page has its place in the navigation, new ones by their folder."""
    sections = {title: _pages(patterns) for title, patterns in SECTIONS.items()}
    sections["Inside"].append({"Decisions": _pages(DECISIONS)})
    config.nav = [{"Overview": "index.md"}, *({title: pages} for title, pages in sections.items() if pages)]
    return config


def _pages(patterns: tuple[str, ...]) -> list[Any]:
    pages: dict[str, None] = {}
    for pattern in patterns:
        if pattern in ABOVE.values():
            pages[pattern] = None
        else:
            pages.update(
                dict.fromkeys(sorted(path.relative_to(DOCS).as_posix() for path in DOCS.glob(pattern)))
            )
    return list(pages)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages from the root of the repository."""
    for name, page in ABOVE.items():
        files.append(File.generated(config, page, content=_moved((ROOT / name).read_text())))
    return files


def _moved(text: str) -> str:
    """Markdown of the root with its links as seen from docs/."""

    def link(match: re.Match[str]) -> str:
        target = match[1].removeprefix("docs/")
        return f"]({LICENCE if target == 'LICENSE' else ABOVE.get(target, target)}"

    return re.sub(r"\]\(([^)#\s]+)", link, text)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Takes from code blocks what only our tests read: MkDocs would show such a block as text."""
    return re.sub(r"^(```\w+) no-test$", r"\1", markdown, flags=re.MULTILINE)
