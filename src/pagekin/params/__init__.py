"""Parameters of a run, and the two sets of values to begin with.

The profile `default` has what gave the best findings on real pages, `paper` exactly what the papers define. A
field's metadata has `doc`; `flag`, the option of `pagekin scan` that sets it; `choices`; `paper`, its value
in that profile where it is not the default; and then `evidence`, what was measured. A parameter file is TOML
with one table per part, and may name its profile:

    profile = "paper"

    [read]
    keep_errors = true
    max_page_bytes = 1000000
"""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagekin.errors import ParamsError
from pagekin.fs import read_at_most
from pagekin.params.checks import at_least
from pagekin.params.styles import StyleParams
from pagekin.params.texts import (
    SHARES,
    DuplicateParams,
    FuzzyParams,
    PhraseParams,
    QuiltParams,
    ShingleParams,
)

__all__ = [
    "PROFILES",
    "SHARES",
    "DuplicateParams",
    "FuzzyParams",
    "Params",
    "PhraseParams",
    "QuiltParams",
    "ReadParams",
    "ServerParams",
    "ShingleParams",
    "StyleParams",
]

PROFILES = ("default", "paper")
"""What `--profile` may be."""

MIB = 1 << 20
MAX_FILE = 64 << 10
"""Bytes of a parameter file."""
_MAX_LINE = 8 << 10
"""Characters of its lines: a key of 100,000 parts took 4 GB."""

RENAMED = {"duplicates": {"runs": "bands"}, "fuzzy": {"least": "min_length"}, "style": {"scripts": "content"}}
"""Old names of parameters in run folders that are already there."""


@dataclass(frozen=True)
class ReadParams:
    """Which records of a crawl are pages."""

    keep_errors: bool = field(
        default=False,
        metadata={"doc": "keep pages whose HTTP status is not 200", "flag": "--keep-errors"},
    )
    max_page_bytes: int = field(
        default=64 * MIB, metadata={"doc": "skip pages larger than this after content decoding"}
    )
    base: str = field(
        default="",
        metadata={
            "doc": "folder or URL of the files that an index (CDX, CDXJ, Parquet) names, if it is not the "
            "folder of the index",
            "flag": "--base",
        },
    )

    follow_links: bool = field(
        default=False,
        metadata={
            "doc": "also read files outside of a folder that symbolic links in it lead to",
            "flag": "--follow-links",
        },
    )

    def __post_init__(self) -> None:
        at_least("read", "max_page_bytes", self.max_page_bytes, 1)


@dataclass(frozen=True)
class ServerParams:
    """What is one site."""

    map: str = field(
        default="",
        metadata={
            "doc": "a file of lines `host-or-domain name`: those with the same name are one site; "
            "the table `sites` uses it with --site domain only",
            "flag": "--server-map",
        },
    )


@dataclass(frozen=True)
class Params:
    """All parameters of a run."""

    read: ReadParams = field(default_factory=ReadParams, metadata={"doc": "reading the crawl"})
    style: StyleParams = field(default_factory=StyleParams, metadata={"doc": "style fingerprints"})
    shingles: ShingleParams = field(default_factory=ShingleParams, metadata={"doc": "shingles"})
    duplicates: DuplicateParams = field(
        default_factory=DuplicateParams, metadata={"doc": "duplicate classes"}
    )
    quilts: QuiltParams = field(default_factory=QuiltParams, metadata={"doc": "quilts"})
    fuzzy: FuzzyParams = field(default_factory=FuzzyParams, metadata={"doc": "exact and fuzzy duplicates"})
    servers: ServerParams = field(default_factory=ServerParams, metadata={"doc": "what is one site"})
    phrases: PhraseParams = field(
        default_factory=PhraseParams, metadata={"doc": "popular phrases, covers and sites"}
    )
    profile: str = "default"
    """The values it began with, before any was given: one of `PROFILES`."""

    def __post_init__(self) -> None:
        _check_profile(self.profile)
        need = self.duplicates.bands * self.duplicates.length
        if not self.duplicates.similarity and need > self.shingles.m:
            raise ParamsError(
                f"duplicates: {self.duplicates.bands} bands of {self.duplicates.length} need {need} "
                f"shingles, but shingles.m is {self.shingles.m}"
            )

    @staticmethod
    def parts() -> dict[str, type[Any]]:
        """The class of each part, by the part's name."""
        return {f.name: f.default_factory for f in dataclasses.fields(Params) if f.name != "profile"}  # type: ignore[misc]

    @classmethod
    def of(cls, profile: str) -> Params:
        """All values of a profile.

        Examples:
            >>> Params.of("paper").duplicates.similarity, Params.of("default") == Params()
            (0.0, True)
        """
        _check_profile(profile)
        parts = cls.parts() if profile == "paper" else {}
        return cls(profile=profile, **{name: part(**_paper_values(part)) for name, part in parts.items()})

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain values, as `run.json` records them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any], profile: str | None = None) -> Params:
        """Checks names, types and ranges. What is not given is as in `profile`, or else as the values' own.

        Examples:
            >>> Params.from_dict({"read": {"keep_errors": True}}).read.keep_errors
            True
            >>> Params.from_dict({"profile": "paper"}) == Params.of("paper")
            True
        """
        parts = cls.parts()
        unknown = sorted(values.keys() - parts.keys() - {"profile"})
        if unknown:
            raise ParamsError(f"unknown part [{unknown[0]}]; known parts: {', '.join(sorted(parts))}")
        base = cls.of(profile or values.get("profile", "default"))
        given = {
            name: dataclasses.replace(getattr(base, name), **_checked(name, parts[name], values[name]))
            for name in parts
            if name in values
        }
        return dataclasses.replace(base, **given)

    @classmethod
    def from_run(cls, values: dict[str, Any]) -> Params:
        """From `run.json`, which an older version may have written: those knew only the papers' values."""
        if values.get("style", {}).get("scripts") is False:
            # Texts were noise then: such fingerprints are like none that are made now.
            raise ParamsError("style.scripts = false is no parameter any more")
        named = {
            part: {RENAMED.get(part, {}).get(name, name): value for name, value in given.items()}
            for part, given in values.items()
            if part != "profile"
        }
        return cls.from_dict(named, values.get("profile", "paper"))

    @classmethod
    def from_toml(cls, path: Path, profile: str | None = None) -> Params:
        """Reads a parameter file; `profile` counts more than what the file says of it."""
        try:
            values = tomllib.loads(_toml_text(path))
        except OSError as error:
            raise ParamsError(f"cannot read the parameter file {path}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise ParamsError(f"{path} is not a TOML file: {error}") from error
        return cls.from_dict(values, profile)

    def replace(self, part: str, **values: Any) -> Params:
        """The same with some values of one part replaced."""
        old = getattr(self, part)
        return dataclasses.replace(self, **{part: dataclasses.replace(old, **values)})


def _toml_text(path: Path) -> str:
    text = read_at_most(path, MAX_FILE).decode("utf-8")
    if max(map(len, text.split("\n"))) > _MAX_LINE:
        raise ValueError(f"a line has more than {_MAX_LINE:,} characters")
    return text


def _check_profile(name: object) -> None:
    if name not in PROFILES:
        raise ParamsError(f"profile must be {' or '.join(PROFILES)}, not {name!r}")


def _paper_values(part: type) -> dict[str, Any]:
    """What the paper has for the fields whose default is another."""
    return {f.name: f.metadata["paper"] for f in dataclasses.fields(part) if "paper" in f.metadata}


def _checked(name: str, cls: type, given: object) -> dict[str, Any]:
    """The values given for a part, if it has them all and their types are right."""
    if not isinstance(given, dict):
        raise ParamsError(f"[{name}] must be a table of parameters")
    known = {f.name: f for f in dataclasses.fields(cls)}
    for key, value in given.items():
        if key not in known:
            raise ParamsError(f"unknown parameter {name}.{key}; known: {', '.join(sorted(known))}")
        wanted = type(known[key].default)
        # A bool is an int to Python, but not to a reader of the file.
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise ParamsError(f"{name}.{key} must be {wanted.__name__}, not {type(value).__name__}")
    return given
