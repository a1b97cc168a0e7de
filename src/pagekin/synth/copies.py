"""Copies: mirrors of whole sites, near-duplicates at graded edit rates, pages that share a pasted piece."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pagekin.synth.code import Coder
from pagekin.synth.markup import Lines, Markup
from pagekin.synth.names import identifier
from pagekin.synth.page import Page, page_of
from pagekin.synth.prose import document, edited, prose
from pagekin.synth.rand import between, pick
from pagekin.synth.site import Site
from pagekin.synth.skeleton import OWN_FAMILIES, family_count
from pagekin.synth.vocabulary import Vocabulary
from pagekin.synth.web import Unit, Web

EDIT_RATES = (0.005, 0.01, 0.02, 0.05, 0.10, 0.20, 0.35)
NEAR_MODES = ("same_site", "same_chrome", "reframed")
PASTED = ("licence", "frameset", "script")


def mirror_hosts(pages: int) -> int:
    """On how many hosts a mirrored site of so many pages (all copies counted) stands."""
    return max(1, min(5, pages // 4)) if pages < 20 else 2 + pages % 4


def mirror(web: Web, unit: Unit) -> Iterator[Page]:
    """A small site on several hosts: the same paths and pages, with a line that names the original."""
    # A family of its own: otherwise its cluster would also hold sites that only use the same template.
    number_of_family = OWN_FAMILIES + unit.number
    own = web.family(number_of_family)
    infos = [web.info(unit, n, family=number_of_family, made=own) for n in range(unit.sites)]
    original = infos[0]
    site = Site(web.seed, original, own)
    group = f"mirror{unit.number}"
    made = 0
    number = 0
    recent: list[tuple[str, str]] = []
    while made < unit.pages:
        url = original.url(web.seed, number)
        rng, doc = original.draft(web.seed, number)
        drawn = rng.getstate()
        for copy, info in enumerate(infos[: unit.pages - made]):
            rng.setstate(drawn)  # every copy draws the same
            here = url.replace(original.host, info.host, 1)
            back = ""
            if copy:
                said = site.words.label(web.rng(unit, "back", copy), 3)
                back = f'<br>{said}: <a href="http://{original.host}/">{original.host}</a>'
            body = site.body(rng, doc.paragraphs)
            html = site.article(rng, url, doc.title, body, recent[-5:], back=back)
            if copy and copy % 2 == 0:  # some mirrors rewrite absolute links, others do not
                html = html.replace(f"http://{original.host}/", f"http://{info.host}/")
            page = page_of(
                info, here, "mirror", html, **site.marks, mirror_group=group, body_words=doc.words,
                mirror_of=url if copy else None,
            )  # fmt: skip
            page.charset, page.declared, page.language = (
                original.charset,
                original.declared,
                original.language,
            )
            yield page
            made += 1
        recent = [*recent[-8:], (url, doc.title)]
        number += 1


def near_duplicates(web: Web, unit: Unit) -> Iterator[Page]:
    """One document and copies of it with 0.5 to 35% of the words replaced.

    The copies stand on the same site, on other domains that look and read the same around the document, or on
    other domains in a frame of their own.
    """
    mode = NEAR_MODES[unit.number % len(NEAR_MODES)]
    home = web.info(unit)
    site = web.site(home)
    group = f"near{unit.number}"
    rng = web.rng(unit)
    doc = document(rng, site.words, between(rng, 220, 550))
    for copy in range(unit.pages):
        info, frame = home, site
        if copy and mode != "same_site":
            other = (home.family + copy) % family_count(web.pages) if mode == "reframed" else home.family
            info = web.info(unit, copy, family=other)
            frame = web.site(info) if mode == "reframed" else site
        text, rate = edited(
            web.rng(unit, "edit", copy), site.words, doc, EDIT_RATES[copy - 1] if copy else 0.0
        )
        # Around the document everything is the same where the frame is: optional blocks, comments, all.
        page_rng = web.rng(unit, "page", copy if mode == "reframed" else 0)
        url = info.url(web.seed, copy)
        html = frame.article(page_rng, url, text.title, frame.body(page_rng, text.paragraphs), lean=True)
        page = page_of(
            info,
            url,
            "near_duplicate",
            html,
            **frame.marks,
            near_group=group,
            near_edit_rate=rate,
            near_mode=mode,
            body_words=text.words,
        )
        page.declared = frame.info.declared
        yield page


def copy_paste(web: Web, unit: Unit) -> Iterator[Page]:
    """Pages by different hands that paste the same licence, frameset or script, and little else."""
    pasted = PASTED[unit.number % len(PASTED)]
    words = web.words(unit.language)
    own = web.rng(unit, "own")
    piece = {"licence": _licence, "frameset": _frameset, "script": _script}[pasted](own, words)
    for number in range(unit.pages):
        rng = web.rng(unit, number)
        info = web.info(unit, number, declared="http")
        html = _one_off(rng, words, piece, pasted == "frameset")
        url = f"http://{info.host}/{identifier(rng)}.html"
        yield page_of(info, url, "copy_paste", html, copy_group=f"copy{unit.number}", copy_kind=pasted)


def _licence(rng: Random, words: Vocabulary) -> str:
    """Terms in numbered clauses, laid out by hand with blanks and rules as such texts are."""
    lines = [
        "",
        " " * between(rng, 8, 30) + words.label(rng, 4).upper(),
        " " * between(rng, 8, 30) + "=" * 30,
        "",
    ]
    for clause in range(1, between(rng, 7, 12)):
        tokens = [token for paragraph in prose(rng, words, between(rng, 25, 70)) for token in paragraph]
        lines.append(f'  {clause}. ({chr(96 + clause)}) "{words.label(rng, 2)}" -- {" ".join(tokens[:6])};')
        width = between(rng, 6, 10)
        for start in range(6, len(tokens), width):
            lines.append("       " + "  ".join(tokens[start : start + width]))
        lines.append("    " + pick(rng, ("*  *  *", "---", "[...]", "* * * * *", "/ / /", "~ ~")))
    return "<pre>\n" + "\n".join(lines) + "\n</pre>"


def _frameset(rng: Random, words: Vocabulary) -> str:
    """A frameset with its script and the page for browsers without frames."""
    code = "\n".join(Coder(rng).script(6))
    frames = "\n".join(
        f'  <frame src="{identifier(rng)}.htm" name="{identifier(rng)}"'
        f' scrolling="{pick(rng, ("no", "auto"))}" marginwidth="{rng.getrandbits(4)}" frameborder="0">'
        for _ in range(between(rng, 2, 4))
    )
    rows = f'<frameset rows="{between(rng, 40, 120)},*,{between(rng, 20, 60)}" border="0" framespacing="0">'
    text = " ".join([token for paragraph in prose(rng, words, 60) for token in paragraph])
    rest = f"<noframes><body>\n<p>{text}</p></body></noframes>"
    return f"<script>\n{code}\n</script>\n{rows}\n{frames}\n</frameset>\n{rest}"


def _script(rng: Random, words: Vocabulary) -> str:
    """A script that everybody passes on."""
    body = "\n".join(Coder(rng).script(40))
    return f'<script language="JavaScript">\n<!-- {words.label(rng, 5)}\n{body}\n//-->\n</script>'


def _one_off(rng: Random, words: Vocabulary, piece: str, frames: bool) -> str:
    """A page that nobody's template made, around a pasted piece."""
    m = Markup(rng)
    head = m.wrap([m.inline("title", words.label(rng, 3), plain=True)], "head", plain=True)
    if frames:
        return m.text(m.wrap([*head, piece], "html", plain=True))
    before: Lines = []
    for _ in range(between(rng, 1, 4)):
        before += m.wrap([m.inline(pick(rng, ("p", "b", "h2")), words.label(rng, between(rng, 2, 8)))], "div")
    after = m.nest([m.inline("a", words.label(rng, 2), ("href", f"/{identifier(rng)}.html"))])
    return m.text(m.wrap([*head, *m.wrap([*before, piece, *after], "body")], "html", plain=True))
