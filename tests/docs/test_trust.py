"""Each promise of docs/guide/trust.md names what tests it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "trust.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]


def test_there_are_promises() -> None:
    assert len(ROWS) > 20
    assert all(len(row) == 2 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:50])
def test_what_tests_a_promise_is_there(row: list[str]) -> None:
    folder, found = "", []
    for name in re.findall(r"`([\w/.]+\.(?:py|rs))`", row[1]):
        # Of files in one folder, only the first is named with it.
        path = next((path for path in (ROOT / name, ROOT / folder / name) if path.is_file()), None)
        assert path is not None, f"{name} is not there"
        folder = str(path.parent)
        assert re.search(
            r"def test_|def main|^fuzz_target|pub fn assert_", path.read_text("utf-8"), re.MULTILINE
        )
        found.append(path)
    # "The same" is the row before.
    assert found or row[1].startswith("The same"), row
