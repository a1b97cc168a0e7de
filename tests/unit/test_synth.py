"""The made-up web as a file: same bytes by seed, readable as WARC, one truth row per page."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from pagekin.errors import OutputError, ParamsError
from pagekin.synth import truth_path, write_web
from pagekin.synth.names import address, domain, server_address
from pagekin.synth.plan import COMPLETE_FROM, KINDS, counts
from pagekin.synth.truth import COLUMNS, SCHEMA


def _digests(folder: Path, pages: int, seed: int) -> tuple[str, str]:
    folder.mkdir()
    summary = write_web(folder / "web.warc.gz", pages=pages, seed=seed)
    return sha256(summary.path.read_bytes()).hexdigest(), sha256(summary.truth.read_bytes()).hexdigest()


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    first = _digests(tmp_path / "a", 120, 7)
    assert _digests(tmp_path / "b", 120, 7) == first
    other = _digests(tmp_path / "c", 120, 8)
    assert other[0] != first[0]
    assert other[1] != first[1]


def test_compression_changes_nothing_but_size(tmp_path: Path) -> None:
    packed = write_web(tmp_path / "a.warc.gz", pages=40)
    plain = write_web(tmp_path / "b.warc", pages=40)
    assert plain.path.read_bytes().startswith(b"WARC/1.1\r\n")
    assert packed.file_bytes == packed.path.stat().st_size < plain.path.stat().st_size
    assert packed.truth.read_bytes() == plain.truth.read_bytes()
    with packed.path.open("rb") as a, plain.path.open("rb") as b:
        for one, two in zip(ArchiveIterator(a), ArchiveIterator(b), strict=True):
            assert one.reader.read() == two.reader.read()
            assert one.record_id == two.record_id


@pytest.mark.parametrize("pages", [1, 2, 3, 17, 64, 299, 301])
def test_exactly_the_pages_asked_for(tmp_path: Path, pages: int) -> None:
    summary = write_web(tmp_path / "web.warc.gz", pages=pages, seed=3)
    urls = pq.read_table(summary.truth, columns=["url"])["url"].to_pylist()
    assert summary.pages == len(urls) == len(set(urls)) == pages == sum(summary.kinds.values())


def test_truth_rows_are_the_pages_of_the_file(tmp_path: Path) -> None:
    summary = write_web(tmp_path / "web.warc.gz", pages=400, seed=2)
    table = pq.read_table(summary.truth)
    assert table.schema.equals(SCHEMA)
    assert table.schema.names == [name for name, _, _ in COLUMNS]
    found: list[tuple[str, str]] = []
    others: Counter[str] = Counter()
    ids = set()
    with summary.path.open("rb") as file:
        for record in ArchiveIterator(file):
            ids.add(record.record_id)
            http = record.http_headers
            kind = http["Content-Type"] if http and "Content-Type" in http else ""
            if (
                record.record_type == WarcRecordType.response
                and http
                and http.status_code == 200
                and kind.startswith("text/html")
            ):
                found.append((record.headers["WARC-Target-URI"], record.headers["WARC-IP-Address"]))
                assert "WARC-Date" in record.headers
                assert record.verify_payload_digest()
            elif record.record_type == WarcRecordType.response and http:
                others[f"{http.status_code} {kind}"] += 1
            else:
                others[record.headers["WARC-Type"]] += 1
    assert found == list(zip(table["url"].to_pylist(), table["ip"].to_pylist(), strict=True))
    assert len(ids) == summary.records == len(found) + others.total()
    # Something to skip, of every sort.
    expected = {"warcinfo", "request", "revisit", "metadata", "404 text/html", "301 text/html"}
    assert expected <= set(others)
    assert {"200 image/gif", "200 text/css", "200 application/json"} <= set(others)


def test_kinds_add_up_and_are_all_there() -> None:
    for pages in (1, 10, 299, COMPLETE_FROM, 1000, 123_457, 5_000_000):
        amounts = counts(pages)
        assert sum(amounts.values()) == pages
        assert min(amounts.values()) >= 0
        assert pages < COMPLETE_FROM or all(amounts[kind.name] > 0 for kind in KINDS)
        # Articles give to quilts: there must be enough of them.
        assert amounts["article"] >= pages * 0.2


def test_names_do_not_collide() -> None:
    assert len({domain(number, 5) for number in range(50_000)}) == 50_000
    assert len({address(number) for number in range(50_000)}) == 50_000
    assert not {address(number) for number in range(50_000)} & {
        server_address(number) for number in range(5000)
    }


def test_progress_and_summary(tmp_path: Path) -> None:
    seen: list[int] = []
    (tmp_path / "new").mkdir()
    summary = write_web(str(tmp_path / "new" / "web.warc.gz"), pages=1100, seed=4, progress=seen.append)
    assert seen == [500, 1000, 1100]
    assert summary.truth == truth_path(summary.path) == tmp_path / "new" / "web.truth.parquet"
    assert summary.families > 24
    assert 5_000 < summary.html_bytes / summary.pages < 13_000
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["web.truth.parquet", "web.warc.gz"]


def test_bad_arguments_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match=r"\.warc"):
        write_web(tmp_path / "web.zip")
    with pytest.raises(ParamsError, match="at least 1"):
        write_web(tmp_path / "web.warc.gz", pages=0)
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OutputError):
        write_web(tmp_path / "file" / "web.warc.gz", pages=1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
