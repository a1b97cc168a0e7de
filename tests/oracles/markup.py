"""Tags and text: the HTML standard's tokenizer, one state a method, one character a step.

Simpler than the standard, with the same tokens in the end: comments and doctypes leave no token, states that
only report errors are left out, and an end tag that ends a raw element is looked for in one look. Where the
standard's tree builder switches the tokenizer (for `script`, `title` and so on), the tag's name does it.
Line ends and NUL in text are left as they are: nothing after this tells CR from LF, or NUL from a space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_letters, ascii_uppercase

from oracles.references import reference

WHITE_SPACE = frozenset("\t\n\f\r ")
NAME_ENDS = WHITE_SPACE | frozenset("/>")
# Sets, not strings: `"" in "abc"` is true, and "" is what stands for the end of the page.
LETTERS = frozenset(ascii_letters)
UPPER = frozenset(ascii_uppercase)

RAW_TEXT = frozenset(["style", "iframe", "noembed", "noframes", "noscript", "xmp"])
TEXT_WITH_REFERENCES = frozenset(["title", "textarea"])


@dataclass(frozen=True)
class StartTag:
    name: str
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class EndTag:
    name: str


@dataclass(frozen=True)
class Text:
    """A few characters, references decoded. Adjacent ones are not joined."""

    data: str


Token = StartTag | EndTag | Text


def tokens(html: str) -> list[Token]:
    """Every tag and every piece of text, also the text inside `script` and its like."""
    tokenizer = _Tokenizer(html)
    while not tokenizer.finished:
        tokenizer.state()
    return tokenizer.tokens


def lower(text: str) -> str:
    """ASCII lower case: `str.lower` would turn the Kelvin sign into a k."""
    return "".join(char.lower() if char in UPPER else char for char in text)


class _Tokenizer:
    def __init__(self, html: str) -> None:
        self.html = html
        self.at = 0
        self.tokens: list[Token] = []
        self.finished = False
        self.state: Callable[[], None] = self.data
        # The tag under way, and its attributes as [name, value] in the order written.
        self.is_end = False
        self.name = ""
        self.attributes: list[list[str]] = []
        self.quote = ""
        # The last start tag: what an end tag must be called to end an element whose content is raw.
        self.raw_name = ""

    # Steps that the states share

    def next(self) -> str:
        """The next character, "" at the end of the page."""
        char = self.html[self.at : self.at + 1]
        self.at += 1
        return char

    def again(self, state: Callable[[], None]) -> None:
        """Go to a state that sees the same character once more ("reconsume" in the standard)."""
        self.at -= 1
        self.state = state

    def finish(self) -> None:
        self.finished = True

    def text(self, data: str) -> None:
        self.tokens.append(Text(data))

    def begin_tag(self, *, is_end: bool, name: str = "") -> None:
        self.is_end, self.name, self.attributes = is_end, name, []

    def begin_attribute(self, name: str = "") -> None:
        self.attributes.append([name, ""])

    def emit_tag(self) -> None:
        self.state = self.data
        if self.is_end:
            self.tokens.append(EndTag(self.name))
            return
        first: dict[str, str] = {}
        for name, value in self.attributes:
            first.setdefault(name, value)
        self.tokens.append(StartTag(self.name, first))
        self.raw_name = self.name
        if self.name in TEXT_WITH_REFERENCES:
            self.state = self.text_with_references
        elif self.name in RAW_TEXT:
            self.state = self.raw_text
        elif self.name == "script":
            self.state = self.script
        elif self.name == "plaintext":
            self.state = self.plaintext

    def reference(self, *, in_attribute: bool) -> str:
        """What the `&` just read stands for; reads on over all of it."""
        found, self.at = reference(self.html, self.at, in_attribute=in_attribute)
        return found

    # Text and the beginnings of tags

    def data(self) -> None:
        char = self.next()
        if char == "":
            self.finish()
        elif char == "&":
            self.text(self.reference(in_attribute=False))
        elif char == "<":
            self.state = self.tag_open
        else:
            self.text(char)

    def tag_open(self) -> None:
        char = self.next()
        if char == "!":
            self.state = self.markup_declaration
        elif char == "/":
            self.state = self.end_tag_open
        elif char == "?":
            self.again(self.bogus_comment)
        elif char in LETTERS:
            self.begin_tag(is_end=False)
            self.again(self.tag_name)
        else:
            self.text("<")
            self.again(self.data)

    def end_tag_open(self) -> None:
        char = self.next()
        if char in LETTERS:
            self.begin_tag(is_end=True)
            self.again(self.tag_name)
        elif char == ">":
            self.state = self.data
        elif char == "":
            self.text("</")
            self.again(self.data)
        else:
            self.again(self.bogus_comment)

    # Inside a tag. The end of the page drops the tag in every one of these states.

    def tag_name(self) -> None:
        char = self.next()
        if char == "":
            self.finish()
        elif char in NAME_ENDS:
            self.leave_name(char)
        else:
            self.name += "\ufffd" if char == "\0" else lower(char)

    def leave_name(self, char: str) -> None:
        if char == ">":
            self.emit_tag()
        else:
            self.state = self.before_attribute_name

    def before_attribute_name(self) -> None:
        """A slash is white space here: that it may close the tag means nothing to us."""
        char = self.next()
        if char in WHITE_SPACE or char == "/":
            return
        if char in {">", ""}:
            self.again(self.after_attribute_name)
        elif char == "=":
            # A name may begin with an equals sign, so `<a =b>` has an attribute "=b".
            self.begin_attribute("=")
            self.state = self.attribute_name
        else:
            self.begin_attribute()
            self.again(self.attribute_name)

    def attribute_name(self) -> None:
        char = self.next()
        if char == "" or char in NAME_ENDS:
            self.again(self.after_attribute_name)
        elif char == "=":
            self.state = self.before_attribute_value
        else:
            self.attributes[-1][0] += "\ufffd" if char == "\0" else lower(char)

    def after_attribute_name(self) -> None:
        char = self.next()
        if char in WHITE_SPACE:
            return
        if char == "":
            self.finish()
        elif char == "/":
            self.state = self.before_attribute_name
        elif char == "=":
            self.state = self.before_attribute_value
        elif char == ">":
            self.emit_tag()
        else:
            self.begin_attribute()
            self.again(self.attribute_name)

    def before_attribute_value(self) -> None:
        char = self.next()
        if char in WHITE_SPACE:
            return
        if char in {'"', "'"}:
            self.quote, self.state = char, self.quoted_value
        elif char == ">":
            self.emit_tag()
        else:
            self.again(self.bare_value)

    def quoted_value(self) -> None:
        char = self.next()
        if char == "":
            self.finish()
        elif char == self.quote:
            self.state = self.after_quoted_value
        else:
            self.add_to_value(char)

    def bare_value(self) -> None:
        char = self.next()
        if char == "":
            self.finish()
        elif char in WHITE_SPACE:
            self.state = self.before_attribute_name
        elif char == ">":
            self.emit_tag()
        else:
            self.add_to_value(char)

    def add_to_value(self, char: str) -> None:
        if char == "&":
            char = self.reference(in_attribute=True)
        self.attributes[-1][1] += "\ufffd" if char == "\0" else char

    def after_quoted_value(self) -> None:
        char = self.next()
        if char == "":
            self.finish()
        elif char in NAME_ENDS:
            self.leave_name(char)
        else:
            self.again(self.before_attribute_name)

    # Comments. The standard's states for `<!` inside a comment only report errors: the end stays where it is.

    def markup_declaration(self) -> None:
        if self.html.startswith("--", self.at):
            self.at += 2
            self.state = self.comment_start
        else:
            self.state = self.bogus_comment

    def bogus_comment(self) -> None:
        """Doctypes too: a `>` ends them even inside their quotes. And CDATA, since this is not XML."""
        self.step({"": self.finish, ">": self.data}, self.bogus_comment)

    def comment_start(self) -> None:
        self.step({"-": self.comment_start_dash, ">": self.data}, self.comment)

    def comment_start_dash(self) -> None:
        self.step({"-": self.comment_end, ">": self.data}, self.comment)

    def comment(self) -> None:
        self.step({"-": self.comment_end_dash, "": self.finish}, self.comment)

    def comment_end_dash(self) -> None:
        self.step({"-": self.comment_end}, self.comment)

    def comment_end(self) -> None:
        ends = {">": self.data, "!": self.comment_end_bang, "-": self.comment_end}
        self.step(ends, self.comment)

    def comment_end_bang(self) -> None:
        self.step({">": self.data, "-": self.comment_end_dash}, self.comment)

    def step(self, where: dict[str, Callable[[], None]], otherwise: Callable[[], None]) -> None:
        """Read one character and go where the table says."""
        self.state = where.get(self.next(), otherwise)

    # Elements whose content is not cut into tags

    def at_tag(self, opening: str) -> bool:
        """Whether `<name` or `</name` stands here, in any case, and the name ends there."""
        end = self.at + len(opening)
        return lower(self.html[self.at : end]) == opening and self.html[end : end + 1] in NAME_ENDS

    def raw_end_tag(self) -> None:
        self.at += len("</" + self.raw_name)
        self.begin_tag(is_end=True, name=self.raw_name)
        self.leave_name(self.next())

    def raw_text(self) -> None:
        if self.at_tag("</" + self.raw_name):
            self.raw_end_tag()
        else:
            self.plaintext()

    def text_with_references(self) -> None:
        if self.html.startswith("&", self.at):
            self.at += 1
            self.text(self.reference(in_attribute=False))
        else:
            self.raw_text()

    def plaintext(self) -> None:
        char = self.next()
        if char == "":
            self.finish()
        else:
            self.text(char)

    # A script may hide from old browsers in `<!--` and `-->`, and a hidden script may write another one:
    # in `<script><!-- write("<script></script>") --></script>` the last tag is the end. The standard calls
    # these states "script data", "script data escaped" and "script data double escaped".

    def script(self) -> None:
        if self.html.startswith("<!--", self.at):
            self.take("<!", self.hidden_script)  # the dashes may be those of `-->`: `<!-->` hides nothing
        else:
            self.raw_text()

    def hidden_script(self) -> None:
        if self.html.startswith("-->", self.at):
            self.take("-->", self.script)
        elif self.at_tag("<script"):
            self.take("<script?", self.inner_script)
        else:
            self.raw_text()

    def inner_script(self) -> None:
        if self.html.startswith("-->", self.at):
            self.take("-->", self.script)
        elif self.at_tag("</script"):
            self.take("</script?", self.hidden_script)
        else:
            self.plaintext()

    def take(self, shape: str, state: Callable[[], None]) -> None:
        """Script text as long as `shape`, then another state."""
        self.text(self.html[self.at : self.at + len(shape)])
        self.at += len(shape)
        self.state = state
