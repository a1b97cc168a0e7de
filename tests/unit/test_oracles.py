"""The oracles themselves, on examples whose answers were worked out by hand from the standards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest
import strategies
from hypothesis import given, settings
from oracles.charset import charset
from oracles.links import links
from oracles.noise import is_alphanumeric, noise
from oracles.text import page
from oracles.words import words

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "cases" / "markup.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_markup(case: dict[str, Any]) -> None:
    got = page(case["input"], case.get("url"))
    assert got.text == case["text"]
    assert got.title == case["title"]
    assert got.hrefs == case["hrefs"]
    assert got.base == case.get("base")
    if "links" in case:
        assert got.links == case["links"]


def test_case_names_are_unique() -> None:
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p class="a1">Höhe 3 m²</p>', '< ="">  </>'),
        ("<!-- x -->\r\n\t", "<!--  -->\r\n\t"),
        ("&nbsp;&#160;", "&;&#;"),
        ("漢字、かな。ไทย 한국어", "、。 "),
        ("Ⅷ ½ ① ٣ ⓐ", "    "),
        # A combining acute accent is not alphabetic, a Devanagari vowel sign is, its virama is not.
        ("e\u0301 \u0915\u093f\u094d", "\u0301 \u094d"),
        ("_-\u00ad\u200d\ufffd😀\0", "_-\u00ad\u200d\ufffd😀\0"),
        ("", ""),
    ],
)
def test_noise(html: str, expected: str) -> None:
    assert noise(html) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World", ["hello", "world"]),
        ("don't a_b x-1y2", ["don", "t", "a", "b", "x", "1y2"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁx ΣΑΣ ς", ["fix", "σασ", "σ"]),
        # Cut first, folded then: the dot that the folding of İ leaves is no letter and stays in its word.
        ("İx", ["i\u0307x"]),
        ("Ꭰ ꭰ", ["Ꭰ", "Ꭰ"]),
        ("東京tower2は", ["東", "京", "tower2", "は"]),
        ("日本語、テスト。", ["日", "本", "語", "テ", "ス", "ト"]),
        ("々〆〇〡〱〻 ｱﾞ 𠀀", ["々", "〆", "〇", "〡", "〱", "〻", "ｱ", "ﾞ", "𠀀"]),
        # The sound mark U+3099 is not alphabetic, the middle dot is punctuation, the long mark is a letter.
        ("か\u3099ー・", ["か", "ー"]),
        ("한국어 말", ["한국어", "말"]),
        # U+0E48 is a tone mark: not alphabetic, so it is no word. U+0E34 is a vowel sign and alphabetic.
        ("ก\u0e34น\u0e48๑", ["ก", "\u0e34", "น", "๑"]),
        ("កខ ກຂ ကခ ᥐᥑ ꦏꦐ ᬅᬆ", list("កខກຂကခᥐᥑꦏꦐᬅᬆ")),
        ("e\u0301a", ["e", "a"]),
        ("½²Ⅷ Ⅷ", ["½²ⅷ", "ⅷ"]),
        (" \n", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


UTF16 = "<p>ab</p>"
BAD = b"\xe9t\xe9"  # no UTF-8

CHARSETS: list[tuple[bytes, str | None, str | None]] = [
    # 1: the mark comes before everything.
    (b"\xef\xbb\xbfx", "text/html; charset=koi8-r", "UTF-8"),
    (b"\xff\xfex\0", "text/html; charset=utf-8", "UTF-16LE"),
    (b"\xfe\xff\0x", None, "UTF-16BE"),
    (b"\xfe", None, None),
    # 2: the header.
    (b"<meta charset=big5>", "text/html; charset=koi8-r", "KOI8-R"),
    (b"", "text/html;charset=ISO-8859-1", "windows-1252"),
    (b"", 'TEXT/HTML ; a=b; CHARSET="Shift_JIS"; x', "Shift_JIS"),
    (b"", 'text/html; a="; charset=big5"; charset=gb2312', "GBK"),
    (b"", "text/html; charset=; charset=gb2312", "GBK"),
    (b"", 'text/html; charset="koi8\\-r"', "KOI8-R"),
    (b"", "text/html; charset=utf-16", "UTF-16LE"),
    (b"", "text/html; charset=x-user-defined", "x-user-defined"),
    (b"", "text/html; charset=hz-gb-2312", "UTF-8"),
    (b"<meta charset=big5>", "text/html; charset=nonsense", "Big5"),
    (b"<meta charset=big5>", "text/html; charset=nonsense; charset=koi8-r", "Big5"),
    (b"<meta charset=big5>", "text/html; charset='koi8-r'", "Big5"),
    (b"<meta charset=big5>", "charset=koi8-r", "Big5"),
    (b"<meta charset=big5>", "html; charset=koi8-r", "Big5"),
    (b"<meta charset=big5>", "text/html", "Big5"),
    # 3: the meta.
    (b"<meta charset=iso-8859-2>", None, "ISO-8859-2"),
    (b"<META  CHARSET = ' windows-1251 ' />", None, "windows-1251"),
    (b"<meta/charset=euc-kr>", None, "EUC-KR"),
    (b"<meta x charset=euc-kr>", None, "EUC-KR"),
    (b"<meta charset=euc-kr/>" + BAD, None, None),  # the slash is part of the label
    (b"<meta http-equiv=Content-Type content='text/html; charset=EUC-JP'>", None, "EUC-JP"),
    (b"<meta content='text/html;charset=\"tis-620\"' http-equiv=content-type>", None, "windows-874"),
    (b"<meta http-equiv=content-type content='charset charset=ibm866;x'>", None, "IBM866"),
    (b"<meta content='text/html; charset=euc-jp'>" + BAD, None, None),
    (b"<meta http-equiv=refresh content='0; charset=euc-jp'>" + BAD, None, None),
    (b"<meta charset=utf-16be>" + BAD, None, "UTF-8"),
    (b"<meta charset=x-user-defined>", None, "windows-1252"),
    (b"<meta charset=nonsense><meta charset=gb18030>", None, "gb18030"),
    (b"<meta charset=nonsense charset=gb18030>" + BAD, None, None),
    (b"<meta charset=nonsense http-equiv=content-type content='charset=gb18030'>" + BAD, None, None),
    (b"<!-- <meta charset=big5> --><meta charset=koi8-u>", None, "KOI8-U"),
    (b"<!--><meta charset=big5>", None, "Big5"),
    (b"<!--x--!><meta charset=big5>" + BAD, None, None),  # only here the bang ends no comment
    (b"<p title='<meta charset=big5>'>" + BAD, None, None),
    (b"<script><meta charset=big5></script>", None, "Big5"),  # the search knows no raw elements
    (b"<? <meta charset=big5>" + BAD, None, None),
    (b"<metal charset=big5>" + BAD, None, None),
    (b"<meta charset=big5", None, "UTF-8"),
    (b" " * (4096 - 19) + b"<meta charset=big5>", None, "Big5"),
    (b" " * (4096 - 18) + b"<meta charset=big5>", None, "UTF-8"),
    # 4: UTF-16 without a mark.
    (UTF16.encode("utf-16-le"), None, "UTF-16LE"),
    (UTF16.encode("utf-16-be"), None, "UTF-16BE"),
    ((UTF16 + " " * 30 + "東").encode("utf-16-le"), None, "UTF-16LE"),
    (("<p>語" + UTF16).encode("utf-16-le"), None, "UTF-16LE"),
    # 東 is "qg" in UTF-16LE: ASCII to the eye.
    (("東" + UTF16).encode("utf-16-le"), None, "UTF-8"),
    # 5: valid UTF-8, which ASCII is too.
    (b"", None, "UTF-8"),
    (b"plain", None, "UTF-8"),
    ("é東😀".encode(), None, "UTF-8"),
    (b"\xed\xa0\x80", None, None),  # a surrogate
    (b"\xc0\xaf", None, None),  # too long a form
    (b"ab\xe2\x82", None, None),  # cut off
    # 6: somebody has to guess.
    (BAD, None, None),
]


@pytest.mark.parametrize(("data", "content_type", "expected"), CHARSETS)
def test_charset(data: bytes, content_type: str | None, expected: str | None) -> None:
    assert charset(data, content_type) == expected


def test_a_target_or_base_that_is_too_long_is_dropped() -> None:
    site = "http://a.example/"
    longest = site + "x" * (4096 - len(site))
    assert links([longest, longest + "x", longest + "#fragment"], None, None) == [longest]
    assert links(["y"], longest + "/", site) == [site + "y"]
    # Characters count as they are written in the URL: é is %C3%A9, six bytes.
    assert links([site + "é" * 679, site + "é" * 680], None, None) == [site + "%C3%A9" * 679]


@settings(deadline=None)
@given(strategies.html_soup())
def test_text_is_one_line_a_block(html: str) -> None:
    text = page(html).text
    for line in text.split("\n") if text else []:
        assert line
        assert "  " not in line
        assert line == line.strip()
        assert not any(char != " " and (char.isspace() or category(char) == "Cc") for char in line)


@settings(deadline=None)
@given(strategies.texts())
def test_words_are_what_noise_leaves_out(text: str) -> None:
    """Words and noise share one idea of alphanumeric: together they are the text."""
    letters = "".join(char for char in text if is_alphanumeric(char))
    assert "".join(words(text)) == letters.casefold()
    assert len(letters) + len(noise(text)) == len(text)


@settings(deadline=None)
@given(strategies.html_bytes(), strategies.content_types())
def test_every_page_gets_an_encoding_or_a_guess(data: bytes, content_type: str | None) -> None:
    name = charset(data, content_type)
    if name is None and b"\x1b" not in data:
        with pytest.raises(UnicodeDecodeError):
            data.decode("utf-8")
