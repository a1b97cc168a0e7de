"""Made-up scripts and style sheets: they do nothing, but they look like it.

Inline code is the densest noise of a page: brackets, quotes, semicolons. Every template has code of its
own, and a few snippets (counters, advertisements) are the same in many templates, as on the real web.
"""

from __future__ import annotations

from random import Random

from pagekin.synth.markup import Lines
from pagekin.synth.names import identifier
from pagekin.synth.rand import between, pick, rng_for

_EVENTS = ("load", "click", "resize", "scroll", "submit")
_PROPERTIES = (
    ("color", "#{0:06x}"),
    ("background", "#{1:03x} url(/i/{2}.gif) repeat-x"),
    ("margin", "0 {1}px 0 {1}px"),
    ("padding", "{1}px"),
    ("font", "bold {1}px/1.4 {2}, sans-serif"),
    ("float", "left"),
    ("width", "{1}em"),
    ("border-bottom", "1px solid #{0:06x}"),
    ("display", "inline-block"),
    ("position", "relative"),
    ("text-shadow", "0 1px 0 rgba({1},{1},{1},.5)"),
    ("transition", "all .{1}s ease-in-out"),
    ("z-index", "{1}"),
)


class Coder:
    """Writes code in one person's manner."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.quote = pick(rng, ("'", '"'))
        self.space = pick(rng, (" ", ""))
        self.semi = pick(rng, (";", ";", ""))
        self.indent = pick(rng, ("  ", "\t", "    "))
        self.library = pick(rng, ("$", "jQuery", identifier(rng).upper(), "window." + identifier(rng)))

    def script(self, statements: int) -> Lines:
        """Some statements, on as many lines or more."""
        lines: Lines = []
        for _ in range(statements):
            lines += self._statement(0)
        return lines

    def sheet(self, rules: int) -> Lines:
        rng, space = self.rng, self.space
        lines: Lines = []
        multiline = rng.random() < 0.4
        for _ in range(rules):
            selectors = [self._selector() for _ in range(between(rng, 1, 3))]
            declarations = []
            for key, value in rng.sample(_PROPERTIES, between(rng, 1, 4)):
                text = value.format(rng.getrandbits(24), between(rng, 1, 40), identifier(rng))
                declarations.append(f"{key}:{space}{text};")
            head = f",{space}".join(selectors) + space + "{"
            if multiline:
                lines += [head, *(self.indent + declaration for declaration in declarations), "}"]
            else:
                lines.append(head + space + space.join(declarations) + space + "}")
        return lines

    def _selector(self) -> str:
        rng = self.rng
        head = pick(rng, ("#", ".", "a.", "div#", "ul ", "td.", "h2 + ", "li > ")) + identifier(rng)
        return head + pick(rng, ("", "", ":hover", " a", "::before", " li:first-child", "[rel]"))

    def _value(self, depth: int = 0) -> str:
        rng, quote = self.rng, self.quote
        kind = between(rng, 0, 5 if depth < 2 else 2)
        if kind == 0:
            return str(between(rng, 0, 999))
        if kind == 1:
            return f"{quote}{identifier(rng)}{pick(rng, ('', '/', '#', '.js', '?x=1'))}{quote}"
        if kind == 2:
            return pick(rng, ("null", "true", "!0", "this", "{}", "[]", identifier(rng)))
        if kind == 3:
            items = [self._value(depth + 1) for _ in range(between(rng, 1, 3))]
            return "[" + f",{self.space}".join(items) + "]"
        if kind == 4:
            items = [
                f"{identifier(rng)}:{self.space}{self._value(depth + 1)}" for _ in range(between(rng, 1, 3))
            ]
            return "{" + self.space + f",{self.space}".join(items) + self.space + "}"
        return f"{identifier(rng)}.{identifier(rng)}({self._value(depth + 1)})"

    def _statement(self, depth: int) -> Lines:
        rng, sp, semi, quote = self.rng, self.space, self.semi, self.quote
        kind = between(rng, 0, 6 if depth < 2 else 3)
        if kind == 0:
            return [f"var {identifier(rng)}{sp}={sp}{self._value()}{semi}"]
        if kind == 1:
            return [f"{self.library}.{identifier(rng)}({self._value()},{sp}{self._value()}){semi}"]
        if kind == 2:
            return [
                f"{self.library}({quote}#{identifier(rng)}{quote}).{identifier(rng)}({self._value()}){semi}"
            ]
        if kind == 3:
            test = pick(rng, ("!{}", "typeof {} !== 'undefined'", "{} && window.{}", "{} > 0", "{}.length"))
            return [f"if{sp}({test.format(identifier(rng), identifier(rng))}){sp}{identifier(rng)}(){semi}"]
        body: Lines = []
        for _ in range(between(rng, 1, 3)):
            body += self._statement(depth + 1)
        body = [self.indent + line for line in body]
        if kind == 4:
            return [f"function {identifier(rng)}(a,{sp}b){sp}{{", *body, "}"]
        if kind == 5:
            event = pick(rng, _EVENTS)
            call = f"window.addEventListener({quote}{event}{quote},{sp}function{sp}(e){sp}{{"
            return [call, *body, "}, false)" + semi]
        return [f"(function({sp}d,{sp}w{sp}){sp}{{", *body, f"}})(document,{sp}window){semi}"]


def common_snippets(seed: int) -> list[Lines]:
    """Code that many templates paste in unchanged."""
    snippets = []
    for number in range(4):
        rng = rng_for(seed, "snippet", number)
        snippets.append(Coder(rng).script(between(rng, 4, 7)))
    return snippets
