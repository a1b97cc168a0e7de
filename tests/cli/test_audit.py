"""`pagekin audit` on lists whose duplicates are known."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli.command import one_line, run

import pagekin
from pagekin.params import FuzzyParams
from pagekin.studies.audit import audit

WORDS = " ".join(f"word{number}" for number in range(800))
NEAR = WORDS.replace("word500 ", "another ")
OTHER = " ".join(f"thing{number * 7}" for number in range(800))

TEXTS = {
    "u:1": WORDS,
    "u:2": OTHER,
    "u:3": WORDS,
    "u:4": NEAR,
    "u:5": "",
    "u:6": "",
    "u:7": OTHER,
}
KINDS = ["unique", "unique", "exact", "near", "unique", "unique", "exact"]


def rows() -> list[dict[str, Any]]:
    found = [
        {"query": "fish", "rank": rank, "url": url, "html": f"<title>{rank}</title><p>{text}"}
        for rank, (url, text) in enumerate(TEXTS.items(), 1)
    ]
    # Ranks, not the order of lines, decide; and queries have nothing to do with each other.
    return [*reversed(found), {"query": "chips", "rank": 1, "url": "u:1", "text": WORDS}]


def write(path: Path, lines: list[Any]) -> Path:
    data = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["results.jsonl", "results.jsonl.gz"])
def test_jsonl(name: str, tmp_path: Path) -> None:
    plot = tmp_path / "curve.svg"
    done = run("audit", write(tmp_path / name, rows()), "-o", tmp_path / "out", "--plot", plot)
    table = {words[0]: words[1:] for line in done.stdout.splitlines() if (words := line.split())}
    assert table["fish"] == ["7", "4", "2", "1", "0"]
    assert table["chips"] == ["1", "1", "0", "0", "0"]
    assert "in all 8 results: 5 unique, 2 exact, 1 near, 0 missing" in done.stdout
    assert "37.5% of the results" in done.stdout
    found = list(csv.DictReader((tmp_path / "out/results.csv").read_text().splitlines()))
    assert [row["kind"] for row in found if row["query"] == "fish"] == KINDS
    near = next(row for row in found if row["kind"] == "near")
    assert (near["url"], near["of_url"], near["of_rank"]) == ("u:4", "u:1", "1")
    assert 90 <= int(near["score"]) < 100
    each = list(csv.DictReader((tmp_path / "out/curves.csv").read_text().splitlines()))
    assert [(row["query"], row["rank"]) for row in each] == [
        *(("fish", str(n)) for n in range(1, 8)),
        ("chips", "1"),
    ]
    assert [row["exact"] for row in each] == ["0", "0", "1", "1", "1", "1", "2", "0"]
    curve = list(csv.DictReader((tmp_path / "out/curve.csv").read_text().splitlines()))
    assert len(curve) == 7
    assert curve[-1] == {"rank": "7", "unique": "2.5", "exact": "1.0", "near": "0.5", "missing": "0.0"}
    ranking = [json.loads(line) for line in (tmp_path / "out/ranking.jsonl").read_text().splitlines()]
    assert [(row["query"], row["rank"], row["url"]) for row in ranking if row["query"] == "fish"] == [
        ("fish", 1, "u:1"), ("fish", 2, "u:2"), ("fish", 3, "u:5"), ("fish", 4, "u:6"),
    ]  # fmt: skip
    assert plot.read_bytes().startswith(b"<svg")


def test_top_and_threshold(tmp_path: Path) -> None:
    results = write(tmp_path / "results.jsonl", rows())
    fish = run("audit", results, "--top", "3").stdout.splitlines()[3].split()
    assert fish == ["fish", "3", "2", "1", "0", "0"]
    fish = run("audit", results, "--threshold", "100").stdout.splitlines()[3].split()
    assert fish == ["fish", "7", "5", "2", "0", "0"]


def test_trec(tmp_path: Path) -> None:
    pages = [{"url": url, "text": text} for url, text in TEXTS.items()]
    crawl = write(tmp_path / "crawl.jsonl", pages)
    lines = [f"51 Q0 {url} {rank} {9.5 - rank} mine" for rank, url in enumerate([*TEXTS, "u:8"], 1)]
    results = write(tmp_path / "run.trec", lines)
    done = run("audit", results, "--pages", crawl, "-o", tmp_path / "out")
    assert done.stdout.splitlines()[3].split() == ["51", "8", "4", "2", "1", "1"]
    ranking = (tmp_path / "out/ranking.trec").read_text().splitlines()
    assert ranking[0] == "51 Q0 u:1 1 8.5 mine"
    assert [line.split()[2:4] for line in ranking[2:]] == [["u:5", "3"], ["u:6", "4"], ["u:8", "5"]]
    assert "--pages" in one_line(run("audit", results, code=1))


@pytest.mark.parametrize("form", ["rows", "rows without url", "run by url", "run by page", "run by id"])
def test_trec_documents_by_id(form: str, tmp_path: Path) -> None:
    """Documents of collections have ids rather than URLs."""
    ids = {url: f"DOC-{number}" for number, url in enumerate(TEXTS)}
    pages: list[Any] = [{"url": url, "id": ids[url], "text": text} for url, text in TEXTS.items()]
    if form in ("rows without url", "run by id"):
        pages = [{"id": row["id"], "text": row["text"]} for row in pages]
    source = write(tmp_path / "documents.jsonl", pages)
    if form.startswith("run"):
        run("scan", source, "-o", tmp_path / "run", "--only", "", "--quiet")
        source = tmp_path / "run"
    names = {"run by url": list(ids), "run by page": [str(number) for number in range(len(ids))]}
    lines = [
        f"51 Q0 {name} {rank} {9.5 - rank} mine" for rank, name in enumerate(names.get(form, ids.values()), 1)
    ]
    results = write(tmp_path / "run.trec", [*lines, "51 Q0 DOC-99 8 0.5 mine"])
    done = run("audit", results, "--pages", source)
    assert done.stdout.splitlines()[3].split() == ["51", "8", "4", "2", "1", "1"]


BAD = [
    "{", "[1]", "null", '{"query": 1}', '{"query": "q", "rank": "x", "url": "u"}', "\x00", "{" * 5000,
    '{"query": "q", "rank": 2.5, "url": "u"}', '{"query": "q", "rank": true, "url": "u"}',
    '{"query": null, "rank": 1, "url": "u"}', '{"query": "q", "rank": 1, "url": null}',
    '{"query": "q", "rank": 1e999, "url": "u"}', '{"query": "q", "rank": null, "url": "u", "text": "a"}',
]  # fmt: skip


def test_lines_that_are_no_results(tmp_path: Path) -> None:
    odd = {"query": "\ud800\x1b[31m", "rank": 1, "url": "\udfff", "text": "lone \ud800 surrogate"}
    results = write(tmp_path / "results.jsonl", [odd, *BAD])
    done = run("audit", results, "-o", tmp_path / "out", code=3)
    assert f"{len(BAD)} line(s)" in done.stderr
    assert "\x1b" not in done.stdout
    assert (tmp_path / "out/ranking.jsonl").read_text().count("\n") == 1


@pytest.mark.parametrize("rank", ["--5", "1.5", "x", "9" * 5000, "٣x"])
def test_trec_ranks_that_are_none(rank: str, tmp_path: Path) -> None:
    crawl = write(tmp_path / "crawl.jsonl", [{"url": "u:1", "text": "a b c"}])
    results = write(tmp_path / "run.trec", [f"51 Q0 u:1 {rank} 9.5 m", "51 Q0 u:1 1 9.5 m"])
    done = run("audit", results, "--pages", crawl, code=3)
    assert "1 line(s)" in done.stderr
    assert done.stdout.splitlines()[3].split() == ["51", "1", "1", "0", "0", "0"]


def test_a_first_line_of_garbage_costs_that_line(tmp_path: Path) -> None:
    results = write(tmp_path / "results.jsonl", ["what is this", *rows()])
    assert "2 queries" in run("audit", results, code=3).stdout
    results.write_bytes(b"\xef\xbb\xbf" + "".join(json.dumps(row) + "\n" for row in rows()).encode())
    assert "2 queries" in run("audit", results).stdout


def test_texts_in_another_encoding_are_no_results(tmp_path: Path) -> None:
    """Replaced characters would make different texts the same."""
    line = '{{"query": "q", "rank": {}, "url": "u:{}", "text": "caf{}"}}\n'
    data = "".join(line.format(n, n, letter) for n, letter in enumerate("éèa")).encode("latin-1")
    (tmp_path / "results.jsonl").write_bytes(data)
    done = run("audit", tmp_path / "results.jsonl", code=3)
    assert "2 line(s)" in done.stderr
    assert done.stdout.splitlines()[3].split() == ["q", "1", "1", "0", "0", "0"]


def test_damaged_pages_are_told(tmp_path: Path) -> None:
    pages: list[Any] = [{"url": url, "text": text} for url, text in TEXTS.items()]
    crawl = write(tmp_path / "crawl.jsonl", [*pages, "{", "{"])
    results = write(tmp_path / "run.trec", [f"51 Q0 {url} {n} 9.5 m" for n, url in enumerate(TEXTS)])
    done = run("audit", results, "--pages", crawl, code=3)
    assert "some of --pages could not be read: bad-json 2" in done.stderr
    assert done.stdout.splitlines()[3].split() == ["51", "7", "4", "2", "1", "0"]


def test_jsonl_whose_pages_are_elsewhere(tmp_path: Path) -> None:
    """Lines may leave out the text, some or all of them, and say other things, which the ranking keeps."""
    crawl = write(tmp_path / "crawl.jsonl", [{"url": url, "text": text} for url, text in TEXTS.items()])
    lines = [
        {"query": "fish", "rank": n, "url": url, "engine": "x", **({"text": TEXTS[url]} if n % 2 else {})}
        for n, url in enumerate(TEXTS, 1)
    ]
    results = write(tmp_path / "results.jsonl", lines)
    done = run("audit", results, "--pages", crawl, "-o", tmp_path / "out")
    assert done.stdout.splitlines()[3].split() == ["fish", "7", "4", "2", "1", "0"]
    ranking = [json.loads(line) for line in (tmp_path / "out/ranking.jsonl").read_text().splitlines()]
    assert ranking[2] == {"query": "fish", "rank": 3, "url": "u:5", "was": 5, "engine": "x"}
    # What comes out can be audited again.
    again = run("audit", tmp_path / "out/ranking.jsonl", "--pages", crawl)
    assert again.stdout.splitlines()[3].split() == ["fish", "4", "4", "0", "0", "0"]


def test_as_comparing_all_with_all(tmp_path: Path) -> None:
    """Every better ranked result counts, duplicates too, however many share a piece."""
    rng = Random(5)
    frame = [f"frame{n}" for n in range(120)]
    texts = [
        " ".join([*frame, *(rng.choice("abcdef") * 5 for _ in range(rng.randrange(30)))]) for _ in range(400)
    ]
    results = write(
        tmp_path / "results.jsonl",
        [{"query": "q", "rank": n, "url": f"u:{n}", "text": text} for n, text in enumerate(texts)],
    )
    found = audit(results, params=FuzzyParams(threshold=80)).queries["q"]
    digests = [pagekin.ssdeep(text) for text in texts]
    for place, judged in enumerate(found):
        scores = [pagekin.ssdeep_score(digests[place], other) for other in digests[:place]]
        expected = (
            "exact" if texts[place] in texts[:place] else "near" if max(scores, default=0) >= 80 else "unique"
        )
        assert judged.kind == expected
        if expected == "near":
            assert judged.of is not None
            assert (judged.score, judged.of.rank) == (max(scores), scores.index(max(scores)))
    assert {judged.kind for judged in found} == {"unique", "exact", "near"}
    drifted = [j for j in found if j.of is not None and found[j.of.rank].kind == "near"]
    assert drifted, "some repeat a duplicate"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"{}\n", b"one two\n"])
def test_nothing_to_audit(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "results").write_bytes(content)
    crawl = write(tmp_path / "crawl.jsonl", [{"url": "u:1", "text": "x"}])
    assert "no results" in one_line(run("audit", tmp_path / "results", "--pages", crawl, code=1))


def test_messages_fit_the_file(tmp_path: Path) -> None:
    crawl = write(tmp_path / "crawl.jsonl", [{"url": "u:1", "text": "x"}])
    empty = write(tmp_path / "empty.jsonl", [])
    cut = write(tmp_path / "cut.trec", ["", "51 Q0 x 1"])
    for pages in ((), ("--pages", crawl)):
        assert "empty.jsonl is empty" in one_line(run("audit", empty, *pages, code=1))
        assert "line 2 is neither JSON nor a TREC line of six" in one_line(run("audit", cut, *pages, code=1))


def test_unreadable(tmp_path: Path) -> None:
    assert "cannot read" in one_line(run("audit", tmp_path / "none", code=1))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(json.dumps(rows()[0]).encode() * 100)[:200])
    assert "cannot read" in one_line(run("audit", tmp_path / "cut.gz", code=1))
    (tmp_path / "not.gz").write_bytes(b"plain")
    assert "cannot read" in one_line(run("audit", tmp_path / "not.gz", code=1))


def test_results_without_texts(tmp_path: Path) -> None:
    bare = write(tmp_path / "bare.jsonl", [{"query": "q", "rank": 1, "url": "u:2"}])
    crawl = write(tmp_path / "crawl.jsonl", [{"url": "u:1", "text": "x"}])
    assert "with --pages" in one_line(run("audit", bare, code=1))
    message = one_line(run("audit", bare, "--pages", crawl, code=1))
    assert f"{crawl} holds no page of the 1 result: check" in message
