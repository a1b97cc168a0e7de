"""`scan --against`: ordinals go on, the old run is found again, and what cannot be compared is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pagekin
from pagekin.errors import ParamsMismatchError, RunError
from pagekin.params import Params
from pagekin.run import Run


def pages(path: Path, count: int) -> Path:
    rows = [{"url": f"http://a.example/{i}", "text": f"page number {i}"} for i in range(count)]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def old(tmp_path: Path) -> Run:
    inputs = [pages(tmp_path / "a.jsonl", 3), pages(tmp_path / "b.jsonl", 2)]
    return pagekin.scan(inputs, tmp_path / "old", only=[])


def test_page_ids_go_on(old: Run, tmp_path: Path) -> None:
    assert old.against is None
    new = pagekin.scan(tmp_path / "a.jsonl", tmp_path / "new", only=[], against=old.path)
    assert new.against is not None
    assert new.against.path == old.path
    assert new.table("pages")["page"].to_pylist() == [2 << 40 | i for i in range(3)]
    third = pagekin.scan(tmp_path / "b.jsonl", tmp_path / "third", only=[], against=new.path)
    assert third.next_ordinal == 4
    assert third.table("pages")["page"].to_pylist() == [3 << 40, 3 << 40 | 1]


def test_other_sketches_are_refused(old: Run, tmp_path: Path) -> None:
    params = Params().replace("shingles", k=7)
    with pytest.raises(ParamsMismatchError, match=r"\[shingles\]"):
        pagekin.scan(tmp_path / "a.jsonl", tmp_path / "new", only=[], params=params, against=old.path)
    assert not (tmp_path / "new").exists()


def test_runs_with_and_without_structure_are_not_comparable(old: Run, tmp_path: Path) -> None:
    params = Params().replace("style", structure_t=0)
    with pytest.raises(ParamsMismatchError, match="has fingerprints of structure"):
        pagekin.scan(tmp_path / "a.jsonl", tmp_path / "new", only=[], params=params, against=old.path)


@pytest.mark.parametrize(("part", "name", "value"), [("style", "scripts", False), ("quilts", "later", 3)])
def test_a_run_of_another_version_is_refused_in_one_line(
    old: Run, tmp_path: Path, part: str, name: str, value: object
) -> None:
    """Its fingerprints are none that are made now, or nobody knows what was done."""
    info = json.loads((old.path / "run.json").read_text())
    info["params"][part][name] = value
    info["params"]["style"].pop("content")
    (old.path / "run.json").write_text(json.dumps(info))
    for ask in (
        lambda: pagekin.scan(tmp_path / "a.jsonl", tmp_path / "new", only=[], against=old.path),
        lambda: pagekin.Run(old.path).like("http://a.example/0"),
    ):
        with pytest.raises(RunError, match=rf"(?s)^[^\n]*{part}\.{name}[^\n]*; scan its crawl again$"):
            ask()
    assert not (tmp_path / "new").exists()
    assert Run(old.path).table("pages").num_rows == 5, "its tables can be read"


def test_the_profile_is_recorded(old: Run, tmp_path: Path) -> None:
    run = pagekin.scan(tmp_path / "a.jsonl", tmp_path / "new", only=[], params=Params.of("paper"))
    assert (old.info["params"]["profile"], run.info["params"]["profile"]) == ("default", "paper")
    assert run.params == Params.of("paper")


def test_unfinished_run_is_refused(old: Run, tmp_path: Path) -> None:
    info = json.loads((old.path / "run.json").read_text()) | {"state": "running"}
    (old.path / "run.json").write_text(json.dumps(info))
    with pytest.raises(RunError, match="not finished"):
        pagekin.scan(tmp_path / "a.jsonl", tmp_path / "new", only=[], against=old.path)


def test_resume_needs_the_same_known_run(old: Run, tmp_path: Path) -> None:
    new = tmp_path / "new"
    pagekin.scan(tmp_path / "a.jsonl", new, only=[], against=old.path)
    with pytest.raises(ParamsMismatchError, match=r"inputs|against"):
        pagekin.scan(tmp_path / "a.jsonl", new, only=[], resume=True)
