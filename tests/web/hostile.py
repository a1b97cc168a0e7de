"""Pages that would do harm if anything of them were obeyed."""

from __future__ import annotations

import json
from pathlib import Path

ELSEWHERE = "http://attacker.invalid"

MARKUP = f"""<title></title><script>alert('title')</script>
<meta http-equiv="refresh" content="0;url={ELSEWHERE}/refresh"><base href="{ELSEWHERE}/base/"> <link
rel="stylesheet" href="{ELSEWHERE}/style.css"><link rel="preconnect" href="{ELSEWHERE}"> <style>@import
url({ELSEWHERE}/import.css); body {{ background: url({ELSEWHERE}/background.png) }}</style>
<script>alert('script')</script><script src="{ELSEWHERE}/script.js"></script> <img src="{ELSEWHERE}/image.png"
onerror="alert('onerror')"><img src=x onerror=alert(1)> <svg
onload="alert('svg')"><script>alert('inner')</script><image href="{ELSEWHERE}/svg.png"/></svg> <a id=lure
href="javascript:alert('link')">press here</a> <a href="{ELSEWHERE}/link" target="_top">and here</a> <form
action="{ELSEWHERE}/form"><input name=q autofocus onfocus="alert('focus')"><button>send</button></form>
<iframe src="{ELSEWHERE}/frame"></iframe><object data="{ELSEWHERE}/object"></object><embed
src="{ELSEWHERE}/embed">
<body onload="alert('load')">"""

TEXT = """&lt;script&gt;alert('text')&lt;/script&gt; &lt;img src=x onerror=alert(2)&gt;
"&gt;&lt;svg onload=alert(3)&gt;
{{ 7 * 7 }} {% include 'x' %} '; DROP TABLE pages; -- &#0; &#x202e; javascript:alert(4)"""

TITLE = "&lt;img src=x onerror=alert('title')&gt;&quot;&gt;&lt;script&gt;alert(5)&lt;/script&gt;"


def words(name: str, count: int) -> str:
    """Words that no other name has."""
    return " ".join(f"{name}{number}" for number in range(count))


def page(name: str, body: str) -> str:
    """A hostile page around some words."""
    head = f"<title>{TITLE} {name}</title><meta name=generator content='{TITLE} 1.0'>{MARKUP}"
    return f"<html><head>{head}</head><body><p>{TEXT}</p><p>{body}</p></body></html>"


def write_hostile(path: Path) -> None:
    """A crawl of hostile pages: of one template, some the same, one a quilt of others."""
    bodies = {f"source{number}": words(f"s{number}w", 60) for number in range(6)}
    rows = [
        (f"http://{name}.example/'\"><script>alert(6)</script>", page(name, body))
        for name, body in bodies.items()
    ]
    copied = page("source0", bodies["source0"])
    rows += [(f"http://copy{number}.example/?a=<b>", copied) for number in range(3)]
    pieces = " ".join(" ".join(body.split()[:40]) for body in list(bodies.values())[1:])
    rows.append(("http://quilt.example/<img src=x onerror=alert(7)>", page("quilt", pieces)))
    lines = [json.dumps({"url": url, "html": html}) for url, html in rows]
    path.write_text("\n".join(lines) + "\n")
