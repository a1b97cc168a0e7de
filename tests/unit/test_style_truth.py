"""Style clusters of the made-up web against its truth."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq
import pytest

import pagekin
from pagekin.synth import write_web

Row = dict[str, Any]


@dataclass
class Web:
    """Truth by URL, and the clusters, each with the truth of its members."""

    truth: list[Row]
    clusters: list[tuple[Row, list[Row]]]


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> list[Web]:
    found = []
    for seed in (2, 5, 6):
        folder = tmp_path_factory.mktemp("web")
        truth = pq.read_table(write_web(folder / "web.warc.gz", pages=1200, seed=seed).truth).to_pylist()
        run = pagekin.scan(folder / "web.warc.gz", folder / "run", only=["duplicates", "styles"])
        by_url = {row["url"]: row for row in truth}
        members = defaultdict(list)
        for row in run.table("style_members").to_pylist():
            members[row["cluster"]].append(by_url[row["url"]])
        clusters = [(row, members[row["cluster"]]) for row in run.table("style_clusters").to_pylist()]
        found.append(Web(truth, clusters))
    return found


def pairs(counts: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in counts)


def families(rows: list[Row]) -> Counter[str]:
    return Counter(row["template"] for row in rows if row["template"] is not None)


def test_template_families(webs: list[Web]) -> None:
    """Pairs of pages of one family are in one cluster, and no other pairs: F1 of at least 0.98."""
    for web in webs:
        true = pairs(families(web.truth).values())
        said = pairs(families(members).total() for _, members in web.clusters)
        right = sum(pairs(families(members).values()) for _, members in web.clusters)
        assert true > 1000
        assert 2 * right / (true + said) >= 0.98


def test_every_family_is_found(webs: list[Web]) -> None:
    """Each family of two or more pages has a cluster that holds most of it."""
    for web in webs:
        largest: dict[str, int] = defaultdict(int)
        for _, members in web.clusters:
            for name, count in families(members).items():
                largest[name] = max(largest[name], count)
        for name, count in families(web.truth).items():
            assert count < 2 or largest[name] > count / 2, name


def kinds(webs: list[Web], column: str) -> Counter[str | None]:
    """How the clusters whose members mostly have something in this column of the truth are named."""
    return Counter(
        row["kind"]
        for web in webs
        for row, members in web.clusters
        if sum(member[column] is not None for member in members) > len(members) / 2
    )


def test_mirrors_and_farms_are_named(webs: list[Web]) -> None:
    mirrors = kinds(webs, "mirror_group")
    assert mirrors.total() >= 5
    assert mirrors["mirror"] >= 0.95 * mirrors.total()
    farms = Counter(
        row["kind"] for web in webs for row, members in web.clusters if members[0]["kind"] == "farm"
    )
    assert farms.total() >= 3
    assert farms["link farm"] >= 0.95 * farms.total()


def test_nothing_else_is_called_so(webs: list[Web]) -> None:
    for web in webs:
        for row, members in web.clusters:
            if row["kind"] == "link farm":
                assert all(member["farm"] is not None for member in members)
            if row["kind"] == "mirror":
                copied = ("mirror_group", "near_group", "copy_group")
                copies = sum(any(member[name] is not None for name in copied) for member in members)
                assert copies >= 0.4 * len(members)


def test_copies_and_templates_are_named(webs: list[Web]) -> None:
    # Of what is pasted only framesets join strangers by default: licences and scripts are content.
    pasted = kinds(webs, "copy_group")
    assert pasted.total() >= 4
    assert pasted["copy/paste"] >= 0.95 * pasted.total()
    plain = Counter(
        row["kind"]
        for web in webs
        for row, members in web.clusters
        if all(m[c] is None for m in members for c in ("mirror_group", "copy_group", "farm", "near_group"))
    )
    assert plain.total() >= 60
    assert plain["stock page"] >= 9
    assert plain["template"] + plain["stock page"] >= 0.95 * plain.total()


def test_software_is_named(webs: list[Web]) -> None:
    """Engines that many sites run: forums, listings, parked domains, default pages."""
    expected = {
        "forum": ("forum: Agora Board", "software: Chatterbox"),
        "directory": ("directory listing",),
        "parked": ("parked domain",),
        "server_default": ("default server page",),
    }
    for kind, names in expected.items():
        named = [
            row["name"]
            for web in webs
            for row, members in web.clusters
            if Counter(member["kind"] for member in members).most_common(1)[0][0] == kind
        ]
        assert len(named) >= 3
        assert set(named) == set(names)
