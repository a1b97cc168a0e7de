"""uvicorn: where it listens, how much it takes, how many workers it has."""

from __future__ import annotations

import dataclasses
import gc
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn

from pagekin.errors import OutputError, UsageError
from pagekin.index.catalog import Catalog
from pagekin.index.check_index import CheckIndex
from pagekin.index.folder import IndexFolder
from pagekin.index.words import WordIndex
from pagekin.run import Run
from pagekin.web.app import create_app
from pagekin.web.connections import BoundedHeads
from pagekin.web.context import Context, Settings

CONNECTIONS = 200
"""Requests under way at the same time; more are answered with 503."""

PARTS = ("catalog.duckdb", "known", "words.duckdb")


def prepare(run: Run, index: Path | None, say: Callable[[str], None]) -> IndexFolder:
    """Builds what is not there yet, before anyone waits for it."""
    folder = IndexFolder(run, index)
    if all(folder.has(part) for part in PARTS):
        return folder
    where = "a temporary folder: the run's disk is read-only" if folder.temporary else str(folder.path)
    say(f"building the index once, in {where}")
    catalog = Catalog(run, folder)
    CheckIndex(run, catalog, folder).close()
    WordIndex(run, folder).close()
    catalog.close()
    return folder


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP: asyncio turns Nagle's algorithm off only then, and with it every answer waits 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(256)
    except OSError as error:
        made.close()
        raise OutputError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another --port"
        ) from error
    return made


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    run: Run,
    *,
    host: str,
    port: int,
    settings: Settings,
    workers: int = 1,
    index: Path | None = None,
    say: Callable[[str], None],
) -> None:
    """Serves until it is told to stop."""
    if not is_loopback(host) and not settings.token:
        raise UsageError(
            f"{host} can be reached from elsewhere: give a --token that every request must carry"
        )
    folder = prepare(run, index, say)
    with listen(host, port) as sock:
        bound = sock.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        settings = dataclasses.replace(
            settings,
            hosts=settings.hosts | {shown.lower(), socket.gethostname().lower()},
            any_address=host in ("0.0.0.0", "::"),
        )
        token = f"?token={settings.token}" if settings.token else ""
        say(f"review app: http://{shown}:{bound}/{token}")
        say(f"API: http://{shown}:{bound}/api/docs")
        alive = os.pipe()
        children = [_fork(run, settings, folder.path, sock, alive) for _ in range(workers - 1)]
        try:
            _work(run, settings, folder.path, sock)
        finally:
            for child in children:
                os.kill(child, signal.SIGTERM)
            for child in children:
                os.waitpid(child, 0)
            for end in alive:
                os.close(end)


def _fork(run: Run, settings: Settings, index: Path, sock: socket.socket, alive: tuple[int, int]) -> int:
    """Another worker on the same socket. Nothing that threads hold has been opened yet."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(alive[1])
            threading.Thread(target=_end_with_parent, args=(alive[0],), daemon=True).start()
            _work(run, settings, index, sock)
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return child


def _end_with_parent(pipe: int) -> None:
    """Waits until nobody can write to the pipe any more: a killed parent cannot stop its workers."""
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _work(run: Run, settings: Settings, index: Path, sock: socket.socket) -> None:
    context = Context(run, settings, index)
    try:
        config = uvicorn.Config(
            create_app(context),
            log_level="warning",
            access_log=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=15,
            http=BoundedHeads,
            server_header=False,
            lifespan="off",
        )
        if context.read_only:
            print("verdicts are read-only here", file=sys.stderr)  # noqa: T201
        # What is open now stays: the collector need not walk over it while somebody waits.
        gc.collect()
        gc.freeze()
        uvicorn.Server(config).run(sockets=[sock])
    finally:
        context.close()
