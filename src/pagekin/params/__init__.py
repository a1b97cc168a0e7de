"""Parameters: one frozen dataclass per part of the work, with the papers' defaults.

A field whose metadata names a `flag` is a flag of `pagekin scan` too. A parameter file is TOML with one table
per part:

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
from pagekin.params.checks import at_least
from pagekin.params.styles import StyleParams
from pagekin.params.texts import DuplicateParams, FuzzyParams, PhraseParams, QuiltParams, ShingleParams

__all__ = [
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

MIB = 1 << 20

RENAMED = {"fuzzy": {"least": "min_length"}}
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
            "doc": "folder or URL of the files that an index (CDX, CDXJ, Parquet) names; "
            "by default where the index is",
            "flag": "--base",
        },
    )

    follow_links: bool = field(
        default=False,
        metadata={"doc": "read what links in a folder lead to outside of it", "flag": "--follow-links"},
    )

    def __post_init__(self) -> None:
        at_least("read", "max_page_bytes", self.max_page_bytes, 1)


@dataclass(frozen=True)
class ServerParams:
    """What is one site."""

    map: str = field(
        default="",
        metadata={
            "doc": "a file of lines `host-or-domain name`: what bears one name is one site; "
            "the table `sites` takes it with --site domain only",
            "flag": "--server-map",
        },
    )


@dataclass(frozen=True)
class Params:
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

    def __post_init__(self) -> None:
        need = self.duplicates.runs * self.duplicates.length
        if not self.duplicates.similarity and need > self.shingles.m:
            raise ParamsError(
                f"duplicates: {self.duplicates.runs} runs of {self.duplicates.length} need {need} shingles, "
                f"but shingles.m is {self.shingles.m}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain values, as `run.json` records them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Params:
        """Checks names, types and ranges.

        Examples:
            >>> Params.from_dict({"read": {"keep_errors": True}}).read.keep_errors
            True
        """
        parts = {f.name: type(getattr(cls(), f.name)) for f in dataclasses.fields(cls)}
        unknown = sorted(values.keys() - parts.keys())
        if unknown:
            raise ParamsError(f"unknown part [{unknown[0]}]; known parts: {', '.join(sorted(parts))}")
        return cls(**{name: _part(name, parts[name], given) for name, given in values.items()})

    @classmethod
    def from_run(cls, values: dict[str, Any]) -> Params:
        """From `run.json`, which an older version may have written."""
        named = {
            part: {RENAMED.get(part, {}).get(name, name): value for name, value in given.items()}
            for part, given in values.items()
        }
        return cls.from_dict(named)

    @classmethod
    def from_toml(cls, path: Path) -> Params:
        try:
            return cls.from_dict(tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise ParamsError(f"cannot read the parameter file {path}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ParamsError(f"{path} is not a TOML file: {error}") from error

    def replace(self, part: str, **values: Any) -> Params:
        """The same with some values of one part replaced."""
        old = getattr(self, part)
        return dataclasses.replace(self, **{part: dataclasses.replace(old, **values)})


def _part(name: str, cls: type, given: object) -> Any:
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
    return cls(**given)
