"""What pages chose to be called, on a terminal and in spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import unicodedata

import pyarrow as pa
import pytest

from pagekin.cli.tables import cell, write_rows
from pagekin.cli.terminal import escaped
from pagekin.errors import UsageError

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \x9b31m \u202egnp.exe \u2066x\u2069 \x7f \u2028 \u200b \ufeff ok ä 漢"


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def obeyed(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Zl", "Zp")}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_on_a_terminal_everything_is_escaped(form: str) -> None:
    table = pa.table({"title": [HOSTILE], "page": [1]})
    out = Terminal()
    write_rows(table, form, out)
    text = out.getvalue().decode()
    assert obeyed(text) == set()
    assert "ok ä 漢" in text, "what a terminal only shows stays"
    if form == "jsonl":
        assert json.loads(text) == {"title": HOSTILE, "page": 1}, "still JSON, and still the same"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_in_files_data_stays_data(form: str) -> None:
    out = io.BytesIO()
    write_rows(pa.table({"title": [HOSTILE]}), form, out)
    text = out.getvalue().decode()
    found = (
        json.loads(text)["title"]
        if form == "jsonl"
        else list(csv.reader(io.StringIO(text, newline="")))[1][0]
    )
    assert found == HOSTILE


def test_parquet_is_not_for_a_terminal() -> None:
    with pytest.raises(UsageError, match="write it to a file"):
        write_rows(pa.table({"title": ["a"]}), "parquet", Terminal())


@pytest.mark.parametrize("sign", list("=+-@＝＋－＠﹦﹢﹣﹫"))
@pytest.mark.parametrize("before", ["", " ", "\u00a0", "\u3000", "\ufeff", "\u200b", "\n", "\t", " \x00 "])
def test_formulas_in_all_their_forms(sign: str, before: str) -> None:
    text = f"{before}{sign}HYPERLINK(1)"
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["", " ", "plain", " a=b", "1-2", "'=1", "http://a.example/?a=b", "a@b.example"]
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert cell(text) == text


def test_plain_text_is_not_touched() -> None:
    for text in ("plain", "grüße", "漢字", "a b"):
        assert escaped(text) == text
