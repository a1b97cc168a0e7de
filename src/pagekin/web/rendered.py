"""A crawled page in a frame that can do nothing: no script, no request, no form, no way out.

Each of these alone would do: the frame is sandboxed by its own policy, which denies every kind of load; the app's
policy lets frames go nowhere but here; the frame is inert, so that nothing in it can be clicked or reached by keys;
and the tags that act by themselves have lost their names.
"""

from __future__ import annotations

import re

from starlette.responses import Response

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)

_ACTING = re.compile(
    r"<(/?)(script|noscript|link|base|meta|form|iframe|frame|frameset|object|embed|applet|portal|template|"
    r"animate|animatemotion|animatetransform|set|use|image|foreignobject|audio|video|source|track|input|button)\b",
    re.IGNORECASE,
)

_HIDDEN = "<style>x-script,x-noscript,x-template{display:none}body{overflow-wrap:break-word}</style>"


def disarmed(html: str) -> str:
    """The page with its acting tags renamed to ones that browsers do not know."""
    return "<!doctype html>" + _HIDDEN + _ACTING.sub(r"<\1x-\2", html)


def frame(html: str) -> Response:
    """The answer that a frame shows."""
    body = disarmed(html).encode("utf-8", "replace")
    return Response(body, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})
