"""The API: what it answers, and that it keeps to what it says of itself."""

from __future__ import annotations

import base64
import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from web.serving import Served, served

import pagekin
from pagekin.tables import TABLES

JSON = {"Content-Type": "application/json"}


def pages(made_run: Path, count: int) -> list[dict[str, Any]]:
    crawl = made_run.parent / "web.warc.gz"
    found = [page for page in pagekin.read(crawl) if page.html is not None][:count]
    return [{"url": p.url, "html_base64": base64.b64encode(p.html or b"").decode()} for p in found]


def test_check(looked_at: Served, made_run: Path) -> None:
    first, second = pages(made_run, 2)
    answer = httpx.post(f"{looked_at.url}/api/check", json=first).json()
    assert answer["known"]["url"] == first["url"]
    assert answer["quilt"]["checked"] is True
    both = httpx.post(f"{looked_at.url}/api/check", json={"pages": [first, second]}).json()["answers"]
    assert both[0] == answer
    assert both[1]["url"] == second["url"]
    alone = httpx.post(f"{looked_at.url}/api/check", json={**first, "checks": ["style"]}).json()
    assert alone["style"] == answer["style"]
    assert alone["text"] is None
    assert alone["quilt"] is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"), (b"[]", "an object"), (b"{}", "one of html"), (b'{"html": 1}', "must be a text"),
        (b'{"html": "a", "text": "b"}', "one of html"), (b'{"html": "a", "colour": 1}', "no field"),
        (b'{"pages": []}', "1 to"), (b'{"pages": [{"html": "a"}], "html": "b"}', "not both"),
        (b'{"html_base64": "?"}', "not base64"), (b'{"html": "a", "checks": ["luck"]}', "must be a list of"),
        (b'{"pages": [1]}', "list of objects"),
    ],
)  # fmt: skip
def test_wrong_requests_are_told_what_is_wrong(looked_at: Served, body: bytes, said: str) -> None:
    answer = httpx.post(f"{looked_at.url}/api/check", content=body, headers=JSON)
    assert answer.status_code == 400
    assert said in answer.json()["message"]


def test_tables(looked_at: Served) -> None:
    names = [table["name"] for table in httpx.get(f"{looked_at.url}/api/tables").json()["tables"]]
    assert {"pages", "quilts", "style_clusters", "duplicates", "phrases"} <= set(names)
    for name in names:
        found = httpx.get(f"{looked_at.url}/api/tables/{name}", params={"limit": 3}).json()
        expected = looked_at.context.run.dataset(name).count_rows()
        assert found["total"] == expected
        assert len(found["rows"]) == min(3, expected)
        assert all(list(row) == TABLES[name].schema.names for row in found["rows"])
    query = {
        "sort": "-words",
        "filter": ["words:ge:50", "words:lt:200"],
        "columns": "url,words",
        "limit": "1000",
    }
    found = httpx.get(f"{looked_at.url}/api/tables/pages", params=query).json()
    words = [row["words"] for row in found["rows"]]
    assert words == sorted(words, reverse=True)
    assert words
    assert max(words) < 200
    assert min(words) >= 50
    second = httpx.get(f"{looked_at.url}/api/tables/pages", params={**query, "limit": 5, "offset": 5}).json()
    assert [row["words"] for row in second["rows"]] == words[5:10]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=x", "limit=1001", "offset=-1", "sort=nothing", "columns=url,nothing", "filter=words",
     "filter=words:like:1", "filter=words:ge:x", "filter=url:contains", "filter=words:contains:1",
     "sort=words;DROP", "filter=words%22%20OR%201=1--:eq:1"],
)  # fmt: skip
def test_wrong_queries(looked_at: Served, query: str) -> None:
    answer = httpx.get(f"{looked_at.url}/api/tables/pages?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.json()["message"]


def test_verdicts_over_the_api(app: Served) -> None:
    row = app.context.catalog.row("SELECT cluster, pages FROM clusters ORDER BY pages DESC LIMIT 1")
    assert row is not None
    about = {"kind": "cluster", "target": str(row["cluster"]), "label": "spam"}
    made = httpx.post(f"{app.url}/api/verdicts", json={**about, "who": "robot", "why": "a test"})
    assert made.status_code == 201
    assert made.json()["who"] == "robot"
    seen = httpx.post(f"{app.url}/api/spread/preview", json=about).json()
    assert seen["adds"] == row["pages"]
    assert seen["said"].startswith("Adds ")
    wrong = httpx.post(f"{app.url}/api/spread", json={**about, "adds": 1})
    assert wrong.status_code == 400
    assert "changed since the preview" in wrong.json()["message"]
    done = httpx.post(f"{app.url}/api/spread", json={**about, "adds": seen["adds"]})
    assert done.status_code == 201
    page = app.context.catalog.one("SELECT page FROM members WHERE cluster = ? LIMIT 1", [row["cluster"]])
    assert httpx.get(f"{app.url}/api/pages/{page}").json()["verdict"]["label"] == "spam"
    lists = httpx.get(f"{app.url}/api/blocklist", params={"min_pages": 1, "min_share": 0.5}).text
    assert len(lists.splitlines()) > 1
    httpx.post(f"{app.url}/api/undo", json={"uid": done.json()["uid"]}).raise_for_status()
    assert httpx.get(f"{app.url}/api/pages/{page}").json()["verdict"] is None
    rows = httpx.get(f"{app.url}/api/verdicts").json()
    assert [row["label"] for row in rows["rows"]] == ["spam", "spam", None]
    assert len(httpx.get(f"{app.url}/api/verdicts?format=jsonl").text.splitlines()) == 3


def test_no_path_of_a_request_reaches_the_file_system(looked_at: Served) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e%2fapp.py", "/static//etc/passwd",
                 "/api/tables/..%2frun.json", "/sites/..%2f..%2fetc%2fpasswd", "/pages/../../etc/passwd",
                 "/render/..%2fx"):  # fmt: skip
        answer = httpx.get(looked_at.url + path)
        assert answer.status_code in (404, 400), (path, answer.status_code)
        assert "root:" not in answer.text
        assert "import" not in answer.text


def test_only_our_names_and_our_pages(app: Served) -> None:
    """DNS rebinding, forms of other sites, forms without their mark, forms that are no JSON."""
    port = app.url.rpartition(":")[2]
    for host in ("attacker.example", f"attacker.example:{port}", "127.0.0.1.attacker.example", ""):
        assert httpx.get(app.url, headers={"Host": host}).status_code in (400, 421)
    body = {"kind": "site", "target": "x.example", "label": "spam"}
    for headers in ({"Origin": "http://attacker.example"}, {"Origin": "null"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):  # fmt: skip
        for path in ("/api/verdicts", "/judge", "/spread/confirm", "/api/check"):
            assert httpx.post(app.url + path, json=body, headers=headers).status_code == 403
    assert httpx.post(f"{app.url}/judge", data=body).status_code == 403  # no mark
    assert httpx.post(f"{app.url}/api/verdicts", data=body).status_code == 400
    with httpx.Client() as one, httpx.Client() as other:
        mark = re.search(r'name="mark" value="([0-9a-f]+)"', one.get(app.url).text)
        assert mark is not None
        other.get(app.url)
        assert other.post(f"{app.url}/judge", data={**body, "mark": mark[1]}).status_code == 403  # not theirs
    assert app.context.state.rows() == []


def test_on_all_addresses_any_of_them_is_ours(run_folder: Path) -> None:
    """Who listens on 0.0.0.0 is asked for by an address that nobody wrote down; a name stays refused."""
    with served(run_folder, token="secret-of-ours", any_address=True) as app:
        headers = {"Authorization": "Bearer secret-of-ours"}
        for host, status in (("192.0.2.7:8765", 200), ("[2001:db8::7]:8765", 200), ("attacker.example", 421)):
            assert httpx.get(f"{app.url}/api/run", headers={**headers, "Host": host}).status_code == status
    with served(run_folder) as app:
        assert httpx.get(app.url, headers={"Host": "192.0.2.7"}).status_code == 421


def test_a_body_that_never_comes_is_not_waited_for(run_folder: Path) -> None:
    with served(run_folder, max_seconds=0.5) as app:
        host, port = app.url.removeprefix("http://").split(":")
        for path, kind in (
            ("/api/check", "application/json"),
            ("/judge", "application/x-www-form-urlencoded"),
        ):
            with socket.create_connection((host, int(port)), timeout=20) as sock:
                head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {kind}\r\n"
                sock.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
                assert b" 413 " in sock.recv(4096).splitlines()[0]


def test_every_answer_says_what_may_be_done_with_it(looked_at: Served) -> None:
    for path in ("/", "/nowhere", "/api/run", "/api/nowhere", "/static/app.js", "/search?q=x"):
        headers = httpx.get(looked_at.url + path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    for path in ("/", "/help"):
        text = httpx.get(looked_at.url + path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|<style|javascript:", text)


def test_too_much(looked_at: Served) -> None:
    limit = looked_at.context.settings.max_body
    big = httpx.post(f"{looked_at.url}/api/check", content=b"x" * (limit + 1), headers=JSON)
    assert big.status_code == 413

    def pieces() -> Any:  # without a length
        for _ in range(limit // (1 << 20) + 2):
            yield b"x" * (1 << 20)

    assert httpx.post(f"{looked_at.url}/api/check", content=pieces(), headers=JSON).status_code in (400, 413)
    many = {"pages": [{"text": "a"}] * (looked_at.context.settings.max_pages + 1)}
    assert httpx.post(f"{looked_at.url}/api/check", json=many).status_code == 400
    deep = b'{"html":' * 100_000
    assert httpx.post(f"{looked_at.url}/api/check", content=deep, headers=JSON).status_code == 400


def test_token(run_folder: Path) -> None:
    with served(run_folder, token="secret-of-ours") as app:
        assert httpx.get(app.url).status_code == 401
        assert httpx.get(app.url, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert httpx.get(f"{app.url}/?token=wrong").status_code == 401
        assert (
            httpx.get(f"{app.url}/api/run", headers={"Authorization": "Bearer secret-of-ours"}).status_code
            == 200
        )
        with httpx.Client(follow_redirects=True) as client:
            answer = client.get(f"{app.url}/quilts?token=secret-of-ours")
            assert answer.status_code == 200
            assert "token" not in str(answer.url)
            assert client.get(f"{app.url}/sites").status_code == 200


def test_read_only(run_folder: Path) -> None:
    with served(run_folder, read_only=True) as app:
        page = httpx.get(f"{app.url}/judge/quilts/random/5/0/1").text
        assert "no verdict can be given here" in page
        assert 'action="/judge"' not in page
        body = {"kind": "site", "target": "x.example", "label": "spam"}
        assert httpx.post(f"{app.url}/api/verdicts", json=body).status_code == 403
        assert httpx.post(f"{app.url}/api/check", json={"text": "a b c"}).status_code == 200


def test_the_api_keeps_to_its_description(looked_at: Served) -> None:
    """Schemathesis makes up requests, sound and unsound, and holds every answer against the description."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.core.result import Ok
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    described = httpx.get(f"{looked_at.url}/api/openapi.json").json()
    schema = schemathesis.openapi.from_dict(described)
    schema.config.base_url = looked_at.url
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    tried = 0
    for operation in schema.get_all_operations():
        assert isinstance(operation, Ok)

        @given(case=operation.ok().as_strategy())
        @settings(
            max_examples=12, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck), derandomize=True,
        )  # fmt: skip
        def holds(case: Any) -> None:
            nonlocal tried
            tried += 1
            case.call_and_validate(checks=checks)

        holds()
    assert tried > 80
