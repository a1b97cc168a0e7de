"""Template families: random skeletons, each the work of one imaginary author.

A family is text with two kinds of gaps. Gaps like `{{l4:2}}` (the fourth label, two words) are filled once
per site, gaps like `%(main)s` once per page. Sites that share a family therefore share its markup and
scripts and nothing else, and pages of a site differ in optional blocks, counts of items and attribute
values.
"""

from __future__ import annotations

from pagekin.synth.code import Coder, common_snippets
from pagekin.synth.markup import Attribute, Lines, Markup
from pagekin.synth.names import identifier
from pagekin.synth.rand import between, mix, pick, rng_for

_DOCTYPES = {
    "html5": ("<!DOCTYPE html>", "<!doctype html>"),
    "div": (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"'
        ' "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
        "<!DOCTYPE html>",
    ),
    "table": ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">', ""),
}
# How the paths of URLs look: {s} section, {n} number, {w} words joined, {y} {m} year and month.
URL_PATHS = (
    "/{s}/{w}.html",
    "/{y}/{m:02d}/{w}/",
    "/index.php?id={n}",
    "/{s}/article/{n}",
    "/{s}/{n}-{w}",
    "/node{n}.shtml",
    "/view.php?cat={s}&id={n}",
)
OPTIONAL_BLOCKS = 3
OWN_FAMILIES = 120_000  # families from here on belong to one site and its mirrors
KIN_EVERY = (
    6  # every so many families one shares its head with the one before: the same software, another theme
)


class TemplateFamily:
    """One template family; everything in it comes from (seed, number)."""

    def __init__(self, seed: int, number: int) -> None:
        rng = rng_for(seed, "family", number)
        self.rng = rng
        self.id = f"t{number:04d}"
        self.markup = m = Markup(rng)
        self.coder = Coder(rng)
        self.labels = 0
        self.url_path = pick(rng, URL_PATHS)
        version = f"{between(rng, 1, 7)}.{between(rng, 0, 9)}"
        self.generator = f"{identifier(rng, 3).capitalize()} {version}" if rng.random() < 0.4 else None
        self.snippets = common_snippets(seed)
        # Two writings of the head: what stands in it changes its order when an author adds a plug-in.
        head = self._head()
        self.heads = [m.text(lines) for lines in (head, [*head[:2], *rng.sample(head[2:], len(head) - 2)])]
        if number % KIN_EVERY == KIN_EVERY - 1 and number < OWN_FAMILIES:
            kin = TemplateFamily(seed, number - 1)
            self.heads, self.generator = kin.heads, kin.generator
        self.page = self._page(self._body())
        self.article = m.text(self._article())
        self.listing = m.text(self._listing())
        self.product = m.text(self._product())
        self.optional = tuple(m.text(self._optional()) for _ in range(OPTIONAL_BLOCKS))
        self.widget = m.text(self._widget())
        paragraph = m.open("p", plain=rng.random() < 0.7)
        self.paragraph = (paragraph, m.close("p") + ("" if m.minified else m.eol))
        self.subhead = m.text([m.inline(pick(rng, ("h2", "h3", "h4")), "%s")])
        self.nav_item = m.text(self._item("li", self._link("/%s/", "%s")))
        self.widget_item = m.text(self._item("li", self._link("%s", "%s")))
        self.list_item = m.text(self._list_item())
        self.related_item = m.text(self._item("li", self._link("%s", "%s"), m.inline("span", "%s")))
        self.tag_item = self._link("/tag/%s", "%s", rel="tag") + pick(rng, (" ", ", ", " | ", ""))
        self.crumb = self._link("/%s/", "%s") + pick(rng, (" &gt; ", " &raquo; ", " / ", " :: "))
        self.comment = m.text(self._comment())
        self.figure = m.text(self._figure())
        self.row = m.text(m.wrap([m.inline("td", "%s"), m.inline("td", "%s")], "tr"))
        self.printed = m.text(self._print())
        self.emphasis = pick(rng, (("b", "i"), ("strong", "em"), ("em", "b")))

    def _label(self, words: int = 1) -> str:
        self.labels += 1
        return f"{{{{l{self.labels}:{words}}}}}"

    def _link(self, href: str, content: str, **more: str) -> str:
        return self.markup.inline("a", content, ("href", href), *more.items(), plain=self.rng.random() < 0.5)

    def _item(self, tag: str, *lines: str) -> Lines:
        return self.markup.wrap(list(lines), tag, plain=self.rng.random() < 0.4)

    def _script(self, lines: Lines) -> Lines:
        rng, m = self.rng, self.markup
        pairs: list[Attribute] = [] if m.era == "html5" else [("type", "text/javascript")]
        if rng.random() < 0.3 and not m.minified:
            lines = [pick(rng, ("//<![CDATA[", "<!--")), *lines, pick(rng, ("//]]>", "// -->"))]
        if m.minified:  # one line without line comments
            return [m.open("script", *pairs, plain=True) + "".join(lines) + m.close("script")]
        return m.wrap(lines, "script", *pairs, plain=True)

    def _page(self, body: Lines) -> str:
        m = self.markup
        pairs: list[Attribute] = [("lang", "{{lang}}")]
        if m.xhtml:
            pairs = [("xmlns", "http://www.w3.org/1999/xhtml"), ("xml:lang", "{{lang}}"), ("dir", "{{dir}}")]
        doctype = pick(self.rng, _DOCTYPES[m.era])
        lines = m.wrap(m.wrap(["%(head)s"], "head", plain=True) + body, "html", *pairs, plain=True)
        return m.text([doctype, *lines] if doctype else lines)

    def _head(self) -> Lines:
        """Entries of the head, which may come in any order."""
        m, rng = self.markup, self.rng
        lines = ["%(charset)s", m.inline("title", "%(title)s {{sep}} {{name}}", plain=True)]
        lines.append(m.single("meta", ("name", "description"), ("content", "%(about)s")))
        if m.era == "html5":
            lines.append(
                m.single("meta", ("name", "viewport"), ("content", "width=device-width, initial-scale=1"))
            )
            for key in rng.sample(
                ("title", "url", "image", "type", "site_name", "locale"), between(rng, 2, 4)
            ):
                value = {"title": "%(title)s", "url": "%(url)s"}.get(key, f"{{{{name}}}} {key}")
                lines.append(m.single("meta", ("property", f"og:{key}"), ("content", value)))
        else:
            lines.append(m.single("meta", ("name", "keywords"), ("content", "%(keywords)s")))
        if self.generator:
            lines.append(m.single("meta", ("name", "generator"), ("content", self.generator)))
        for _ in range(between(rng, 1, 3)):
            href = f"/{identifier(rng)}/{m.name()}.css?v={between(rng, 1, 99)}"
            lines.append(m.single("link", ("rel", "stylesheet"), ("href", href), ("media", "screen")))
        if rng.random() < 0.5:
            lines.append(m.single("link", ("rel", "canonical"), ("href", "%(url)s")))
        if rng.random() < 0.5:
            sheet = m.wrap(self.coder.sheet(between(rng, 4, 9)), "style", ("type", "text/css"), plain=True)
            lines.append(m.text(sheet).rstrip())
        for _ in range(between(rng, 0, 2)):
            lines.append(
                m.inline("script", "", ("src", f"//cdn.{identifier(rng)}.example/{m.name()}.js"), plain=True)
            )
        code = self.coder.script(between(rng, 2, 4))
        code.append(f"var {identifier(rng)} = {{id: '%(token)s', at: %(number)s, tags: [%(numbers)s]}};")
        return [*lines, m.text(self._script(code)).rstrip()]

    def _body(self) -> Lines:
        m, rng = self.markup, self.rng
        top = [m.inline("h1" if rng.random() < 0.2 else "div", self._link("/", "{{name}}"))]
        top.append(m.single("img", ("src", "/{{short}}/logo.png"), ("alt", "{{name}}"), ("width", "180")))
        if rng.random() < 0.6:
            top.append(m.inline("p", self._label(between(rng, 3, 6))))
        if rng.random() < 0.6:
            top += self._search()
        lines = m.wrap(m.nest(top), "header")
        lines += ["%(optional0)s", *m.wrap(m.wrap(["{{nav}}"], "ul"), "nav"), "%(crumbs)s"]
        main = m.nest(["%(optional1)s", "%(main)s"])
        side = m.nest(["%(side)s", "%(optional2)s"])
        blocks = [m.wrap(main, "main"), m.wrap(side, "aside")]
        if rng.random() < 0.4:
            blocks.reverse()
        lines += m.columns(blocks)
        lines += m.wrap(self._footer(), "footer")
        if rng.random() < 0.5:
            lines += self._script(pick(rng, self.snippets))
        lines += self._script(self.coder.script(between(rng, 1, 3)))
        return m.wrap(m.nest(lines), "body")

    def _search(self) -> Lines:
        m, rng = self.markup, self.rng
        fields = [
            m.single(
                "input", ("type", "text"), ("name", "q"), ("value", ""), ("size", str(between(rng, 10, 30)))
            ),
            m.single("input", ("type", "submit"), ("value", self._label())),
            m.single("input", ("type", "hidden"), ("name", m.name()), ("value", "%(token)s")),
        ]
        return m.wrap(fields[: between(rng, 2, 3)], "form", ("action", "/search"), ("method", "get"))

    def _footer(self) -> Lines:
        m, rng = self.markup, self.rng
        columns = []
        for _ in range(between(rng, 1, 2)):
            items: Lines = []
            for _ in range(between(rng, 2, 4)):
                items += self._item(
                    "li", self._link(f"/{identifier(rng)}/{m.name()}", self._label(between(rng, 1, 2)))
                )
            columns.append([m.inline(pick(rng, ("h4", "b", "div")), self._label()), *m.wrap(items, "ul")])
        lines = m.columns(columns) if len(columns) > 1 else columns[0]
        return [
            *lines,
            m.inline("p", f"&copy; {{{{year}}}} {{{{name}}}}. {self._label(between(rng, 2, 5))} %(back)s"),
        ]

    def _article(self) -> Lines:
        m, rng = self.markup, self.rng
        lines = [m.inline(pick(rng, ("h1", "h2")), "%(title)s")]
        byline = f"{self._label()} {m.inline('span', '%(author)s')}, {m.inline('span', '%(date)s')}"
        lines += m.wrap([byline], pick(rng, ("p", "div")))
        if rng.random() < 0.4:
            share = [
                self._link(f"http://{identifier(rng)}.example/share?u=%(url)s", self._label())
                for _ in range(3)
            ]
            lines += m.wrap(share, "div")
        lines += m.nest(["%(body)s"])
        lines += m.wrap(["%(tags)s"], "div")
        lines += [m.inline("h3", self._label()), *m.wrap(["%(related)s"], "ul"), "%(comments)s"]
        return m.wrap(m.nest(lines), "article")

    def _listing(self) -> Lines:
        m = self.markup
        lines = [m.inline("h1", "%(title)s"), *m.wrap(["%(items)s"], pick(self.rng, ("div", "section")))]
        return m.wrap([*lines, *m.wrap(["%(pager)s"], "div")], "article")

    def _product(self) -> Lines:
        m = self.markup
        buy = [m.inline("b", "%(price)s"), m.single("input", ("type", "submit"), ("value", self._label(2)))]
        table = m.wrap(["%(rows)s"], "table")
        lines = [m.inline("h1", "%(title)s"), "%(figure)s", *table]
        lines += m.wrap(buy, "form", ("action", "/cart"), ("method", "post"))
        return m.wrap([*lines, *m.nest(["%(body)s"])], "article")

    def _list_item(self) -> Lines:
        m = self.markup
        link = self._link("%s", "%s")
        return m.wrap(
            [m.inline(pick(self.rng, ("h2", "h3", "b")), link), "%s", "%s"],
            pick(self.rng, ("div", "article")),
        )

    def _comment(self) -> Lines:
        m, rng = self.markup, self.rng
        avatar = m.single("img", ("src", "/avatars/%s.gif"), ("width", "32"), ("height", "32"))
        lines = [avatar, m.inline("b", "%s"), m.inline("small", "%s"), *m.wrap(["%s"], "div")]
        return m.wrap(m.nest(lines) if rng.random() < 0.3 else lines, pick(rng, ("li", "div")))

    def _figure(self) -> Lines:
        m, rng = self.markup, self.rng
        image = m.single("img", ("src", "/media/%s.jpg"), ("alt", ""), ("width", str(between(rng, 200, 800))))
        return m.wrap([image, m.inline("small", "%s")], "figure")

    def _widget(self) -> Lines:
        m, rng = self.markup, self.rng
        return m.wrap([m.inline(pick(rng, ("h3", "h4", "strong")), "%s"), *m.wrap(["%s"], "ul")], "section")

    def _optional(self) -> Lines:
        """A block that some pages have and others do not: a notice, an advertisement, a form."""
        m, rng = self.markup, self.rng
        kind = between(rng, 0, 3)
        if kind == 0:
            return self._script(pick(rng, self.snippets))
        if kind == 1:
            return m.wrap(m.nest([m.inline("p", self._label(between(rng, 3, 7)))]), "div")
        if kind == 2:
            field = m.single("input", ("type", "email"), ("name", "mail"), ("placeholder", self._label()))
            button = m.inline("button", self._label(), ("type", "submit"))
            return m.wrap([m.inline("p", self._label(3)), field, button], "form", ("action", "/subscribe"))
        image = m.single("img", ("src", f"http://ads.{identifier(rng)}.example/b.gif"), ("width", "468"))
        return m.wrap(
            [self._link(f"http://ads.{identifier(rng)}.example/?c={between(rng, 1, 999)}", image)], "div"
        )

    def _print(self) -> Lines:
        """The same article for the printer: next to no markup."""
        m = self.markup
        head = [
            "%(charset)s",
            m.inline("title", "%(title)s", plain=True),
            *m.wrap(self.coder.sheet(10), "style", plain=True),
        ]
        body = [
            m.inline("h1", "%(title)s"),
            m.inline("p", "%(author)s, %(date)s"),
            "%(body)s",
            m.single("hr"),
        ]
        body += [m.inline("p", "%(url)s")]
        lines = m.wrap(head, "head", plain=True) + m.wrap(
            body, "body", ("onload", "window.print()"), plain=True
        )
        return m.wrap(lines, "html", plain=True)


def family_count(pages: int) -> int:
    """How many families a web of so many pages has: dozens, and more the larger it is."""
    return 10 + int(0.8 * pages**0.5)


def family_number(seed: int, ordinal: int, pages: int) -> int:
    """Which family the ordinal-th content site uses: each one once, then popular ones more often."""
    count = family_count(pages)
    return ordinal if ordinal < count else int(count * (mix(seed, "theme", ordinal) / 2**64) ** 2.5)
