"""The rules that hold for every request and every answer.

A request must name a host that is ours (a name that an attacker points at 127.0.0.1 is not), carry the token
if there is one, be small enough, and if it changes anything come from our own pages: by its Origin, and by a
mark in the form that only our pages know. Every answer says what a browser may do with it, which is nothing
but to show it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagekin.web.context import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""For all pages but those of a crawl."""

SESSION = "pagekin_session"
TOKEN = "pagekin_token"
JUDGE = "pagekin_judge"
SAFE = ("GET", "HEAD", "OPTIONS")

_NAME = re.compile(r"[0-9a-f]{32}")


class Guard:
    """Wraps the app in these rules."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it with a refusal."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookies = cookies_of(headers)
        session = cookies.get(SESSION, "")
        new_session = "" if _NAME.fullmatch(session) else secrets.token_hex(16)
        scope["pagekin_session"] = new_session or session

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._dress(MutableHeaders(scope=message), new_session)
            await send(message)

        refusal = self._refuse(scope, headers, cookies)
        if refusal is not None:
            await refusal(scope, receive, sent)
            return
        body = Limited(receive, self.settings.max_body, self.settings.max_seconds)
        await self.app(scope, body, sent)

    def _refuse(self, scope: Scope, headers: Headers, cookies: dict[str, str]) -> Response | None:
        host = headers.get("host", "")
        name = _without_port(host)
        if name not in self.settings.hosts and not (self.settings.any_address and _is_address(name)):
            return PlainTextResponse("This app is not served under that name.\n", 421)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.settings.max_body:
            return PlainTextResponse(f"A request has at most {self.settings.max_body:,} bytes.\n", 413)
        if self.settings.token is not None and (refusal := self._ask_token(scope, headers, cookies)):
            return refusal
        if scope["method"] not in SAFE and not _is_ours(headers, host):
            return PlainTextResponse("This request came from another site.\n", 403)
        return None

    def _ask_token(self, scope: Scope, headers: Headers, cookies: dict[str, str]) -> Response | None:
        token = self.settings.token or ""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and same(given.strip(), token):
            return None
        if same(cookies.get(TOKEN, ""), token):
            return None
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if asked and same(asked, token) and scope["method"] in SAFE:
            # Once in the URL, as `serve` prints it; from then on in a cookie, and out of sight.
            answer = RedirectResponse(quote(scope["path"]), 303)
            answer.set_cookie(TOKEN, token, httponly=True, samesite="strict")
            return answer
        said = "This app needs its token: open the URL that `pagekin serve` printed.\n"
        return PlainTextResponse(said, 401, {"WWW-Authenticate": "Bearer"})

    def _dress(self, headers: MutableHeaders, new_session: str) -> None:
        headers.setdefault("Content-Security-Policy", POLICY)
        headers["X-Content-Type-Options"] = "nosniff"
        # Without a referrer browsers hide the origin of a form too, by which we know our own.
        headers.setdefault("Referrer-Policy", "same-origin")
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers["X-DNS-Prefetch-Control"] = "off"
        headers.setdefault("Cache-Control", "no-store")
        if new_session:
            headers.append("Set-Cookie", f"{SESSION}={new_session}; Path=/; HttpOnly; SameSite=Strict")


class Limited:
    """A request's body that ends when it grows too large or is too slow, whatever its header said."""

    def __init__(self, receive: Receive, max_bytes: int, seconds: float) -> None:
        self.receive = receive
        self.left = max_bytes
        self.late = asyncio.get_running_loop().time() + seconds
        self.whole = False

    async def __call__(self) -> Message:
        """The next piece of the body."""
        try:
            async with asyncio.timeout_at(None if self.whole else self.late):
                message = await self.receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        if message["type"] == "http.request":
            self.whole = not message.get("more_body", False)
            self.left -= len(message.get("body", b""))
            if self.left < 0:
                return {"type": "http.disconnect"}
        return message


def same(a: str, b: str) -> bool:
    """Whether two secrets are equal, in a time that does not say how far they are."""
    return hmac.compare_digest(a.encode(), b.encode())


def form_mark(request: Request, settings: Settings) -> str:
    """What a form of this session must carry."""
    session: str = request.scope["pagekin_session"]
    return hmac.new(settings.secret, session.encode(), hashlib.sha256).hexdigest()


def cookies_of(headers: Headers) -> dict[str, str]:
    """The cookies of a request; none if they cannot be read."""
    found: SimpleCookie = SimpleCookie()
    try:
        found.load(headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in found.items()}


def _is_ours(headers: Headers, host: str) -> bool:
    """Whether a request that changes something may have come from our own pages, or from no browser."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == host


def _is_address(name: str) -> bool:
    """Whether a host is an IP address: no attacker can make one point elsewhere."""
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
