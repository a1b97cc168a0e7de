"""`pagekin compare`."""

from __future__ import annotations

from pathlib import Path

import click

from pagekin.cli.flags import profile_option


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
def compare(a: str, b: str, profile: str | None, n: int | None, show_noise: bool) -> None:
    """Compare two HTML files: one to one.

    The noise of a page is what is left of its HTML without letters and digits. Exact figures count the
    n-grams of that noise; the estimates are what the fingerprints of a run would say. Structure compares
    runs of four tags with the names of their attributes and classes. The ssdeep score compares the visible
    texts by their digests.

    \b
    Examples:
      pagekin compare a.html b.html
      pagekin compare a.html b.html --show-noise
    """
    from pagekin.params import Params
    from pagekin.query.single import style_similarity

    pages = _read(a), _read(b)
    params = Params.of(profile or "default")
    style = (params.replace("style", n=n) if n else params).style
    found = style_similarity(pages[0], pages[1], style)
    n = style.n
    click.echo(
        f"n-grams      {found.grams_a:>8,}  {found.grams_b:>8,}   distinct, of {n} characters of noise"
    )
    click.echo(f"Jaccard      {found.jaccard:>8.4f}            exact")
    if found.filled:
        click.echo(
            f"             {found.estimated_jaccard:>8.4f}  ± {found.standard_error:.4f}  by fingerprints"
        )
    click.echo(f"Dice         {found.dice:>8.4f}            exact")
    if found.filled:
        click.echo(f"             {found.estimated_dice:>8.4f}            by fingerprints")
    else:
        click.echo("fingerprints        -            no dimension is filled: nothing can be estimated")
    click.echo(
        f"dimensions   {found.matching:>8}  of {found.filled} filled in either page (Sim_b {found.sim_b:.4f})"
    )
    if found.structure is not None:
        click.echo(f"structure    {found.structure:>8.4f}            by fingerprints")
    click.echo(f"linked       {'yes' if found.linked else 'no':>8}            by the thresholds of a scan")
    if found.caution:
        click.echo(found.caution)
    _say_score(pages)
    if show_noise:
        _show_noise(a, b, pages, n, style.scripts)


def _say_score(pages: tuple[bytes, bytes]) -> None:
    from pagekin.params import FuzzyParams
    from pagekin.query.digests import digest_length, ssdeep, ssdeep_score, ssdeep_why
    from pagekin.query.single import text

    texts = text(pages[0]), text(pages[1])
    digests = ssdeep(texts[0]), ssdeep(texts[1])
    why = "the texts are the same" if texts[0] == texts[1] else ssdeep_why(*digests)
    if why is None and min(map(digest_length, digests)) < FuzzyParams().min_length:
        why = "of 100, but such short digests say nothing: no near duplicates"
    click.echo(
        f"ssdeep       {ssdeep_score(*digests):>8}            " + (why or "of 100, by the texts' digests")
    )
    for digest in digests:
        click.echo(f"             {digest}")


def _read(path: str) -> bytes:
    from pagekin.errors import InputError

    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _show_noise(a: str, b: str, pages: tuple[bytes, bytes], n: int, scripts: bool) -> None:
    from pagekin import _core
    from pagekin.cli.tables import clean

    html = [_core.decode(page)[0] for page in pages]
    for path, own, other in ((a, html[0], html[1]), (b, html[1], html[0])):
        noise = _core.noise(own, scripts)
        click.echo(f"\n{clean(path)}: shared runs are between ⟦ and ⟧")
        at = 0
        for begin, end in _core.shared_spans(own, other, n, scripts):
            click.echo(_visible(noise[at:begin]), nl=False)
            click.echo("⟦" + click.style(_visible(noise[begin:end]), reverse=True) + "⟧", nl=False)
            at = end
        click.echo(_visible(noise[at:]))


def _visible(noise: str) -> str:
    """Control characters must not reach the terminal; line breaks are part of the noise."""
    from pagekin.cli.tables import clean

    return "\n".join(clean(line) for line in noise.split("\n"))
