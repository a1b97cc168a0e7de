"""Shell completion: what it proposes, and what installing it leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.command import run

from pagekin.cli.main import COMMANDS


def complete(words: str) -> list[str]:
    """What bash would be told for a line."""
    env = {
        "_PAGEKIN_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    return [line.partition(",")[2] for line in run(env=env).stdout.splitlines()]


def test_commands_and_options() -> None:
    assert complete("pagekin s") == [name for name in COMMANDS if name.startswith("s")]
    assert "scan" in complete("pagekin s")
    assert complete("pagekin scan --resu") == ["--resume"]
    assert complete("pagekin completion ") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script(shell: str) -> None:
    script = run("completion", shell).stdout
    assert f"_PAGEKIN_COMPLETE={shell}_complete" in script


@pytest.mark.parametrize(("shell", "startup"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_install_adds_one_line(tmp_path: Path, shell: str, startup: str) -> None:
    file = tmp_path / startup
    file.write_text("alias x=y")
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": "", "ZDOTDIR": ""}
    said = run("completion", shell, "--install", env=env).stdout
    script = tmp_path / f".local/share/pagekin/completion.{shell}"
    assert said == f"wrote {script}\nadded a line to {file}\nopen a new {shell} to use it\n"
    assert file.read_text() == f'alias x=y\nsource "{script}"  # pagekin: completion\n'
    assert "added" not in run("completion", shell, "--install", env=env).stdout
    assert file.read_text().count("source") == 1


def test_install_for_fish(tmp_path: Path) -> None:
    run("completion", "fish", "--install", env={"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""})
    assert (tmp_path / ".config/fish/completions/pagekin.fish").exists()
    assert [path.name for path in tmp_path.iterdir()] == [".config"]
