"""`ssdeep`, `fuzzy-threshold`, and the score in `compare`."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
import ssdeep_command
from cli.command import one_line, run

import pagekin
from pagekin.query.digests import HEADER, DigestFile, digest_line
from pagekin.studies.calibrate import PHRASE, calibrate


def test_digests_of_a_run(scanned: Path) -> None:
    lines = run("ssdeep", scanned).stdout.splitlines()
    opened = pagekin.Run(scanned)
    assert lines[0] == HEADER
    expected = zip(
        opened.table("sketches")["ssdeep"].to_pylist(), opened.table("pages")["url"].to_pylist(), strict=True
    )
    assert lines[1:] == [digest_line(digest, url) for digest, url in expected]


def test_the_command_reads_what_we_write(scanned: Path, tmp_path: Path) -> None:
    ssdeep_command.require()
    (tmp_path / "ours").write_text(run("ssdeep", scanned).stdout)
    told = ssdeep_command.run("-c", "-t", "89", "-x", "ours", folder=tmp_path).splitlines()
    theirs = {(a, b, int(score)) for a, b, score in (row for row in csv.reader(told) if row)}
    matched = run("ssdeep", scanned, "--match", tmp_path / "ours", "--format", "csv").stdout.splitlines()
    ours = {(a, b, int(score)) for a, b, score in list(csv.reader(matched))[1:] if a != b}
    digest = {name: digest for digest, name in DigestFile(tmp_path / "ours")}
    long = {row for row in theirs if max(map(len, digest[row[0]].split(":")[1:])) >= 7 and row[0] != row[1]}
    assert ours == long
    assert len(ours) > 10


def test_match_what_others_made(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(800))
    pages = [
        {"url": "http://a.example/", "text": text},
        {"url": "http://b.example/", "text": text.replace("word5", "other")},
        {"url": "http://c.example/", "text": "nothing like it"},
    ]
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    run("scan", tmp_path / "crawl.jsonl", "-o", tmp_path / "run")
    known = [HEADER, digest_line(pagekin.ssdeep(text), 'my "copy"'), "not a digest", "3:x"]
    (tmp_path / "known").write_text("\n".join(known))
    options = ("--threshold", "1", "--format", "csv")
    done = run("ssdeep", tmp_path / "run", "--match", tmp_path / "known", *options, code=3)
    rows = list(csv.reader(done.stdout.splitlines()))
    assert rows[0] == ["url", "name", "score"]
    assert rows[1] == ["http://a.example/", 'my "copy"', "100"]
    assert rows[2][:2] == ["http://b.example/", 'my "copy"']
    assert 1 <= int(rows[2][2]) < 100
    assert len(rows) == 3
    assert "2 line(s)" in done.stderr


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b"\xff\xfe\x00", HEADER[:20].encode()])
def test_not_a_file_of_digests(content: bytes, scanned: Path, tmp_path: Path) -> None:
    (tmp_path / "known").write_bytes(content)
    assert "not a file of ssdeep digests" in one_line(
        run("ssdeep", scanned, "--match", tmp_path / "known", code=1)
    )


def test_no_file_at_all(scanned: Path, tmp_path: Path) -> None:
    assert "cannot read" in one_line(run("ssdeep", scanned, "--match", tmp_path / "no", code=1))
    assert "cannot read" in one_line(run("ssdeep", scanned, "--match", tmp_path, code=1))
    assert "not a run folder" in one_line(run("ssdeep", tmp_path, code=1))


@pytest.mark.parametrize("name", ["plain", 'a "b" c', "c\\d", "e,f", "ünï", "", "東京", "g\rh"])
def test_names_survive(name: str, tmp_path: Path) -> None:
    quoted = name.replace('"', '\\"')
    (tmp_path / "file").write_text(f'{HEADER}\n3:C:C,"{quoted}"\n', encoding="utf-8")
    assert list(DigestFile(tmp_path / "file")) == [("3:C:C", name)]


def test_what_other_programs_add(tmp_path: Path) -> None:
    """A byte order mark, line ends of another system, empty lines."""
    (tmp_path / "file").write_bytes(f'\ufeff{HEADER}\r\n\r\n3:C:C,"a"\r\n\r\n'.encode())
    file = DigestFile(tmp_path / "file")
    assert list(file) == [("3:C:C", "a")]
    assert file.skipped == 0


def test_a_name_is_one_line() -> None:
    assert digest_line("3:C:C", "a\nb\x1b") == '3:C:C,"a%0Ab%1B"'


def test_compare_shows_the_score(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(800))
    texts = {"a": words, "b": words.replace("word5", "other"), "c": "short", "same": words}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"<title>{name}</title><p>{text}")

    def score(a: str, b: str) -> str:
        lines = run("compare", tmp_path / a, tmp_path / b).stdout.splitlines()
        return next(line for line in lines if line.strip().startswith("ssdeep")).strip()

    expected = pagekin.ssdeep_score(pagekin.ssdeep(texts["a"]), pagekin.ssdeep(texts["b"]))
    assert score("a", "b").split()[1] == str(expected)
    assert "same" in score("a", "same")
    assert score("a", "c").split()[1] == "0"
    assert "block sizes" in score("a", "c")
    (tmp_path / "news").write_text("<p>news")
    (tmp_path / "404").write_text("<p>404 news")
    assert score("news", "404").split()[1] == "100"
    assert "say nothing" in score("news", "404")


def test_compare_without_styles(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("<p>one")
    (tmp_path / "b").write_text("<p>two")
    done = run("compare", tmp_path / "a", tmp_path / "b")
    assert "nothing can be estimated" in done.stdout
    assert "±" not in done.stdout
    assert "http://a.example/x" in run("compare", "http://a.example/x", tmp_path / "b", code=1).stderr


def test_threshold(scanned: Path, tmp_path: Path) -> None:
    plot, folder = tmp_path / "plot.svg", tmp_path / "run"
    shutil.copytree(scanned, folder)
    first = run("fuzzy-threshold", folder, "--similarity", "0.5", "--plot", plot)
    assert first.stdout == run("fuzzy-threshold", folder, "--similarity", "0.5").stdout, (
        "the same sample each time"
    )
    assert "suggested threshold: " in first.stdout
    assert plot.read_bytes().startswith(b"<svg")
    found = calibrate(pagekin.Run(scanned), 0.5, 200)
    assert sum(part.pairs for part in found.ranges) == len(found.pairs) > 10
    text = dict(
        zip(
            *(pagekin.Run(scanned).table("texts")[name].to_pylist() for name in ("page", "text")), strict=True
        )
    )
    for pair in found.pairs[::7]:
        assert pair.score == pagekin.ssdeep_score(pagekin.ssdeep(text[pair.a]), pagekin.ssdeep(text[pair.b]))
        phrases = [
            {tuple(words[at : at + PHRASE]) for at in range(len(words) - PHRASE + 1)}
            for words in (pagekin.words(text[pair.a]), pagekin.words(text[pair.b]))
        ]
        assert pair.similarity == len(phrases[0] & phrases[1]) / len(phrases[0] | phrases[1])
    said = found.suggested
    assert said is not None
    assert f"suggested threshold: {said.score}\n" in first.stdout

    def share(score: int) -> float:
        above = [pair for pair in found.pairs if pair.score >= score]
        return sum(pair.weight * (pair.similarity >= 0.5) for pair in above) / sum(p.weight for p in above)

    assert share(said.score) >= 0.95
    assert said.pairs == sum(pair.score >= said.score for pair in found.pairs)
    lower = {row.score for row in found.standings if row.score < said.score}
    assert all(share(score) < 0.95 for score in lower)


def test_no_threshold_will_do(scanned: Path) -> None:
    found = calibrate(pagekin.Run(scanned), 1.0, 200)
    assert found.suggested is None
    assert (
        f"none; of pairs that score {found.best.score} or more"
        in run("fuzzy-threshold", scanned, "--similarity", "1").stdout
    )


def test_a_threshold_is_told_for_the_whole_run(scanned: Path) -> None:
    """Ranges with many pairs count for as many, however few of them are compared."""
    every, some = (calibrate(pagekin.Run(scanned), 0.8, pairs) for pairs in (10_000, 3))
    assert {pair.weight for pair in every.pairs} == {1.0}
    assert sum(pair.weight for pair in some.pairs) == pytest.approx(len(every.pairs))


def test_threshold_without_pairs(tmp_path: Path) -> None:
    (tmp_path / "crawl.jsonl").write_text('{"url": "http://a.example/", "text": "a few words"}\n')
    run("scan", tmp_path / "crawl.jsonl", "-o", tmp_path / "run")
    assert "no two different texts" in one_line(run("fuzzy-threshold", tmp_path / "run", code=1))
    assert "cannot draw" in one_line(
        run("fuzzy-threshold", tmp_path / "run", "--plot", tmp_path / "x.bmp", code=2)
    )
