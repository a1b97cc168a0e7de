"""Templates, who is judging, and the forms that every screen shares."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pagekin.errors import UsageError
from pagekin.look.table import TONES, cell, copied
from pagekin.look.words import FORMS, plain, plural, short
from pagekin.verdicts.labels import ALLOW, HAND, LABELS, SOFTWARE, SPREAD, Verdict, judge_name
from pagekin.web.context import Context
from pagekin.web.security import JUDGE, form_mark

KEYS = {"spam": "s", "not spam": "n", "borderline": "b", "cannot judge": "?"}
"""The key of each label."""

NAV = (
    ("/", "Judge"),
    ("/quilts", "Quilts"),
    ("/clusters", "Templates"),
    ("/copies", "Copies"),
    ("/phrases", "Phrases"),
    ("/sites", "Sites"),
    ("/precision", "Precision"),
    ("/verdicts", "Verdicts"),
)

WORDS = {
    "page": "page",
    "cluster": "template",
    "class": "class of copies",
    "site": "site",
    "software": "software",
}
"""What each kind of thing is called on the screen."""

PLACES = {"page": "/pages/", "cluster": "/clusters/", "class": "/copies/", "site": "/sites/"}


def environment() -> Environment:
    """Templates that escape everything, and fail on a name that is not there."""
    made = Environment(
        loader=PackageLoader("pagekin.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.globals.update(
        cell=cell,
        copied=copied,
        plural=plural,
        LABELS=LABELS,
        KEYS=KEYS,
        NAV=NAV,
        WORDS=WORDS,
        TONES=TONES,
        place=place,
    )
    made.filters.update({name: form for name, form in FORMS.items() if name != "text"})
    made.filters.update(plain=plain, short=short)
    return made


def place(kind: str, target: str) -> str:
    """Where a thing is shown; empty for what has no screen."""
    return PLACES[kind] + quote(target, safe="") if kind in PLACES else ""


class Pages:
    """What all screens share."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.templates = environment()

    def who(self, request: Request) -> str:
        """The judge: as they said, else as `serve` was told."""
        given = unquote(request.cookies.get(JUDGE, ""))
        try:
            return judge_name(given) if given else self.context.settings.judge
        except UsageError:
            return self.context.settings.judge

    def verdict_of(self, kind: str, target: int | str) -> Verdict | None:
        """What a list shows of a thing: what was said of it, else what is spread over it."""
        state = self.context.state
        return state.current(HAND, kind, target) or state.current(SPREAD, kind, target)

    def render(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        text = self.templates.get_template(template).render(
            who=self.who(request),
            mark=form_mark(request, self.context.settings),
            read_only=self.context.read_only,
            run_name=self.context.run.path.resolve().name,
            counts=self.context.counts,
            path=request.url.path,
            query=request.query_params.get("q", ""),
            verdict_of=self.verdict_of,
            software_allowed=lambda name: self.context.state.current(ALLOW, SOFTWARE, name) is not None,
            **values,
        )
        return HTMLResponse(text, status)
