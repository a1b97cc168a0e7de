"""The app: routes, and what happens when something goes wrong."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pagekin.errors import OutputError, PagekinError
from pagekin.look.assets import asset, stylesheet
from pagekin.verdicts.labels import HAND, judge_name
from pagekin.verdicts.samples import Sample
from pagekin.web import judging
from pagekin.web.api import Api, Handler
from pagekin.web.context import Context
from pagekin.web.own_assets import own_asset
from pagekin.web.screens import Screens
from pagekin.web.security import JUDGE, Guard, form_mark, same

FORM_BYTES = 64 << 10

_THREADS = ThreadPoolExecutor(40, "request")


def create_app(context: Context) -> Guard:
    """The app over one run."""
    screens = Screens(context)
    forms = Forms(context, screens)
    api = Api(context)
    limit = context.settings.max_seconds

    def fresh(handler: Handler) -> Handler:
        """Reads what others decided since the last request, then handles this one."""

        def refreshed(request: Request) -> Response:
            context.state.refresh()
            return handler(request)

        return refreshed

    def get(path: str, handler: Handler) -> Route:
        return Route(path, _in_time(fresh(handler), limit), methods=["GET"])

    def post(path: str, handler: Callable[[Request, dict[str, str]], Response]) -> Route:
        return Route(path, forms.guarded(handler, limit), methods=["POST"])

    queue = "/judge/{queue}/{order}/{size:int}/{seed:int}"
    routes: list[BaseRoute] = [
        get("/", screens.home),
        *(get(f"/{name}", screens.listing) for name in ("quilts", "clusters", "copies", "phrases", "sites")),
        get("/quilts/{page:int}", screens.quilt),
        get("/clusters/{cluster:int}", screens.cluster),
        get("/copies/{number:int}", screens.copies),
        get("/sites/{site}", screens.site),
        get("/pages/{page:int}", screens.page),
        get("/render/{page:int}", screens.rendered),
        get(queue, screens.queue),
        get(queue + "/{at:int}", screens.queue),
        get("/precision", screens.precision),
        get("/verdicts", screens.verdicts),
        get("/search", screens.search),
        get("/help", screens.help),
        post("/judge", forms.judge),
        post("/undo", forms.undo),
        post("/queue", forms.queue),
        post("/spread", forms.spread),
        post("/spread/confirm", forms.confirm),
        post("/withdraw", forms.withdraw),
        post("/allow", forms.allow),
        post("/name", forms.name),
        Route("/static/{name}", _static, methods=["GET"]),
        *api.routes(functools.partial(_in_time, limit=limit), fresh),
    ]
    handlers: Any = {
        PagekinError: functools.partial(_failed, screens),
        HTTPException: functools.partial(_refused, screens),
        ClientDisconnect: _gone,
        Exception: _broken,
    }
    return Guard(Starlette(routes=routes, exception_handlers=handlers), context.settings)


def _in_time(handler: Handler, limit: float) -> Callable[[Request], Awaitable[Response]]:
    """A handler in a thread of its own, answered with 503 if it takes too long."""

    @functools.wraps(handler)
    async def timed(request: Request) -> Response:
        try:
            async with asyncio.timeout(limit):
                return await asyncio.get_running_loop().run_in_executor(_THREADS, handler, request)
        except TimeoutError:
            return PlainTextResponse(f"This took more than {limit:g} seconds.\n", 503)

    return timed


class Forms:
    """What forms do. Each ends where the next thing to look at is."""

    def __init__(self, context: Context, screens: Screens) -> None:
        self.context = context
        self.screens = screens

    def guarded(
        self, handler: Callable[[Request, dict[str, str]], Response], limit: float
    ) -> Callable[[Request], Awaitable[Response]]:
        """A form's handler: the mark is checked, and that verdicts may be given."""

        async def checked(request: Request) -> Response:
            values = _fields(await request.body())
            if not same(values.get("mark", ""), form_mark(request, self.context.settings)):
                raise HTTPException(403, "the form is not of this session; load the page again")
            if request.url.path not in ("/queue", "/name"):
                judging.require_writable(self.context)
            return await _in_time(lambda asked: handler(asked, values), limit)(request)

        return checked

    def judge(self, request: Request, form: dict[str, str]) -> Response:
        """A decision; then the next thing, or back."""
        judging.judge(self.context, self.screens.who(request), form)
        if form.get("sample"):
            at = form.get("at", "0")
            return _to(f"/judge/{Sample.parse(form['sample'])}?after={at if at.isdecimal() else 0}")
        return _to(_back(form))

    def undo(self, request: Request, form: dict[str, str]) -> Response:
        """Takes a verdict back, the given one or the last; then shows what it was about."""
        who = self.screens.who(request)
        uid = form.get("uid", "")
        sample = form.get("sample", "")
        if not uid:
            recent = self.context.state.recent(who, 1, sample or None)
            if not recent:
                return _to(_back(form))
            uid = recent[0].uid
        taken = judging.undo(self.context, who, uid)
        if sample and taken.scope == HAND:
            chosen = Sample.parse(sample)
            targets = chosen.targets(self.context.catalog)
            if taken.target in targets:
                return _to(f"/judge/{chosen}/{targets.index(taken.target) + 1}")
        return _to(_back(form))

    def queue(self, request: Request, form: dict[str, str]) -> Response:
        """Begins a queue as the form describes it."""
        size, seed = form.get("size", "100"), form.get("seed", "0")
        number = [int(text) if text.isdecimal() and len(text) < 10 else -1 for text in (size, seed)]
        return _to(f"/judge/{Sample(form.get('queue', ''), form.get('order', ''), *number)}")

    def spread(self, request: Request, form: dict[str, str]) -> Response:
        """The first step: what spreading would do."""
        seen = judging.spread_preview(self.context, form)
        url = "" if seen.kind == "site" else judging.thing_url(self.context, seen.kind, seen.target)
        return self.screens.render(request, "spread.html", seen=seen, url=url, back=_back(form))

    def confirm(self, request: Request, form: dict[str, str]) -> Response:
        """Spreads a verdict as previewed."""
        judging.confirm_spread(self.context, self.screens.who(request), form)
        return _to(_back(form))

    def withdraw(self, request: Request, form: dict[str, str]) -> Response:
        """Takes back a spread, or takes something from the allow-list."""
        judging.withdraw(
            self.context,
            self.screens.who(request),
            form.get("kind", ""),
            form.get("target", ""),
            form.get("scope", ""),
        )
        return _to(_back(form))

    def allow(self, request: Request, form: dict[str, str]) -> Response:
        """Puts something on the allow-list."""
        judging.allow(self.context, self.screens.who(request), form)
        return _to(_back(form))

    def name(self, request: Request, form: dict[str, str]) -> Response:
        """Changes who judges, in a cookie."""
        who = judge_name(form.get("who", "").strip())
        answer = _to(_back(form))
        answer.set_cookie(JUDGE, quote(who, safe=""), max_age=400 * 86_400, httponly=True, samesite="strict")
        return answer


def _fields(body: bytes) -> dict[str, str]:
    """The fields of a form as browsers send them; the last of each name."""
    if len(body) > FORM_BYTES:
        raise HTTPException(413, f"a form has at most {FORM_BYTES:,} bytes")
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=40))
    except ValueError:
        raise HTTPException(400, "a form has at most 40 fields") from None


def _back(form: dict[str, str]) -> str:
    """Where a form said to go on: a place of ours."""
    back = form.get("back", "/")
    return back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"


def _to(place: str) -> Response:
    return RedirectResponse(place, 303)


async def _static(request: Request) -> Response:
    """One of a few files, by name."""
    name = request.path_params["name"]
    if name == "look.css":
        return Response(stylesheet(), media_type="text/css", headers={"Cache-Control": "max-age=300"})
    if name == "look.js":
        return Response(
            asset("look.js"), media_type="text/javascript", headers={"Cache-Control": "max-age=300"}
        )
    found = own_asset(name)
    if found is None:
        raise HTTPException(404, "there is no such file")
    return Response(found[0], media_type=found[1], headers={"Cache-Control": "max-age=300"})


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


async def _failed(screens: Screens, request: Request, error: PagekinError) -> Response:
    status = 403 if isinstance(error, OutputError) else 400
    if error.code in ("run", "table-missing", "input"):
        status = 404 if error.code != "run" else 500
    if _is_api(request):
        return JSONResponse({"error": error.code, "message": str(error)}, status)
    return await run_in_threadpool(screens.render, request, "error.html", status, message=str(error))


async def _refused(screens: Screens, request: Request, error: HTTPException) -> Response:
    if _is_api(request):
        return JSONResponse({"error": "http", "message": error.detail}, error.status_code, error.headers)
    return await run_in_threadpool(
        screens.render, request, "error.html", error.status_code, message=error.detail
    )


async def _gone(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("The request was cut off, is too large or came too slowly.\n", 413)


async def _broken(request: Request, _error: Exception) -> Response:
    # Nothing of the error goes out; it is in the server's log.
    if _is_api(request):
        return JSONResponse({"error": "internal", "message": "something failed; see the server's log"}, 500)
    return PlainTextResponse("Something failed; see the server's log.\n", 500)
