"""A made-up web with known truth: a WARC file to scan, and a table that says what was planted in it.

    >>> from pagekin.synth import write_web
    >>> summary = write_web("web.warc.gz", pages=2000, seed=1)  # doctest: +SKIP
    >>> summary.truth  # doctest: +SKIP
    PosixPath('web.truth.parquet')

The same pages and seed give the same bytes (compressed ones as far as zlib is the same). Domains, IP
addresses and languages are reserved or made up. How it hangs together, left to right:

    languages → vocabulary → prose ┐
    names, markup, code → skeleton ┴→ site → content, engines, farms, copies, quilts, cms → plan → warc, truth

`plan.KINDS` says how much of what there is; webs of 300 pages or more have all of it. The truth table has one
row per page (each response of status 200 and type text/html), in file order; what does not apply is null:

    url, site, domain, ip     where the page is: URL, host, registered domain, IP address
    kind                      article, index, product, blog_post, blog_home, forum, directory, parked,
                              server_default, cms_view, mirror, near_duplicate, copy_paste, farm, slice_dice,
                              quilt, quoting, aggregator, broken, tiny, empty
    template                  template family; null where no template made the page
    generator                 what the page's generator meta says
    farm                      link farm (kind farm) or slice-and-dice farm (kind slice_dice)
    mirror_group, mirror_of   a mirrored site, original and copies; URL of the original (null on it)
    copy_group, copy_kind     pages that paste the same licence, frameset or script and differ otherwise
    near_group                a document and its edited copies
    near_edit_rate            share of the document's words that were replaced; 0 on the original
    near_mode                 copies stand on the same_site, on domains of the same_chrome, or are reframed
    cms_unique, cms_view      URL of the document or list that is shown, and by what view: canonical,
                              session, print, list, sort, calendar, pagination, tag
    quilt_sources             list of (url, share, attributed): pages whose passages it holds, their shares of
                              all words taken, and whether it links to them. On quilts, quoting pages and
                              aggregators (foreign sources; each passage occurs in its source, here, and
                              nowhere else) and on blog home pages (own posts)
    quilt_fraction            words taken among the words of the page's main part
    damage                    what is broken
    language, charset         made-up language and script; charset of the bytes
    charset_declared          where the charset is declared: http, meta, both, bom, none
    body_words                words of the main part (before damage), where they were counted

Two things to know when measuring with it. Pages of slice_dice farms are quilts by definition, though of no
particular sources. And with words of one character (Thai, kana) a few short pages share most of their 5-word
phrases by chance.
"""

from __future__ import annotations

from pagekin.synth.write import SynthSummary, truth_path, write_web

__all__ = ["SynthSummary", "truth_path", "write_web"]
