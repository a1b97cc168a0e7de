"""The optional parts of the installation: what each needs, and whether it is there."""

from __future__ import annotations

import re

EXTRAS = ("crawl", "remote", "report", "spark", "web")

_REQUIREMENT = re.compile(r"""\s*([^;]+?)\s*;.*\bextra\s*==\s*["']([\w-]+)["'].*""")
_NAME = re.compile(r"[\w.-]+")


def requirements(extra: str) -> list[str]:
    """What an extra needs, as pip is told; by the metadata of the installed package."""
    from importlib.metadata import requires

    found = (_REQUIREMENT.fullmatch(text) for text in requires("pagekin") or ())
    return sorted(match[1] for match in found if match is not None and match[2] == extra)


def is_installed(extra: str) -> bool:
    """Whether all that an extra needs is there."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        for text in requirements(extra):
            name = _NAME.match(text)
            version(name[0] if name else text)
    except PackageNotFoundError:
        return False
    return True


def install_command(extra: str) -> str:
    """A command that installs what an extra needs, wherever pagekin itself came from."""
    return " ".join(["pip install", *(f"'{text}'" for text in requirements(extra))])
