"""The add-on in somebody else's spider."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pagekin.crawl.extension import Options
from pagekin.errors import ParamsError
from pagekin.synth.cms_site import CmsSite
from pagekin.synth.serve import SiteServer, served

SCRIPT = Path(__file__).with_name("spider_script.py")
SITE = CmsSite("printer", 1, 30)
SMALL = CmsSite("printer", 1, 10)


def spider(server: SiteServer, **settings: Any) -> dict[str, Any]:
    given = json.dumps({"url": server.url, **settings})
    done = subprocess.run([sys.executable, SCRIPT, given], capture_output=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["errors"] == 0
    return result


def test_items_are_tagged_and_counted(tmp_path: Path) -> None:
    with served(SITE) as server:
        result = spider(server, PAGEKIN_CURVE=str(tmp_path / "curve.parquet"))
    kinds = Counter(item["pagekin"]["kind"] for item in result["items"])
    assert kinds["unique"] == len(SITE.uniques())
    assert result["stats"]["pagekin/unique"] == kinds["unique"]
    assert result["stats"]["pagekin/dup_exact"] == kinds["exact"] > 0
    assert result["stats"]["pagekin/dup_near"] == kinds["near"] > 0
    assert result["reason"] == "finished"
    assert result["seen"] == [item["pagekin"] for item in result["items"]]
    for item in result["items"]:
        said = item["pagekin"]
        if said["kind"] != "unique":
            path, other = (url.removeprefix(server.url[:-1]) for url in (item["url"], said["url"]))
            assert SITE.view(path).content == SITE.view(other).content
    curve = pq.read_table(tmp_path / "curve.parquet")
    last = curve.slice(curve.num_rows - 1).to_pylist()[0]
    assert (last["fetched"], last["unique"]) == (len(result["items"]), kinds["unique"])


@pytest.mark.parametrize(("drop", "left"), [("exact", {"unique", "near"}), ("all", {"unique"})])
def test_duplicates_are_dropped_when_asked(drop: str, left: set[str]) -> None:
    with served(SMALL) as server:
        result = spider(server, PAGEKIN_DROP=drop)
    assert {item["pagekin"]["kind"] for item in result["items"]} == left
    assert result["stats"]["pagekin/dropped"] > 0


def test_saturation_closes_the_spider() -> None:
    site = CmsSite("sessions", 1, 25)  # endless
    with served(site) as server:
        result = spider(server, PAGEKIN_SATURATION="stop")
    assert result["reason"] == "pagekin_saturated"
    assert result["stats"]["pagekin/unique"] == len(site.uniques())
    assert result["stats"]["pagekin/saturated_at"] <= len(result["items"]) < 700


def test_items_without_a_field_pass() -> None:
    with served(SMALL) as server:
        result = spider(server, fixed=True, CLOSESPIDER_PAGECOUNT=10)
    assert result["stats"]["pagekin/untagged"] == len(result["items"]) > 0


def test_off() -> None:
    with served(SMALL) as server:
        result = spider(server, PAGEKIN_ENABLED=False, CLOSESPIDER_PAGECOUNT=10)
    assert result["stats"] == {}
    assert "pagekin" not in result["items"][0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"PAGEKIN_SATURATION": "maybe"},
        {"PAGEKIN_DROP": "some"},
        {"PAGEKIN_THRESHOLD": 0},
        {"PAGEKIN_WORTH": 0},
    ],
)
def test_wrong_settings_are_told(wrong: dict[str, Any]) -> None:
    from scrapy.settings import Settings

    with pytest.raises(ParamsError, match=next(iter(wrong))):
        Options.of(Settings(wrong))
