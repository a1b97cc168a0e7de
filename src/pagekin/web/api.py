"""The JSON API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from pagekin.errors import UsageError
from pagekin.query.checker import kinship
from pagekin.tables import TABLES
from pagekin.verdicts.blocklist import FORMATS, Thresholds, block_list, written
from pagekin.verdicts.files import written as verdict_lines
from pagekin.verdicts.precision import agreements, estimates
from pagekin.web import judging
from pagekin.web.context import Context
from pagekin.web.fields import body_of, checks_of, number, only, pages_of, share, text_field
from pagekin.web.openapi import described
from pagekin.web.pages import Pages
from pagekin.web.rows import MAX_OFFSET, MAX_ROWS, plain_value, table_rows

Handler = Callable[[Request], Response]
Timed = Callable[[Handler], Callable[[Request], Awaitable[Response]]]


class Json(Response):
    """JSON as it is meant: text stays text, and what is no JSON fails."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, default=str).encode(
            "utf-8", "replace"
        )


class Api(Pages):
    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._checking = asyncio.Semaphore(context.settings.max_checks)

    def routes(self, in_time: Timed, fresh: Callable[[Handler], Handler]) -> list[BaseRoute]:
        """Where each is found. Checks alone ask for new verdicts themselves."""

        def timed(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
            return in_time(fresh(handler))

        def get(path: str, handler: Handler) -> Route:
            return Route(f"/api/{path}", timed(handler), methods=["GET"])

        def post(path: str, handler: Callable[[Request, dict[str, Any]], Response], *, writes: bool) -> Route:
            return Route(f"/api/{path}", self._with_body(handler, timed, writes), methods=["POST"])

        return [
            get("openapi.json", self.openapi),
            get("docs", self.docs),
            get("run", self.run),
            get("tables", self.tables),
            get("tables/{table}", self.table),
            get("pages", self.page_of_url),
            get("pages/{page:int}", self.page),
            get("clusters/{cluster:int}", self.cluster),
            get("verdicts", self.verdicts),
            get("precision", self.precision),
            get("blocklist", self.blocklist),
            Route("/api/check", self._check(in_time), methods=["POST"]),
            post("verdicts", self.judge, writes=True),
            post("undo", self.undo, writes=True),
            post("spread/preview", self.preview, writes=False),
            post("spread", self.spread, writes=True),
        ]

    def _with_body(
        self, handler: Callable[[Request, dict[str, Any]], Response], timed: Timed, writes: bool
    ) -> Callable[[Request], Awaitable[Response]]:
        async def read(request: Request) -> Response:
            body = body_of(await request.body(), request.headers.get("content-type", ""))
            if writes:
                judging.require_writable(self.context)
            return await timed(lambda asked: handler(asked, body))(request)

        return read

    def _check(self, timed: Timed) -> Callable[[Request], Awaitable[Response]]:
        """Checks queue up: more of them at once would make each slower, and all of them none faster."""

        async def check(request: Request) -> Response:
            body = body_of(await request.body(), request.headers.get("content-type", ""))
            async with self._checking:
                return await timed(lambda _: self.check(body))(request)

        return check

    def check(self, body: dict[str, Any]) -> Response:
        """New pages against what is known."""
        pages = pages_of(body, self.context.settings.max_pages)
        answers = [answer.as_dict() for answer in self.context.checker.check(pages, checks_of(body))]
        return Json({"answers": answers} if "pages" in body else answers[0])

    # Reading -------------------------------------------------------------------------------------

    def openapi(self, _request: Request) -> Response:
        """What the API says of itself."""
        return Json(described(self.context.settings.max_pages))

    def docs(self, request: Request) -> Response:
        """The description as a page, for people."""
        return self.render(request, "api.html", spec=described(self.context.settings.max_pages))

    def run(self, _request: Request) -> Response:
        """The run and its sizes."""
        info = self.context.run.info
        known = self.context.checker.known
        return Json(
            {
                "name": self.context.run.path.resolve().name,
                "pagekin": info["pagekin"],
                "params": info["params"],
                "counts": dict(self.context.counts),
                "index_bytes": known.bytes,
                "read_only": self.context.read_only,
            }
        )

    def tables(self, _request: Request) -> Response:
        found = [
            {
                "name": name,
                "what": TABLES[name].doc,
                "columns": [
                    {"name": c.name, "type": str(c.type), "what": c.doc} for c in TABLES[name].columns
                ],
            }
            for name in self.context.run.tables
        ]
        return Json({"tables": found})

    def table(self, request: Request) -> Response:
        query = request.query_params
        columns = [name for name in query.get("columns", "").split(",") if name]
        found = table_rows(
            self.context.catalog,
            request.path_params["table"],
            columns=columns,
            filters=query.getlist("filter"),
            sort=query.get("sort", ""),
            limit=number(query.get("limit"), "limit", 50, 1, MAX_ROWS),
            offset=number(query.get("offset"), "offset", 0, 0, MAX_OFFSET),
        )
        return Json(found)

    def page_of_url(self, request: Request) -> Response:
        url = request.query_params.get("url")
        if not url:
            raise UsageError("say which page: ?url=")
        page = self.context.catalog.page_of_url(url)
        if page is None:
            raise HTTPException(404, "no page of the run has this URL")
        return self._page(page)

    def page(self, request: Request) -> Response:
        return self._page(request.path_params["page"])

    def _page(self, page: int) -> Response:
        row = self.context.catalog.page(page) if page < 1 << 63 else None
        if row is None:
            raise HTTPException(404, "there is no page of this number")
        carries = self.context.state.of_page(kinship(row))
        verdict = None if carries is None else asdict(carries.verdict) | {"by_hand": carries.by_hand}
        return Json({key: plain_value(value) for key, value in row.items()} | {"verdict": verdict})

    def cluster(self, request: Request) -> Response:
        cluster = request.path_params["cluster"]
        row = (
            self.context.catalog.row("SELECT * FROM clusters WHERE cluster = ?", [cluster])
            if cluster < 1 << 63
            else None
        )
        if row is None:
            raise HTTPException(404, "there is no cluster of this number")
        spread, said = (self.context.state.current(scope, "cluster", cluster) for scope in ("spread", "hand"))
        verdict = spread or said
        allowed = self.context.state.allows_cluster(cluster, row["name"])
        return Json(row | {"verdict": verdict and asdict(verdict), "allowed": allowed})

    # Verdicts ------------------------------------------------------------------------------------

    def verdicts(self, request: Request) -> Response:
        """All rows, or those after the first so many; JSON, CSV or JSONL."""
        after = number(request.query_params.get("after"), "after", 0, 0, MAX_OFFSET)
        form = request.query_params.get("format", "json")
        rows = self.context.state.rows()[after:]
        if form == "json":
            return Json(
                {"rows": [asdict(row) for row in rows[:MAX_ROWS]], "total": len(self.context.state.rows())}
            )
        if form not in ("csv", "jsonl"):
            raise UsageError("format must be json, csv or jsonl")
        kind = "text/csv" if form == "csv" else "application/x-ndjson"
        headers = {"Content-Disposition": f'attachment; filename="verdicts.{form}"'}
        return PlainTextResponse("".join(verdict_lines(rows, form)), media_type=kind, headers=headers)

    def judge(self, request: Request, body: dict[str, Any]) -> Response:
        """A verdict by hand."""
        form = _texts(body, ("kind", "target", "label", "why", "sample", "who"))
        made = judging.judge(self.context, form.get("who") or self.who(request), form)
        return Json(asdict(made), 201)

    def undo(self, request: Request, body: dict[str, Any]) -> Response:
        """Takes a verdict back."""
        form = _texts(body, ("uid", "who"))
        taken = judging.undo(self.context, form.get("who") or self.who(request), form.get("uid", ""))
        return Json(asdict(taken))

    def preview(self, _request: Request, body: dict[str, Any]) -> Response:
        """What spreading would do."""
        seen = judging.spread_preview(self.context, _texts(body, ("kind", "target", "label")))
        return Json(asdict(seen) | {"said": str(seen)})

    def spread(self, request: Request, body: dict[str, Any]) -> Response:
        """Spreads a label, as previewed: `adds` must be what the preview said."""
        count = body.pop("adds", None)
        if not isinstance(count, int) or isinstance(count, bool):
            raise UsageError("say how many pages the preview said it adds: `adds`")
        form = _texts(body, ("kind", "target", "label", "why", "who")) | {"adds": str(count)}
        made = judging.confirm_spread(self.context, form.get("who") or self.who(request), form)
        return Json(asdict(made), 201)

    def precision(self, _request: Request) -> Response:
        """Judged samples, and how far judges agree."""
        state = self.context.state
        found = [
            {
                "sample": str(one.sample),
                "judge": one.who,
                "params": one.params,
                "population": one.population,
                "size": one.size,
                "judged": one.judged,
                "labels": one.labels,
                "share": one.share,
                "interval": list(one.interval),
            }
            for one in estimates(self.context.catalog, state, self.context.run.params)
        ]
        return Json({"samples": found, "agreement": [asdict(one) for one in agreements(state)]})

    def blocklist(self, request: Request) -> Response:
        query = request.query_params
        form = query.get("format", "domains")
        if form not in FORMATS:
            raise UsageError(f"format must be one of {', '.join(FORMATS)}")
        limits = Thresholds(
            number(query.get("min_pages"), "min_pages", 5, 1, MAX_OFFSET),
            share(query.get("min_share"), "min_share", 0.8),
        )
        lines = written(block_list(self.context.catalog, self.context.state, form, limits), form)
        return PlainTextResponse("".join(f"{line}\n" for line in lines))


def _texts(body: dict[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    only(body, names)
    found = {name: text_field(body, name) for name in names}
    return {name: value for name, value in found.items() if value is not None}
