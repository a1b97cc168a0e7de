"""`pagekin serve`."""

from __future__ import annotations

import getpass
from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8765, show_default=True, help="The port; 0 for any."
)
@click.option(
    "--token", help="A secret that every request must carry; required if other machines can reach --host."
)
@click.option(
    "--judge",
    metavar="NAME",
    help="Your name as a judge, unless you give another in the app.  [default: your login]",
)
@click.option("--read-only", is_flag=True, help="Allow looking, but no verdicts.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes to run.")
@click.option(
    "--index",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to keep the index.  [default: RUN/.index, or a temporary folder on a read-only disk]",
)
def serve(
    run: Path,
    host: str,
    port: int,
    token: str | None,
    judge: str | None,
    read_only: bool,
    workers: int,
    index: Path | None,
) -> None:
    """Look at a run, judge its findings, and answer questions about new pages.

    The review app and the JSON API, on this machine only unless --host says otherwise. The first start builds
    an index in the run folder.

    \b
    Examples:
      pagekin serve run
      pagekin serve run --read-only --port 9000
      pagekin serve run --judge ann --token a-long-secret
    """
    from pagekin.errors import MissingExtraError
    from pagekin.run import Run
    from pagekin.verdicts.labels import judge_name

    try:
        from pagekin.web.context import Settings
        from pagekin.web.server import serve as serve_run
    except ImportError as error:
        raise MissingExtraError("serve", "web") from error
    settings = Settings(judge=judge_name(judge or _login()), read_only=read_only, token=token)
    serve_run(
        Run(run),
        host=host,
        port=port,
        settings=settings,
        workers=workers,
        index=index,
        say=lambda line: click.echo(line, err=True),
    )


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "judge"
