"""The review app in a thread, for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from browser import Watched, watched
from playwright.sync_api import Browser

from pagekin.run import Run
from pagekin.web.app import create_app
from pagekin.web.context import Context, Settings
from pagekin.web.server import listen


@dataclass(frozen=True)
class Served:
    """An app that answers."""

    url: str
    context: Context


@contextmanager
def opened(chromium: Browser, app: Served, path: str, **how: Any) -> Iterator[Watched]:
    """Opens a screen; the whole app may be asked for."""
    with watched(chromium, app.url + path, **how) as seen:
        seen.allowed = app.url
        yield seen


@contextmanager
def served(folder: Path, **settings: Any) -> Iterator[Served]:
    """Serves a run folder on a free port of loopback."""
    context = Context(Run(folder), Settings(**settings))
    with listen("127.0.0.1", 0) as sock:
        config = uvicorn.Config(create_app(context), log_level="error", access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield Served(f"http://127.0.0.1:{sock.getsockname()[1]}", context)
        finally:
            server.should_exit = True
            thread.join(30)
            context.close()
