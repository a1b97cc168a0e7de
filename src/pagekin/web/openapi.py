"""What the API says of itself: OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from pagekin import _core
from pagekin.query.checker import CHECKS
from pagekin.tables import TABLES
from pagekin.verdicts.blocklist import FORMATS
from pagekin.verdicts.labels import KINDS, LABELS, LONGEST_NAME, LONGEST_WHY
from pagekin.web.rows import MAX_OFFSET, MAX_ROWS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1}
COUNT: Schema = {"type": "integer"}
LONGEST = (1 << 63) - 1


def described(max_pages: int) -> Schema:
    """The description of the whole API."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pagekin",
            "version": _core.__version__,
            "description": "New pages against a run, rows of its tables, and what people decided.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/api/check": {"post": _check(max_pages)},
            "/api/run": {"get": _get("The run and its sizes")},
            "/api/tables": {"get": _get("The tables and their columns")},
            "/api/tables/{table}": {"get": _table()},
            "/api/pages": {"get": _get("A page by its URL", _query("url", NAME, needed=True), missing=True)},
            "/api/pages/{page}": {"get": _get("A page by its id", _id("page"), missing=True)},
            "/api/clusters/{cluster}": {"get": _get("A style cluster", _id("cluster"), missing=True)},
            "/api/verdicts": {"get": _verdicts(), "post": _judge()},
            "/api/undo": {"post": _undo()},
            "/api/spread/preview": {"post": _preview()},
            "/api/spread": {"post": _spread()},
            "/api/precision": {"get": _get("The share of spam in judged samples; how far judges agree")},
            "/api/blocklist": {"get": _blocklist()},
        },
        "components": {"schemas": _schemas()},
    }  # fmt: skip


def _get(summary: str, *parameters: Schema, missing: bool = False) -> Schema:
    responses = {"200": _json("The answer", {"type": "object"}), "400": _error()}
    if missing:
        responses["404"] = _error()
    return {"summary": summary, "parameters": list(parameters), "responses": responses}


def _post(
    summary: str, body: Schema, status: str, answer: Schema, *, missing: bool = False, note: str = ""
) -> Schema:
    codes = ("400", "403", "413", *(("404",) if missing else ()))
    return {
        "summary": summary,
        "description": note,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {status: _json("The answer", answer)} | {code: _error() for code in codes},
    }


def _json(what: str, schema: Schema) -> Schema:
    return {"description": what, "content": {"application/json": {"schema": schema}}}


def _error() -> Schema:
    return _json("What was wrong, and what to do", {"$ref": "#/components/schemas/Error"})


def _query(name: str, schema: Schema, *, needed: bool = False, what: str = "") -> Schema:
    return {"name": name, "in": "query", "required": needed, "schema": schema, "description": what}


def _id(name: str) -> Schema:
    schema = {"type": "integer", "minimum": 0, "maximum": LONGEST}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _object(properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _check(max_pages: int) -> Schema:
    checks = {"type": "array", "minItems": 1, "items": {"enum": list(CHECKS)}}
    one = {"$ref": "#/components/schemas/Page"}
    many = {"type": "array", "minItems": 1, "maxItems": max_pages, "items": one}
    body = {"anyOf": [one, _object({"pages": many, "checks": checks}, ("pages",))]}
    answer = {"$ref": "#/components/schemas/Answer"}
    answers = {
        "type": "object",
        "properties": {"answers": {"type": "array", "items": answer}},
        "required": ["answers"],
    }
    return _post(
        "New pages against what is known",
        body,
        "200",
        {"anyOf": [answers, answer]},
        note="One page, or a list of pages: the nearest stored pages and clusters, the verdict they carry, "
        "duplicates, quilt state, evidence. Parts that are too small to judge say so.",
    )


def _table() -> Schema:
    names = {"name": "table", "in": "path", "required": True, "schema": {"enum": list(TABLES)}}
    what = "column:operator:value, with eq, ne, lt, le, gt, ge or contains; may be repeated"
    return _get(
        "Rows of a table",
        names,
        _query("limit", COUNT | {"minimum": 1, "maximum": MAX_ROWS, "default": 50}),
        _query("offset", COUNT | {"minimum": 0, "maximum": MAX_OFFSET, "default": 0}),
        _query("sort", TEXT, what="a column; - before it for falling"),
        _query("columns", TEXT, what="names with commas between them; all by default"),
        _query("filter", {"type": "array", "items": TEXT}, what=what),
        missing=True,
    )


def _verdicts() -> Schema:
    made = _get(
        "All verdicts, superseded ones too",
        _query("after", COUNT | {"minimum": 0, "maximum": MAX_OFFSET}, what="leave out the first so many"),
        _query("format", {"enum": ["json", "csv", "jsonl"]}),
    )
    made["responses"]["200"]["content"] |= {"text/csv": {}, "application/x-ndjson": {}}
    return made


_WHO: Schema = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME, "description": "the judge"}
_WHY: Schema = {"type": "string", "maxLength": LONGEST_WHY}


def _judge() -> Schema:
    fields = {
        "kind": {"enum": list(KINDS)},
        "target": {"type": "string", "minLength": 1, "description": "an id in digits, or the name of a site"},
        "label": {"enum": list(LABELS)},
        "why": _WHY,
        "sample": {"type": "string", "description": "the queue, such as quilts/random/100/0"},
        "who": _WHO,
    }
    body = _object(fields, ("kind", "target", "label"))
    return _post("Give a verdict by hand", body, "201", {"$ref": "#/components/schemas/Verdict"})


def _undo() -> Schema:
    body = _object({"uid": TEXT, "who": _WHO}, ("uid",))
    return _post("Take a verdict back", body, "200", {"$ref": "#/components/schemas/Verdict"})


_SPREAD: Schema = {
    "kind": {"enum": ["cluster", "class", "site"]},
    "target": {"type": "string", "minLength": 1},
    "label": {"enum": list(LABELS)},
}


def _preview() -> Schema:
    body = _object(dict(_SPREAD), ("kind", "target", "label"))
    return _post("What spreading a label would do", body, "200", {"type": "object"})


def _spread() -> Schema:
    body = _object(
        _SPREAD | {"adds": COUNT | {"description": "as the preview said"}, "why": _WHY, "who": _WHO},
        ("kind", "target", "label", "adds"),
    )
    answer = {"$ref": "#/components/schemas/Verdict"}
    return _post("Spread a label over a cluster, class or site", body, "201", answer)


def _blocklist() -> Schema:
    made = _get(
        "What to block",
        _query("format", {"enum": list(FORMATS)}),
        _query("min_pages", COUNT | {"minimum": 1, "maximum": MAX_OFFSET, "default": 5}),
        _query("min_share", {"type": "number", "minimum": 0, "maximum": 1, "default": 0.8}),
    )
    made["responses"]["200"] = {"description": "The list, line by line", "content": {"text/plain": {}}}
    return made


def _schemas() -> Schema:
    nothing = {"type": ["object", "null"]}
    checks = {"type": "array", "minItems": 1, "items": {"enum": list(CHECKS)}}
    place = {"url": {"type": "string"}, "ip": {"type": "string"}, "checks": checks}
    ways = [
        _object(
            place | {name: {"type": "string", "contentEncoding": "base64"} if "64" in name else TEXT}, (name,)
        )
        for name in ("html", "text", "html_base64")
    ]
    verdict = {
        "type": "object",
        "properties": {
            "uid": TEXT,
            "at": TEXT | {"description": "UTC, ISO 8601"},
            "who": TEXT,
            "kind": TEXT,
            "target": TEXT,
            "scope": {"enum": ["hand", "spread", "allow"]},
            "label": {"type": ["string", "null"]},
            "why": TEXT,
        },
        "required": ["uid", "at", "who", "kind", "target", "scope", "label"],
    }
    answer = {
        "type": "object",
        "properties": {
            "url": {"type": ["string", "null"]},
            "words": COUNT,
            "verdict": nothing | {"description": "label, reason, through, target, by_hand, who, at"},
            "known": nothing | {"description": "the stored page of the same URL"},
            "style": nothing | {"description": "judged, why, nearest, clusters"},
            "text": nothing | {"description": "judged, why, exact, near, class"},
            "quilt": nothing | {"description": "checked, why, and what the gram index says"},
            "evidence": {"type": "array", "items": TEXT},
        },
        "required": ["url", "words", "verdict", "known", "style", "text", "quilt", "evidence"],
    }
    error = {
        "type": "object",
        "properties": {"error": TEXT, "message": TEXT},
        "required": ["error", "message"],
    }
    return {"Page": {"anyOf": ways[:2]}, "Verdict": verdict, "Answer": answer, "Error": error}
