"""What pages chose to be called, on a terminal and in spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import unicodedata

import pyarrow as pa
import pytest

from pagekin.cli.tables import cell, write_rows
from pagekin.cli.terminal import escaped, fit_for
from pagekin.errors import UsageError
from pagekin.look.table import as_csv
from pagekin.verdicts.files import written
from pagekin.verdicts.labels import Verdict

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


@pytest.mark.parametrize("character", ["\r", "\n", "\r\n", '"', ","])
def test_no_character_begins_another_row(character: str) -> None:
    out = io.BytesIO()
    write_rows(pa.table({"title": [f"a{character}=b"], "page": [7]}), "csv", out)
    rows = list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))
    assert rows == [["title", "page"], [f"a{character}=b", "7"]]


def test_lines_stay_lines() -> None:
    text = f"{HOSTILE}\n{HOSTILE}\n"
    assert fit_for(io.BytesIO(), text) == text
    shown = fit_for(Terminal(), text)
    assert obeyed(shown) == set()
    assert shown.count("\n") == 2


def test_parquet_is_not_for_a_terminal() -> None:
    with pytest.raises(UsageError, match="write it to a file"):
        write_rows(pa.table({"title": ["a"]}), "parquet", Terminal())


@pytest.mark.parametrize("sign", list("=+-@＝＋－＠﹦﹢﹣﹫"))
@pytest.mark.parametrize("before", ["", " ", "\u00a0", "\u3000", "\ufeff", "\u200b", "\n", "\t", " \x00 "])
def test_formulas_in_all_their_forms(sign: str, before: str) -> None:
    text = f"{before}{sign}HYPERLINK(1)"
    assert cell(text) == f"'{text}"
    figure = list(csv.reader(io.StringIO(as_csv(["title"], [[text]]), newline="")))
    assert figure[1][0].startswith("'"), "in the figures of a report"
    said = Verdict("u", "2024-05-06", "ann", "page", "7", None, "hand", "spam", text, "", None)
    verdicts = list(csv.DictReader(io.StringIO("".join(written([said], "csv")), newline="")))
    assert verdicts[0]["why"] == f"'{text}", "in the verdicts"


@pytest.mark.parametrize(
    "text", ["", " ", "plain", " a=b", "1-2", "'=1", "http://a.example/?a=b", "a@b.example"]
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert cell(text) == text


def test_plain_text_is_not_touched() -> None:
    for text in ("plain", "grüße", "漢字", "a b"):
        assert escaped(text) == text
