"""`sites.originality` is what the pages' own counts add up to, whichever of quilts and phrases ran first."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.params import Params

ORDERS = [[["quilts", "phrases"]], [["quilts"], ["phrases"]], [["phrases"], ["quilts"]]]


def write(folder: Path) -> Path:
    rng = random.Random(5)
    stock = [" ".join(f"w{rng.randrange(500)}" for _ in range(15)) for _ in range(12)]
    rows = []
    for i in range(40):
        own = " ".join(f"p{i}q{j}" for j in range(rng.randrange(40)))
        text = " ".join([*rng.sample(stock, rng.randrange(1, 4)), own])
        rows.append({"url": f"http://{rng.choice('xyz')}.{rng.choice('abc')}.example/{i}", "text": text})
    rows.append(rows[0] | {"url": "http://x.a.example/copy"})
    rows.append({"url": "http://empty.example/", "text": "?"})
    path = folder / "pages.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def scan(folder: Path, order: list[list[str]], **values: Any) -> pagekin.Run:
    params = Params().replace("phrases", popular=3, min_popular=1, **values)
    crawl = write(folder)
    for turn, only in enumerate(order):
        run = pagekin.scan(crawl, folder / "run", only=only, params=params, resume=turn > 0)
    return run


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("site", ["host", "domain"])
def test_sums_of_pages(tmp_path: Path, order: list[list[str]], site: str) -> None:
    run = scan(tmp_path, order, site=site)
    of = {row["page"]: row[site] for row in run.representatives("pages", ["page", site]).to_pylist()}
    assert len(of) == run.info["counts"]["pages"] - 1, "one page is a copy"
    grams, own = Counter[str](), Counter[str]()
    for row in run.table("originality").to_pylist():
        if row["page"] in of:
            grams[of[row["page"]]] += row["grams"]
            own[of[row["page"]]] += row["own_grams"]
    found = {row["site"]: row["originality"] for row in run.table("sites").to_pylist()}
    assert found.pop("empty.example") is None, "no grams, no share"
    assert found == {name: own[name] / grams[name] for name in found}
    assert len({*found.values()}) > 1
    assert all(0 < share < 1 for share in found.values())


def test_null_before_quilts(tmp_path: Path) -> None:
    sites = scan(tmp_path, [["phrases"]]).table("sites")
    assert sites["originality"].null_count == len(sites) > 1


def test_the_order_changes_nothing_else(tmp_path: Path) -> None:
    tables = []
    for i, order in enumerate(ORDERS):
        folder = tmp_path / str(i)
        folder.mkdir()
        tables.append(scan(folder, order).table("sites"))
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_a_stopped_publication_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between taking the old `sites` away and putting the new one in place."""
    scan(tmp_path, [["phrases"]])
    rename = Path.rename

    def killed(self: Path, target: Path) -> Path:
        if self.name == "sites.parquet" and self.parent.name == "quilts":
            raise KeyboardInterrupt
        return rename(self, target)

    params = Params().replace("phrases", popular=3, min_popular=1)
    crawl, folder = tmp_path / "pages.jsonl", tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            pagekin.scan(crawl, folder, only=["quilts"], params=params, resume=True)
    assert not (folder / "sites.parquet").exists()
    sites = pagekin.scan(crawl, folder, only=["quilts"], params=params, resume=True).table("sites")
    (tmp_path / "whole").mkdir()
    assert sites.equals(scan(tmp_path / "whole", ORDERS[0]).table("sites"))
