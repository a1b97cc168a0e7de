"""`pagekin compare`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option, profile_option

if TYPE_CHECKING:
    from pagekin.cli.tables import Rows
    from pagekin.query.single import StyleSimilarity, TextSimilarity


@click.command()
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path())
@profile_option
@click.option(
    "--n",
    type=click.IntRange(1, 64),
    help="Characters in an n-gram.  [default: 12, or 32 with --profile paper]",
)
@click.option("--show-noise", is_flag=True, help="Print both noises and mark what they share.")
@format_option
def compare(a: str, b: str, profile: str | None, n: int | None, show_noise: bool, form: str) -> None:
    """Compare two HTML files: how alike are they in style, and in text?

    Style is what is left of the HTML without letters and digits: its noise. Exact figures count the n-grams
    of that noise; estimates are what the fingerprints of a run would say. Structure compares each four
    consecutive tags with the names of their attributes and classes. Text similarity is the share of phrases
    (5 words in a row) that both visible texts have; the ssdeep score compares the texts by their digests.

    \b
    Examples:
      pagekin compare a.html b.html
      pagekin compare a.html b.html --show-noise
      pagekin compare a.html b.html --format jsonl
    """
    from pagekin.cli.pipes import say_pipes
    from pagekin.cli.tables import write_rows
    from pagekin.params import Params
    from pagekin.query.single import page_bytes, style_similarity, text, text_similarity

    say_pipes([a, b])
    pages = page_bytes(a), page_bytes(b)
    params = Params.of(profile or "default")
    style = (params.replace("style", n=n) if n else params).style
    found = style_similarity(pages[0], pages[1], style)
    texts = text(pages[0]), text(pages[1])
    said = text_similarity(*texts, params.shingles)
    digests = _digests(texts)
    if form != "table":
        write_rows(_row(a, b, found, said, digests), form, sys.stdout.buffer)
        return
    _say_style(found, style.n)
    _say_text(texts, said, digests)
    if show_noise:
        _show_noise(a, b, pages, style.n, style.content)


def _say_style(found: StyleSimilarity, n: int) -> None:
    click.echo("style")
    _say("n-grams", f"{found.grams_a:,}", f"{found.grams_b:,}", f"distinct, of {n} characters of noise")
    _say("Jaccard", f"{found.jaccard:.4f}", "", "exact")
    if found.filled:
        _say("", f"{found.estimated_jaccard:.4f}", f"± {found.standard_error:.4f}", "by fingerprints")
    _say("Dice", f"{found.dice:.4f}", "", "exact")
    if found.filled:
        _say("", f"{found.estimated_dice:.4f}", "", "by fingerprints")
    else:
        _say("fingerprints", "-", "", "no dimension is filled: nothing can be estimated")
    _say("dimensions", f"{found.matching}", "", f"of {found.filled} filled (Sim_b {found.sim_b:.4f})")
    if found.structure is not None:
        _say("structure", f"{found.structure:.4f}", "", "by fingerprints")
    _say("linked", "yes" if found.linked else "no", "", "by the thresholds of a scan")
    if found.caution:
        click.echo(f"  {found.caution}")


def _say_text(texts: tuple[str, str], found: TextSimilarity, digests: tuple[str, str]) -> None:
    from pagekin.params import FuzzyParams
    from pagekin.query.digests import digest_length, ssdeep_score, ssdeep_why

    click.echo("text")
    _say("phrases", f"{found.phrases_a:,}", f"{found.phrases_b:,}", f"distinct, of {found.k} words")
    _say("Jaccard", f"{found.jaccard:.4f}", "", "exact")
    if found.estimated_jaccard is not None:
        _say("", f"{found.estimated_jaccard:.4f}", "", "by shingles")
    why = "the texts are the same" if texts[0] == texts[1] else ssdeep_why(*digests)
    if why is None and min(map(digest_length, digests)) < FuzzyParams().min_length:
        why = "of 100, but such short digests say nothing: no near duplicates"
    _say("ssdeep", str(ssdeep_score(*digests)), "", why or "of 100, by the texts' digests")
    for digest in digests:
        click.echo(f"  {digest}")


def _say(what: str, value: str, other: str, note: str) -> None:
    click.echo(f"  {what:<12} {value:>8}  {other:>8}  {note}")


def _digests(texts: tuple[str, str]) -> tuple[str, str]:
    from pagekin.query.digests import ssdeep

    return ssdeep(texts[0]), ssdeep(texts[1])


def _row(a: str, b: str, style: StyleSimilarity, said: TextSimilarity, digests: tuple[str, str]) -> Rows:
    """All figures in one row, for programs."""
    from dataclasses import asdict

    from pagekin.cli.tables import table_of
    from pagekin.query.digests import ssdeep_score

    values = {f"style_{name}": value for name, value in asdict(style).items() if name != "caution"}
    values |= {f"text_{name}": value for name, value in asdict(said).items() if name != "k"}
    score = ssdeep_score(*digests)
    row = {"a": a, "b": b, **values, "ssdeep_score": score, "ssdeep_a": digests[0], "ssdeep_b": digests[1]}
    # Figures that may be missing are similarities.
    types = {name: "float" if value is None else type(value).__name__ for name, value in row.items()}
    return table_of([row], types)


def _show_noise(a: str, b: str, pages: tuple[bytes, bytes], n: int, content: bool) -> None:
    from pagekin import _core
    from pagekin.cli.tables import clean

    html = [_core.decode(page)[0] for page in pages]
    for path, own, other in ((a, html[0], html[1]), (b, html[1], html[0])):
        noise = _core.noise(own, content)
        click.echo(f"\n{clean(path)}: shared runs are between ⟦ and ⟧")
        at = 0
        for begin, end in _core.shared_spans(own, other, n, content):
            click.echo(_visible(noise[at:begin]), nl=False)
            click.echo("⟦" + click.style(_visible(noise[begin:end]), reverse=True) + "⟧", nl=False)
            at = end
        click.echo(_visible(noise[at:]))


def _visible(noise: str) -> str:
    """Control characters must not reach the terminal; line breaks are part of the noise."""
    from pagekin.cli.tables import clean

    return "\n".join(clean(line) for line in noise.split("\n"))
