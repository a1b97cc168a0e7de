"""Hypothesis strategies: markup that breaks things, bytes in many charsets, texts in many scripts."""

from __future__ import annotations

from html.entities import html5

from hypothesis import strategies as st

# Characters that are unassigned (Cn) in Python's Unicode may mean something in a newer version of it, so two
# engines may differ on them; surrogates (Cs) are no text at all.
CHARACTERS = st.characters(exclude_categories=["Cs", "Cn"])

WHITE = ["", " ", "\n", "\t", "\f", "\r", "\r\n", "  \n ", "\v", "\u00a0", "\u2028", "\u3000", "\u0085", "\0"]

# One line a kind: raw, counted, line-keeping, breaking, spacing, linking, and those that mean nothing.
NAMES = """
script style iframe noembed noframes noscript title textarea xmp plaintext
template svg math pre listing
p br div li td th tr table h1 hr body html head option img input button select
a area base meta b i span x-y a1 scripts titles scrip pres image
""".split()  # noqa: SIM905

ATTRIBUTE_NAMES = [
    "href", "HREF", "hRef", "src", "class", "xlink:href", "=", "=href", '"', "'", "<", "a&amp;", "é", "\0",
]  # fmt: skip

VALUES = [
    "", "x", "/", "a/b", "../c?d=e#f", "#top", "?a=1&copy=2", "?a=1&copy;=2", "&amp;x", "&notit;", "a>b",
    "don't", 'say "x"', " padded ", "\n", "a\tb\r\nc", "javascript:void(0)", "mailto:a@b",
    "//other.example/x", "HTTP://A.example/%7e", "https://example.com/", "https://b.example:443/a/../b",
    "http://[::1]/", "http://1.2.3.4", "http://ex ample/", "http:", "é/東京?ü", "http://bücher.example/",
    "\0", "&#0;", "&#x2f;x", "&NewLine;", "\\\\c.example\\x", "data:text/html,x", "ftp://f.example/",
]  # fmt: skip

ENTITIES = [
    "&", "&&", "&;", "&#", "&#;", "&#x", "&#x;", "&#xg;", "&#0;", "&#10;", "&#13;", "&#32;", "&#65",
    "&#65x", "&#x41;", "&#X41", "&#128;", "&#x80", "&#129;", "&#x9f;", "&#xd800;", "&#xDFFF", "&#x10ffff;",
    "&#x110000;", "&#99999999999999999999;", "&#xfdd0;", "&amp", "&amp;", "&AMP", "&amp;amp;", "&ampx",
    "&lt", "&lt;p&gt;", "&LT;b>", "&notit;", "&notin;", "&notin", "&not", "&nbsp", "&nbsp;", "&copy",
    "&copy=", "&copyx", "&copy1", "&copy;=", "&nosuch;", "&Tab;", "&NewLine;", "&ngE;", "&acE;",
    "&CounterClockwiseContourIntegral;", "&CounterClockwiseContourIntegra", "&shy;", "&zwnj;",
    "&ThickSpace;", "&fjlig;", "&#\u0661;", "&\u212aopf;",
]  # fmt: skip

COMMENTS = [
    "<!-->", "<!--->", "<!---->", "<!----->", "<!--", "<!---", "<!-", "<!", "<!>", "-->", "--!>", "--",
    "->", "<!----!>", "<!--!>", "<!---!>", "<!--a--b-->", "<!-- > -->", "<!--a--!b-->", "<!--a--!-->",
    "<!--<!-->", "<!--<!--a-->", "<!--<!->", "<!-- <p> --!>", "<!doctype html>", '<!DOCTYPE html "a>b">',
    "<?xml version='1.0'?>", "<?", "<?>", "<!a>", "</ p>", "</>", "</", "</3>", "</!>", "</\0>",
    "<![CDATA[x]]>", "<![CDATA[a>b]]>", "<![CDATA[",
]  # fmt: skip

BROKEN = [
    "<", ">", "<<", "<3", "< p>", "<=", "<\0p>", "<é>", "<p", "<p ", "<p/", "<p a", "<p a=", "<p a='",
    '<p a="', "</p", "</p a='", "<p<p>", "<a<b>", "<a href", "<a href>", "<a href=>", "<a href= >",
    "<a href = x>", "<a\nhref\n=\nx\n>", "<a/href=x>", "<a/=href=x>", "<a href='x'href='y'>",
    '<a b="c"href=d>', "<a href=x/>", "<a href=x / >", "<a / href=x>", "<a href=\"x'>", "<br/>", "<br / >",
    "</br>", "<p title=don't>x", "<a b='>'>", "<script><!--", "<script><!--<script>",
    "<script><!--<script></script>", "<!--<script ", "</script", "</script ", "</script/", "</SCRIPT\n>",
    "</title", "</title x='>'>", "</textarea/>", "</xmp\t>", "</plaintext>", "<script/>", "<svg/>",
    "<template/>", "<\u017fcript>", "<\u212abd>",
]  # fmt: skip

SCRIPTS = [
    "abc XYZ 0123 don't a-b_c",
    "ÀÉÎõü ßẞ ŉ İıIi ǅ ﬁﬂ ſK Å",
    "ΑΒΓ αβς Σ ΐ ὈΔΥΣΣΕΎΣ",
    "АБВ абв Ёё Ӏӏ",
    "אבג ְֱ עברית",
    "ابجد ٠١٢ ـً الإنسان",
    "अआइ क्षि १२३ ज्ञ",
    "ಕನ್ನಡ தமிழ் తెలుగు",
    "ไทย ภาษาไทย ๑๒ ก็ กำ",
    "ພາສາລາວ ໐໑",
    "မြန်မာ ၁၂ ꧠ ꩠ",
    "ភាសាខ្មែរ ០១",
    "ᥐᥑ ᦀᦁ᧐ ᨠᨡ᪀ ꪀꪁꫀ ꦏꦴ꧑ ᬅᬓ᭑",
    "漢字 東京 々〆〇 〡〩 〱〵〻 豈 㐀 𠀀 𪜀 𰀀",
    "ひらがな カタカナ ー・ヽ ゞ ゙ ゟヿ ㇰ ｱｲｰﾞ 𛀀",
    "ㄅㄆㄇ ㆠ",
    "한국어 ㄱㄴ ﾡ ᄀ",
    "①②½²₃ Ⅷⅷ ㊀ ㍿ ⓐ Ⓐ",
    "𝐀𝒷 𐐀𐐨 𞤀𞤢 𐤀 Ꭰꭰ ᏸ Აა",
    "😀 👩‍👩‍👧 ❤️ 🇩🇪 ©®™ §¶•… “”‘’«» — –",
    "a\u0301 e\u0308\u0304 \u200b\u200d\u00ad\ufeff\u202e\u2060 \ufffd",
]


# Whole pieces. Elements come as loose start and end tags, so that they nest, cross and stay open by chance;
# one of each is closed at once, or the first raw element of every page would swallow the rest of it.
LITERALS = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    *(f"<{name.upper()}>a\n<b>b</b> &amp; c</{name.title()} x>" for name in NAMES),
    *(f'<{name} href="{value}">' for name in ("a", "area") for value in VALUES),
    *(f'<base href="{value}">' for value in VALUES[:6]),
    *ENTITIES,
    *COMMENTS,
    *BROKEN,
]


def mixed_case(word: str) -> st.SearchStrategy[str]:
    return st.sampled_from([word, word, word, word.upper(), word.title(), word.swapcase()])


def plain() -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(
            ["word", "two words", "x", "1", ">", "=", '"', "'", "]]>", "/", "-", "!", ";", "é", "東京"]
        ),
        st.sampled_from(WHITE),
        st.text(CHARACTERS, max_size=4),
    )


def entities() -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(ENTITIES),
        st.tuples(
            st.sampled_from(sorted(html5)), st.sampled_from(["", "", "=", "x", "1", " ", ";", "&"])
        ).map(lambda pair: "&" + pair[0] + pair[1]),
        st.integers(0, 0x120000).map(lambda code: f"&#{code};"),
        st.integers(0, 0x120000).map(lambda code: f"&#x{code:x}"),
    )


@st.composite
def attributes(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(ATTRIBUTE_NAMES))
    equals = draw(st.sampled_from(["=", "=", "=", " = ", "", "\n=", "=="]))
    value = draw(st.one_of(st.sampled_from(VALUES), entities(), st.text(CHARACTERS, max_size=4)))
    quote = draw(st.sampled_from(['"', '"', "'", ""]))
    closing = draw(st.sampled_from([quote, quote, quote, quote, ""]))
    return name + equals + quote + value + closing


@st.composite
def tags(draw: st.DrawFn) -> str:
    opening = draw(st.sampled_from(["<", "<", "<", "</", "</", "< "]))
    name = draw(st.sampled_from(NAMES).flatmap(mixed_case))
    parts = [opening, name]
    for attribute in draw(st.lists(attributes(), max_size=3)):
        parts += [draw(st.sampled_from([" ", " ", "\n", "/", "", "\t/ "])), attribute]
    parts.append(draw(st.sampled_from([">", ">", ">", ">", " >", "/>", " />", "", "\0>"])))
    return "".join(parts)


def html_soup() -> st.SearchStrategy[str]:
    """Nasty markup: tags, broken tags, references, comments, raw elements, any Unicode, cut off anywhere."""
    piece = st.one_of(st.sampled_from(LITERALS), st.sampled_from(LITERALS), plain(), tags(), entities())
    # Hypothesis makes lists of about min_size + 5, so one size would mean only short pages or no tiny ones.
    soup = st.one_of(st.lists(piece, max_size=8), st.lists(piece, min_size=12, max_size=40)).map("".join)
    cut = st.tuples(soup, st.integers(0, 200)).map(lambda pair: pair[0][: pair[1]])
    return st.one_of(soup, soup, soup, cut)


def texts() -> st.SearchStrategy[str]:
    """Text without markup, in many scripts at once."""
    word = st.sampled_from(SCRIPTS).flatmap(lambda script: st.text(st.sampled_from(script), max_size=6))
    gap = st.one_of(st.sampled_from(WHITE), st.sampled_from([" ", " ", ", ", ". ", "-", "'", "\u200b", "·"]))
    piece = st.one_of(word, gap, st.text(CHARACTERS, max_size=3))
    some = st.one_of(st.lists(piece, max_size=8), st.lists(piece, min_size=12, max_size=40)).map("".join)
    return st.one_of(some, some, st.sampled_from(SCRIPTS))


# Python codec, labels that a page might give for it (not always the right one).
CODECS: list[tuple[str, list[str]]] = [
    ("utf-8", ["utf-8", "UTF8", "unicode-1-1-utf-8", " utf-8 ", "iso-8859-1"]),
    ("cp1252", ["windows-1252", "iso-8859-1", "latin1", "us-ascii", "x-user-defined", "utf-8"]),
    ("iso8859-2", ["iso-8859-2", "latin2"]),
    ("iso8859-7", ["greek", "ISO-8859-7", "sun_eu_greek"]),
    ("cp1251", ["windows-1251", "x-cp1251", "koi8-r"]),
    ("koi8-r", ["koi8-r", "KOI", "koi8_r"]),
    ("shift_jis", ["shift_jis", "x-sjis", "ms_kanji", "windows-31j"]),
    ("euc-jp", ["euc-jp", "x-euc-jp"]),
    ("iso2022_jp", ["iso-2022-jp", "csiso2022jp"]),
    ("gbk", ["gbk", "gb2312", "chinese", "x-gbk"]),
    ("gb18030", ["gb18030", "gbk"]),
    ("big5", ["big5", "big5-hkscs", "cn-big5"]),
    ("euc-kr", ["euc-kr", "ks_c_5601-1987", "windows-949"]),
    ("cp874", ["tis-620", "windows-874"]),
    ("utf-16-le", ["utf-16", "utf-16le", "unicode", "ucs-2", "utf-16be"]),
    ("utf-16-be", ["utf-16be", "unicodefffe", "utf-16"]),
]

UNKNOWN_LABELS = [
    "",
    "x",
    "utf",
    "utf-32",
    "utf-7",
    "none",
    "iso-8859-99",
    "unknown-8bit",
    "utf–8",
    "hz-gb-2312",
    "replacement",
]


def labels() -> st.SearchStrategy[str]:
    known = [label for _, names in CODECS for label in names]
    return st.sampled_from(known + UNKNOWN_LABELS).flatmap(mixed_case)


def declarations(label: str) -> st.SearchStrategy[str]:
    """A `<meta>` that names the label: right, odd, or in a place where it does not count."""
    return st.sampled_from(
        [
            f"<meta charset={label}>",
            f'<meta charset="{label}">',
            f"<META CHARSET = '{label}' />",
            f"<meta/charset={label}>",
            f"<meta charset={label}/>",
            f'<meta http-equiv="Content-Type" content="text/html; charset={label}">',
            f"<meta content='text/html;charset=\"{label}\"' http-equiv=content-type>",
            f'<meta http-equiv=content-type content="charset charset = {label};x">',
            f'<meta content="text/html; charset={label}">',
            f'<meta http-equiv="refresh" content="0; charset={label}">',
            f"<meta charset=nonsense><meta charset={label}>",
            f"<meta charset=nonsense charset={label}>",
            f"<meta charset=nonsense http-equiv=content-type content='charset={label}'>",
            f"<metal charset={label}>",
            f"<!-- <meta charset={label}> -->",
            f"<!--><meta charset={label}>",
            f"<!--a--!><meta charset={label}>-->",
            f"<p title='<meta charset={label}>'>",
            f"<p title=\"'><meta charset={label}>",
            f"<script><meta charset={label}></script>",
            f"<? <meta charset={label}>",
            f"<meta charset={label}",
            f"<?xml version='1.0' encoding='{label}'?>",
            f"<title>{label}</title>",
            "",
        ]
    )


@st.composite
def encoded(draw: st.DrawFn) -> bytes:
    codec, names = draw(st.sampled_from(CODECS))
    label = draw(st.one_of(st.sampled_from(names), st.sampled_from(names), labels()))
    before = draw(st.sampled_from(["", "", "", "<!doctype html>\n", "<html><head>", "<", " "]))
    # Around the end of what is searched for a declaration.
    before += " " * draw(st.sampled_from([0, 0, 0, 0, 60, 1000, 4000, 4050, 4080, 4096]))
    body = draw(st.one_of(html_soup(), texts().map("<p>{}".format)))
    html = before + draw(declarations(label)) + body
    errors = draw(st.sampled_from(["replace", "xmlcharrefreplace", "ignore"]))
    data = html.encode(codec, errors=errors)
    mark = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(codec, b"")
    if draw(st.sampled_from([False, False, True])):
        data = mark + data
    return data


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Encoded soup with a few bytes changed, put in, or cut off."""
    data = bytearray(draw(encoded()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(["change", "insert", "cut"]))
        if kind == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=3))
        elif kind == "change":
            data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
        else:
            del data[at:]
    return bytes(data)


def html_bytes() -> st.SearchStrategy[bytes]:
    """Soup in many charsets, declared rightly, wrongly or not at all; damaged; and any bytes."""
    return st.one_of(encoded(), encoded(), damaged(), st.binary(max_size=200))


def content_types() -> st.SearchStrategy[str | None]:
    """HTTP Content-Type values, some of them odd; None is no header."""

    def forms(label: str) -> st.SearchStrategy[str]:
        return st.sampled_from(
            [
                f"text/html; charset={label}",
                f"text/html;charset={label}",
                f'text/html; charset="{label}"',
                f"TEXT/HTML; CHARSET={label}",
                f"text/html; a=b; charset={label}; c",
                f'text/html; a="; charset=koi8-r"; charset={label}',
                f"text/html; charset={label}; charset=big5",
                f"application/xhtml+xml ;\tcharset={label} ",
                f"text/html; charset='{label}'",
                f"text/html; charset = {label}",
                f"charset={label}",
                f"text/html charset={label}",
            ]
        )

    return st.one_of(st.none(), st.none(), st.just("text/html"), st.just(""), labels().flatmap(forms))


def page_urls() -> st.SearchStrategy[str | None]:
    return st.sampled_from(
        [
            "https://example.com/",
            "https://example.com/dir/page.html?x=1",
            "http://user@Example.COM:8080/a/b/../c#frag",
            "http://xn--bcher-kva.example/ü",
            "file:///x.html",
            "not a url",
            "",
            None,
        ]
    )
