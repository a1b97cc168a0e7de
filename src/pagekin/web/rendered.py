"""A crawled page in a frame that can do nothing: no script, no request, no form, no way out.

Each of these alone would do: the frame is sandboxed by its own policy, which denies every kind of load; the
app's policy lets frames go nowhere but here; the frame is inert, so that nothing in it can be clicked or
reached by keys; and tags, attributes and styles that load or act have lost their names, so that nothing is
even tried.
"""

from __future__ import annotations

import re

from starlette.responses import Response

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)

_ACTING = re.compile(
    r"<(/?)(script|noscript|link|base|meta|form|iframe|frame|frameset|object|embed|applet|portal|template|"
    r"animate|animatemotion|animatetransform|set|use|image|foreignobject|audio|video|source|track|input|button)\b",
    re.IGNORECASE,
)

_LOADING = re.compile(
    r"(?<![\w-])((?:src|srcset|href|background|poster|action|formaction|data|ping|manifest|usemap|on[a-z]+)\s*=)",
    re.IGNORECASE,
)

_STYLES = re.compile(
    r"(?<![\w-])(url|image-set|image|src)(?=\s*\()|@(?=import|font-face|namespace)", re.IGNORECASE
)

_HIDDEN = "<style>x-script,x-noscript,x-template{display:none}body{overflow-wrap:break-word}</style>"


def disarmed(html: str) -> str:
    """The page with all that loads or acts renamed to what browsers do not know."""
    tame = _ACTING.sub(r"<\1x-\2", html)
    tame = _LOADING.sub(r"x-\1", tame)
    return "<!doctype html>" + _HIDDEN + _STYLES.sub("x-", tame)


def frame(html: str) -> Response:
    """The answer that a frame shows."""
    body = disarmed(html).encode("utf-8", "replace")
    return Response(
        body,
        media_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"},
    )
