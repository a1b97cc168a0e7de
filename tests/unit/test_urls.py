"""The URL functions of the native module against the standard library, on URLs that both take."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin import _core
from pagekin.urls import split_url

HOSTS = st.sampled_from(["a.example", "WWW.Example.org", "192.0.2.1", "[2001:db8::1]"])
PATHS = st.text("abc./:@", max_size=9).map(lambda path: "/" + path if path else "")
REST = st.sampled_from(["", "?", "?a=1&b=/?", "#top", "?q#a?b#"])


@given(st.sampled_from(["http", "HTTPS", "ftp"]), HOSTS, st.sampled_from(["", ":81", ":8080"]), PATHS, REST)
def test_split(scheme: str, host: str, port: str, path: str, rest: str) -> None:
    url = f"{scheme}://{host}{port}{path}{rest}"
    expected = urlsplit(url)
    found = _core.split_url(url)
    assert found is not None
    assert found[:5] == (scheme.lower(), None, host.lower(), port[1:] or None, expected.path)
    assert (found[5] or "", found[6] or "") == (expected.query, expected.fragment)


def test_split_forms() -> None:
    assert _core.split_url("http://u:P@A:80") == ("http", "u:P", "a", None, "", None, None)
    assert _core.split_url("https://a:80/?#") == ("https", None, "a", "80", "/", "", "")
    for other in ("mailto:a@b", "/path", "//host/path", "", "no url"):
        assert _core.split_url(other) is None


@pytest.mark.parametrize(
    ("url", "netloc"),
    [
        ("http://a.example:80/", "a.example"),
        ("https://a.example:80/", "a.example:80"),
        ("http://user:word@A.example:8080", "a.example:8080"),
        ("http://[::1]:81/", "[::1]:81"),
    ],
)
def test_netloc(url: str, netloc: str) -> None:
    parts = split_url(url)
    assert parts is not None
    assert parts.netloc == netloc


@given(st.text("abc/", min_size=1, max_size=9).filter(lambda href: "//" not in href))
def test_resolve(href: str) -> None:
    base = "http://a.example/b/c/d?q"
    assert _core.resolve_url(base, href) == urljoin(base, href)


@pytest.mark.parametrize(
    ("base", "href", "expected"),
    [
        (None, "http://bücher.example:80/a/../b#top", "http://xn--bcher-kva.example/b"),
        ("http://a.example/b?q#f", "", "http://a.example/b?q"),
        ("http://a.example/b", "?x=1&y=2", "http://a.example/b?x=1&y=2"),
        ("http://a.example/b", "mailto:a@b", None),
        (None, "b", None),
    ],
)
def test_resolve_forms(base: str | None, href: str, expected: str | None) -> None:
    assert _core.resolve_url(base, href) == expected
