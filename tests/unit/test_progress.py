"""The progress line: what it says of a crawl that is read, of detectors, and of a run that was resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin.cli.meter import StepMeter, say_time, short_name
from pagekin.cli.progress import ProgressReporter
from pagekin.engines.base import Advance
from pagekin.engines.local import LocalEngine
from pagekin.pipeline import scan


def test_reading_names_the_file_and_says_all_figures() -> None:
    meter = StepMeter("sketch", 100.0)
    meter.add(Advance(900, 0.2, "crawl/a.warc.gz", records=1000, size=30_000_000), 105.0)
    meter.add(Advance(900, 0.4, "crawl/b.warc.gz", records=1100, size=30_000_000), 110.0)
    assert meter.title == "sketch b.warc.gz"
    assert meter.figures(110.0) == "2,100 records, 1,800 pages, 6 MB/s, 0:15 left"
    assert meter.fields(110.0)["seconds_left"] == pytest.approx(15)


def test_detectors_have_a_time_left_for_each_part() -> None:
    meter = StepMeter("quilts", 0.0)
    meter.add(Advance(500, 0.5), 2.0)
    assert (meter.title, meter.figures(2.0)) == ("quilts", "500 rows, 250/s, 0:02 left")
    meter.add(Advance(500, 1.0), 4.0)
    meter.add(Advance(0, 0.0), 10.0)  # the next part begins
    assert meter.figures(10.0) == "1,000 rows"
    meter.add(Advance(100, 0.1), 11.0)
    assert meter.figures(11.0) == "1,100 rows, 100/s, 0:09 left"


def test_what_an_earlier_run_did_took_no_time() -> None:
    meter = StepMeter("sketch", 0.0)
    meter.add(Advance(50_000, 0.5, "a.warc", earlier=True), 0.1)
    meter.add(Advance(1000, 0.6, "a.warc", records=1000, size=10_000_000), 10.1)
    assert meter.figures(10.1) == "1,000 records, 51,000 pages, 1 MB/s, 0:40 left"


def test_names_and_times() -> None:
    long = "s3://bucket/crawl/CC-MAIN-20240518-20240530-00042.warc.gz"
    assert short_name(long) == "CC-MAIN-2…0530-00042.warc.gz"
    assert len(short_name("x" * 100)) == 28
    assert [say_time(seconds) for seconds in (0.2, 59.6, 3723)] == ["0:00", "1:00", "1:02:03"]


def test_a_scan_tells_its_progress(
    small_web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON lines: the file, records and pages of reading, and a share for detectors."""
    monkeypatch.setattr(ProgressReporter, "EVERY", 0.0)
    with ProgressReporter(quiet=False, as_json=True) as reporter:
        engine = LocalEngine(2, reporter)
        scan(small_web, tmp_path / "run", only=["duplicates"], engine=engine, progress=reporter)
    said = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    read = [line for line in said if line.get("file")]
    assert read[-1]["file"] == str(small_web)
    assert read[-1]["pages"] == 400
    assert read[-1]["records"] > 400
    assert 0 < read[-1]["done"] <= 1
    assert "records, 400 pages, " in read[-1]["message"]
    assert any(line.get("step") == "duplicates" and line.get("done") == 1.0 for line in said)
