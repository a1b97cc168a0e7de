"""Parameters: names, types and ranges are checked before any work begins."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from pagekin.errors import ParamsError
from pagekin.params import Params, ReadParams

PARTS = Params.parts()
FIELDS = [(name, field) for name, part in PARTS.items() for field in dataclasses.fields(part)]


@pytest.mark.parametrize(("part", "field"), FIELDS, ids=lambda value: getattr(value, "name", value))
def test_every_parameter_has_a_doc_and_a_plain_default(part: str, field: dataclasses.Field[Any]) -> None:
    assert field.metadata.get("doc")
    assert type(field.default) in (bool, int, float, str), "a type that TOML has"
    assert Params.from_dict({part: {field.name: field.default}}) == Params()


def test_every_part_has_a_doc_and_is_frozen() -> None:
    for field in dataclasses.fields(Params):
        assert field.metadata.get("doc") or field.name == "profile"
    for part in PARTS.values():
        assert part.__doc__
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part(), dataclasses.fields(part)[0].name, 1)


def test_the_papers_values_are_a_profile(tmp_path: Path) -> None:
    paper = Params.of("paper")
    assert paper.profile == "paper" != Params().profile
    assert Params.from_dict(paper.to_dict()) == paper
    for part, field in FIELDS:
        value = getattr(getattr(paper, part), field.name)
        assert value == field.metadata.get("paper", field.default)
        if "paper" in field.metadata:
            assert field.metadata["evidence"]
            assert value != field.default
            assert type(value) is type(field.default)
    path = tmp_path / "params.toml"
    path.write_text('profile = "paper"\n[duplicates]\nlength = 7\n')
    assert Params.from_toml(path) == paper.replace("duplicates", length=7)
    assert Params.from_toml(path, "default") == Params().replace("duplicates", length=7)


def test_the_profile_paper_has_what_the_papers_define() -> None:
    """Written out from the papers, not from the code."""
    paper = Params.of("paper")
    style, shingles, duplicates = paper.style, paper.shingles, paper.duplicates
    assert (style.n, style.m, style.k, style.t, style.p) == (32, 128, 1, 35, 20)
    assert (style.content, style.structure_t, style.rank) == (True, 0, "score")
    assert style.over_m, "a similarity is the share of all m dimensions that match"
    assert (shingles.k, shingles.m, shingles.family) == (5, 84, "rabin")
    assert (duplicates.bands, duplicates.length, duplicates.similarity, duplicates.wrap) == (6, 14, 0, True)
    phrases = paper.phrases
    assert (phrases.popular, phrases.min_popular, phrases.prune, phrases.site) == (5, 30, False, "host")
    quilts = paper.quilts
    assert (quilts.k, quilts.m, quilts.c, quilts.theta) == (5, 50, 4, 0.5)
    assert (quilts.share, quilts.foreign, quilts.min_share) == ("patch", "domain", 0)
    assert quilts.keep_duplicates, "no page is left out"
    assert not quilts.earlier_only
    fuzzy = paper.fuzzy
    assert (fuzzy.threshold, fuzzy.similarity) == (90, 0)
    assert fuzzy.min_length == 7, "scores need seven characters in common, and nothing else was asked for"


@pytest.mark.parametrize("name", ["papers", "", 3, True])
def test_there_is_no_other_profile(name: Any) -> None:
    with pytest.raises(ParamsError, match="profile must be default or paper, not"):
        Params.from_dict({"profile": name})


def test_there_and_back() -> None:
    params = Params().replace("read", keep_errors=True, max_page_bytes=5)
    assert params.read == ReadParams(keep_errors=True, max_page_bytes=5)
    assert Params.from_dict(params.to_dict()) == params
    assert Params.from_dict({}) == Params()
    assert Params.from_dict({"read": {}}) == Params()


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ({"nosuch": {}}, r"\[nosuch\]; known parts: .*read"),
        ({"read": {"nosuch": 1}}, r"read\.nosuch; known: .*keep_errors"),
        ({"read": 3}, r"\[read\] must be a table"),
        ({"read": [1]}, r"\[read\] must be a table"),
        ({"read": {"keep_errors": 1}}, r"read\.keep_errors must be bool, not int"),
        ({"read": {"keep_errors": "yes"}}, r"read\.keep_errors must be bool, not str"),
        ({"read": {"max_page_bytes": True}}, r"read\.max_page_bytes must be int, not bool"),
        ({"read": {"max_page_bytes": 1.0}}, r"read\.max_page_bytes must be int, not float"),
        ({"read": {"max_page_bytes": 0}}, r"read\.max_page_bytes must be at least 1, not 0"),
        ({"read": {"max_page_bytes": -(10**30)}}, r"at least 1"),
    ],
)
def test_wrong_values(values: dict[str, Any], hint: str) -> None:
    with pytest.raises(ParamsError, match=hint):
        Params.from_dict(values)


def test_wrong_values_in_python() -> None:
    with pytest.raises(ParamsError):
        Params().replace("read", max_page_bytes=0)


def test_toml(tmp_path: Path) -> None:
    path = tmp_path / "params.toml"
    path.write_text("# comment\n[read]\nkeep_errors = true\nmax_page_bytes = 1_000\n")
    assert Params.from_toml(path) == Params().replace("read", keep_errors=True, max_page_bytes=1000)


@pytest.mark.parametrize("content", [b"[read\n", b"\xff\xfe", b"a = ", b"[read]\n[read]\n", b"\0"])
def test_what_is_not_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "params.toml"
    path.write_bytes(content)
    with pytest.raises(ParamsError, match="not a TOML file"):
        Params.from_toml(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "nosuch.toml", tmp_path):
        with pytest.raises(ParamsError, match="cannot read the parameter file"):
            Params.from_toml(path)


def test_parameters_of_older_runs_are_read() -> None:
    old = Params().to_dict()
    old["fuzzy"]["least"] = old["fuzzy"].pop("min_length") + 1
    old["duplicates"]["runs"] = old["duplicates"].pop("bands") - 1
    assert Params.from_run(old) == Params().replace("fuzzy", min_length=11).replace("duplicates", bands=5)
    with pytest.raises(ParamsError, match=r"duplicates\.runs"):
        Params.from_dict(old)
    paper = Params.of("paper").to_dict()
    paper["style"]["scripts"] = paper["style"].pop("content")
    assert Params.from_run(paper) == Params.of("paper"), "the paper's noise is what it was"
