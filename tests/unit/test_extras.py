"""What the optional parts need, by the metadata of the installed package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pagekin.extras import EXTRAS, install_command, is_installed, requirements

DECLARED = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_all_extras_are_known() -> None:
    assert set(EXTRAS) == DECLARED.keys() - {"all"}


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_command_names_what_is_declared(extra: str) -> None:
    def names(texts: list[str]) -> set[str]:
        return {text.split("[")[0].split(">")[0].split("<")[0].lower() for text in texts}

    assert names(requirements(extra)) == names(DECLARED[extra])
    assert install_command(extra).startswith("pip install '")


def test_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_installed("report")
    monkeypatch.setattr("pagekin.extras.requirements", lambda _: ["no-such-package>=1"])
    assert not is_installed("report")
