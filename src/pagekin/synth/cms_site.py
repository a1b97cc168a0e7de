"""CMS-like sites that answer requests: one document under many URLs, and a known number of unique pages.

`cms` writes such sites into a made-up web; these here are to be crawled. A site is a function from a URL
(path and query) to a `View`: what is shown, and where it links to. Nothing is stored, so a site may have
endlessly many URLs, as those with session ids and calendars do.

    sessions    a forum that puts a new session id into every link of every answer
    printer     a wiki with a print view and a large-print view of each page
    calendar    events, and a calendar that goes on for ever, mostly empty
    catalogue   a shop: lists sorted four ways, products linked with where one came from
    replies     a blog: a "reply to" link for each comment, tags under two names
    mixed       a portal with something of all this
    late        a blog whose archive lies behind three years of empty months: a plateau that is not the end
    clean       every URL shows something of its own
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from pagekin.synth.rand import mix, rng_for

PER_PAGE = 10
COMMENTS = 4
CATEGORIES = 8
TAGS = 16
DAYS = 28
EMPTY_MONTHS = 36
ORDERS = ("title", "date", "price", "rating")

Link = tuple[str, str]
"""Where to, and what is written on it."""


@dataclass(frozen=True, slots=True)
class View:
    """An answer: the unique page that it shows (None: there is none), how, and its links."""

    content: str | None
    title: str = ""
    documents: tuple[int, ...] = ()
    """shown in full if it is one and `whole`, else as a list, in this order"""
    whole: bool = False
    bare: bool = False
    """a print view: without the foot of the page"""
    note: str = ""
    """a line that differs between views of the same"""
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Habits:
    """Which kinds of duplicates a site's software makes."""

    sessions: bool = False
    print_views: int = 0
    sorts: bool = False
    referrers: bool = False
    replies: bool = False
    calendar: bool = False
    hidden_archive: bool = False
    tag_aliases: bool = False
    tags: bool = False


SITE_TYPES: dict[str, Habits] = {
    "sessions": Habits(sessions=True),
    "printer": Habits(print_views=2),
    "calendar": Habits(calendar=True),
    "catalogue": Habits(sorts=True, referrers=True),
    "replies": Habits(replies=True, tags=True, tag_aliases=True),
    "mixed": Habits(
        sessions=True, print_views=1, sorts=True, calendar=True, tags=True, tag_aliases=True, replies=True
    ),
    "late": Habits(replies=True, print_views=1, hidden_archive=True),
    "clean": Habits(),
}


@dataclass
class CmsSite:
    """One site. The same type, seed and number of documents give the same site."""

    kind: str
    seed: int = 1
    documents: int = 400
    habits: Habits = field(init=False)

    def __post_init__(self) -> None:
        self.habits = SITE_TYPES[self.kind]
        # A hidden archive holds the last two fifths of the documents.
        self._shown = self.documents * 3 // 5 if self.habits.hidden_archive else self.documents

    def uniques(self) -> set[str]:
        """Every unique page there is."""
        found = {"home", *(f"doc:{n}" for n in range(self.documents))}
        for category in range(CATEGORIES):
            found.update(f"list:{category}:{page}" for page in range(self._pages(category)))
        if self.habits.tags:
            found.update(f"tag:{tag}" for tag in range(TAGS))
        if self.habits.calendar or self.habits.hidden_archive:
            found.add("empty month")
        if self.habits.hidden_archive:
            found.update(f"month:{month}" for month in range(EMPTY_MONTHS, EMPTY_MONTHS + self._months()))
        return found

    def view(self, url: str) -> View:
        """The answer to a request for a path and query."""
        path, _, asked = url.partition("?")
        query = dict(parse_qsl(asked))
        folder, _, name = path.strip("/").partition("/")
        show: Callable[[str, dict[str, str]], View | None] | None = {
            "": self._home, "list": self._list, "doc": self._document, "print": self._printed,
            "tag": self._tag, "topic": self._tag, "calendar": self._calendar, "archive": self._archive,
        }.get(folder)  # fmt: skip
        view = show(name, query) if show is not None else None
        if view is None:
            return View(None, "Not found", links=(("/", "home"),))
        return self._with_sessions(url, view)

    def _home(self, _: str, query: dict[str, str]) -> View:
        latest = tuple(range(min(5, self._shown)))
        links = [(f"/list/{c}", f"category {c}") for c in range(CATEGORIES)]
        links += [(self._path_of(n, "home"), self.title(n)) for n in latest]
        if self.habits.tags:
            links += [(f"/tag/{tag}", f"tag {tag}") for tag in range(TAGS)]
        if self.habits.calendar:
            links.append(("/calendar?month=0", "calendar"))
        if self.habits.hidden_archive:
            links.append(("/archive?month=0", "archive"))
        return View("home", "Home", latest, links=tuple(links))

    def _list(self, name: str, query: dict[str, str]) -> View | None:
        category, page = _number(name), _number(query.get("page", "0"))
        if category is None or page is None or category >= CATEGORIES or page >= self._pages(category):
            return None
        members = tuple(range(category, self._shown, CATEGORIES))[page * PER_PAGE : (page + 1) * PER_PAGE]
        order = query.get("sort", "")
        if order:
            members = tuple(sorted(members, key=lambda n: mix(self.seed, order, n)))
            members = members[::-1] if query.get("order") == "desc" else members
        here = f"/list/{category}" + (f"?page={page}" if page else "")
        links = [(self._path_of(n, f"list{category}"), self.title(n)) for n in members]
        if page + 1 < self._pages(category):
            links.append((f"/list/{category}?page={page + 1}", "next"))
        if page:
            links.append((f"/list/{category}" + (f"?page={page - 1}" if page > 1 else ""), "previous"))
        if self.habits.sorts:
            for name_of in ORDERS:
                for way in ("asc", "desc"):
                    links.append((_with(here, f"sort={name_of}&order={way}"), f"by {name_of} {way}"))
        return View(f"list:{category}:{page}", f"Category {category}", members, links=tuple(links))

    def _document(self, name: str, query: dict[str, str]) -> View | None:
        number = _number(name.rpartition("-")[2])
        if number is None or number >= self.documents or name != self._slug(number):
            return None
        here = f"/doc/{name}"
        links = [(f"/list/{number % CATEGORIES}", f"category {number % CATEGORIES}")]
        first, last = (0, self._shown) if number < self._shown else (self._shown, self.documents)
        for step in (1, 2, 7):
            other = first + (number - first + step * CATEGORIES) % max(1, last - first)
            links.append((self._path_of(other, "related"), self.title(other)))
        if self.habits.print_views:
            links.append((_with(here, "view=print"), "print"))
        if self.habits.print_views > 1:
            links.append((f"/print/{name}?size=large", "large print"))
        if self.habits.replies:
            links += [
                (f"{here}?replytocom={mix(self.seed, number, c) % 10**6}", "reply") for c in range(COMMENTS)
            ]
        if self.habits.tags:
            for turn in range(2):
                tag = mix(self.seed, "tag", number, turn) % TAGS
                folder = "topic" if self.habits.tag_aliases and turn else "tag"
                links.append((f"/{folder}/{tag}", f"tag {tag}"))
        note = "Leave a reply. Cancel reply." if "replytocom" in query else ""
        bare = query.get("view") == "print"
        return View(f"doc:{number}", self.title(number), (number,), True, bare, note, tuple(links))

    def _printed(self, name: str, query: dict[str, str]) -> View | None:
        view = self._document(name, {"view": "print"}) if self.habits.print_views > 1 else None
        return view and View(view.content, view.title, view.documents, True, True, "", view.links[:1])

    def _tag(self, name: str, query: dict[str, str]) -> View | None:
        tag = _number(name)
        if tag is None or tag >= TAGS or not self.habits.tags:
            return None
        chosen = rng_for(self.seed, "members", tag).sample(range(self._shown), min(PER_PAGE, self._shown))
        members = tuple(chosen)
        links = tuple((self._path_of(n, f"tag{tag}"), self.title(n)) for n in members)
        return View(f"tag:{tag}", f"Tag {tag}", members, links=links)

    def _calendar(self, _: str, query: dict[str, str]) -> View | None:
        month = _signed(query.get("month", "0"))
        if month is None or not self.habits.calendar:
            return None
        day = _number(query.get("day", "0"))
        if day is None or day > DAYS:
            return None
        turn = [(f"/calendar?month={month + step}", word) for step, word in ((-1, "previous"), (1, "next"))]
        if day:
            days = [(f"/calendar?month={month}&day={day}&view={view}", view) for view in ("week", "agenda")]
        else:
            days = [(f"/calendar?month={month}&day={n}", str(n)) for n in range(1, DAYS + 1)]
        return View("empty month", "Calendar", note=f"Month {month}", links=(*days, *turn))

    def _archive(self, _: str, query: dict[str, str]) -> View | None:
        """Months back from now: empty ones, then those of the archive, then no link on."""
        month = _number(query.get("month", "0"))
        if month is None or not self.habits.hidden_archive or month >= EMPTY_MONTHS + self._months():
            return None
        back = (
            [(f"/archive?month={month + 1}", "earlier")] if month + 1 < EMPTY_MONTHS + self._months() else []
        )
        if month < EMPTY_MONTHS:
            return View("empty month", "Archive", note=f"Month {month}", links=tuple(back))
        first = self._shown + (month - EMPTY_MONTHS) * PER_PAGE
        members = tuple(range(first, min(first + PER_PAGE, self.documents)))
        links = [(self._path_of(n, "archive"), self.title(n)) for n in members]
        return View(f"month:{month}", "Archive", members, links=(*links, *back))

    def title(self, number: int) -> str:
        """What a document is called in links."""
        return f"{self._slug(number).rpartition('-')[0].replace('-', ' ')}"

    def _slug(self, number: int) -> str:
        bits = mix(self.seed, "slug", number)
        return f"{'-'.join(_word(bits >> shift & 0xFFFF) for shift in (0, 16, 32))}-{number}"

    def _path_of(self, number: int, whence: str) -> str:
        url = f"/doc/{self._slug(number)}"
        return _with(url, f"ref={whence}") if self.habits.referrers else url

    def _pages(self, category: int) -> int:
        members = len(range(category, self._shown, CATEGORIES))
        return max(1, -(-members // PER_PAGE))

    def _months(self) -> int:
        return -(-(self.documents - self._shown) // PER_PAGE)

    def _with_sessions(self, url: str, view: View) -> View:
        """Every answer opens a new session, and every link in it carries that session's id."""
        if not self.habits.sessions:
            return view
        sid = f"{mix(self.seed, 'sid', url):016x}"
        links = tuple((_with(link, f"sid={sid}"), text) for link, text in view.links)
        return View(view.content, view.title, view.documents, view.whole, view.bare, view.note, links)


_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"][:64]


def _word(bits: int) -> str:
    return "".join(_SYLLABLES[bits >> shift & 63] for shift in (0, 5, 10))


def _with(url: str, query: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{query}"


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _signed(text: str) -> int | None:
    number = _number(text.removeprefix("-"))
    return -number if number is not None and text.startswith("-") else number
