"""Debian packages as a source of pages: fetched with apt, never installed, reduced to their HTML."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

# More pages of one package teach little more, and one package must not weigh like fifty.
MAX_PAGES_PER_PACKAGE = 400
# Where Common Crawl cuts a page.
MAX_BYTES_PER_PAGE = 5 * 1024 * 1024
# Fetched and reduced together: bounds the disk we need, and what an interrupted build has to do again.
_BATCH = 40

_HTML = re.compile(r"\.html?(?:\.gz)?$", re.I)


class CorpusError(Exception):
    """The corpus cannot be built here; the message is one line that says what to do."""


def say(message: str) -> None:
    """A line on stderr: stdout is for results."""
    print(message, file=sys.stderr, flush=True)


def evenly(items: Sequence[str], count: int) -> list[str]:
    """`count` of the items at even distances, so that every chapter of a manual is among them.

    >>> evenly("abcdefghij", 2)
    ['c', 'h']
    """
    if count >= len(items):
        return list(items)
    return [items[(2 * i + 1) * len(items) // (2 * count)] for i in range(count)]


def fill_pool(packages: Sequence[str], pool: Path) -> None:
    """Make `pool/<package>.zip` with the HTML pages of every package that apt knows; keeps what is there.

    The zip's comment is the package's version. Packages that apt does not know are skipped with a message.
    """
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise CorpusError("the benchmark corpus comes from Debian packages: this needs apt-get and dpkg-deb")
    pool.mkdir(parents=True, exist_ok=True)
    missing = [package for package in packages if not (pool / f"{package}.zip").exists()]
    if not missing:
        return
    # Asked about all of them: knowing none means that apt has no lists, not that packages are gone.
    versions = _candidates(packages)
    if not versions:
        _update()
        versions = _candidates(packages)
    if not versions:
        raise CorpusError("apt knows none of the documentation packages: are Debian's sources configured?")
    for package in missing:
        if package not in versions:
            say(f"skipped {package}: apt does not know it")
    known = [package for package in missing if package in versions]
    for start in range(0, len(known), _BATCH):
        batch = known[start : start + _BATCH]
        say(f"packages {start + 1} to {start + len(batch)} of {len(known)}: {batch[0]} ... {batch[-1]}")
        with tempfile.TemporaryDirectory(prefix="debs-", dir=pool) as folder:
            debs = Path(folder)
            _download(batch, debs)
            for package in batch:
                found = sorted(debs.glob(f"{package}_*.deb"))
                if not found:
                    raise CorpusError(f"apt-get download gave no file for {package}: is the network up?")
                _pool_package(found[0], versions[package], pool / f"{package}.zip")


def _apt(command: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def _update() -> None:
    say("apt-get update")
    done = _apt(["apt-get", "update", "--quiet"])
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise CorpusError(f"apt-get update failed (it needs root and a network): {last}")


def _candidates(packages: Iterable[str]) -> Mapping[str, str]:
    """The version apt would fetch of each package it knows, in the given order."""
    shown = _apt(["apt-cache", "show", "--no-all-versions", *packages]).stdout
    versions: dict[str, str] = {}
    for stanza in shown.split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in stanza.splitlines() if re.match(r"(?:Package|Version): ", line)
        )
        if fields:
            versions.setdefault(fields["Package"], fields["Version"])
    return {package: versions[package] for package in packages if package in versions}


def _download(packages: Sequence[str], folder: Path) -> None:
    # As root, apt would drop to a user who may not write here, and warn once per package.
    command = ["apt-get", "download", "--quiet", "-o", "APT::Sandbox::User=root", *packages]
    if _apt(command, folder).returncode != 0:
        # Lists older than the mirror name files that are gone.
        _update()
        done = _apt(command, folder)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise CorpusError(f"apt-get download failed: {last}")


def _pool_package(deb: Path, version: str, target: Path) -> None:
    """Write the package's HTML pages, evenly thinned out, as a zip."""
    with tempfile.TemporaryDirectory(prefix="tar-", dir=deb.parent) as folder:
        # A plain tar on disk lets us look at the names first and read only what we take.
        plain = Path(folder) / "package.tar"
        with plain.open("wb") as out:
            subprocess.run(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=out, check=True)
        part = Path(folder) / "pages.zip"
        with (
            tarfile.open(plain) as tar,
            zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as pages,
        ):
            members: dict[str, tarfile.TarInfo] = {}
            for member in tar:
                # isreg() leaves out symbolic and hard links, which are other names for pages we have.
                if member.isreg() and 0 < member.size <= MAX_BYTES_PER_PAGE and _HTML.search(member.name):
                    name = re.sub(r"\.gz$", "", member.name.removeprefix("./"), flags=re.I)
                    members.setdefault(name, member)
            for name in evenly(sorted(members), MAX_PAGES_PER_PACKAGE):
                stream = tar.extractfile(members[name])
                assert stream is not None, "regular files have content"
                body = _plain(stream.read(), members[name].name)
                if body:
                    # The fixed date of ZipInfo makes the zip depend on the package alone.
                    pages.writestr(zipfile.ZipInfo(name), body, zipfile.ZIP_DEFLATED, compresslevel=1)
            pages.comment = version.encode()
        part.replace(target)


def _plain(body: bytes, name: str) -> bytes:
    """The page's bytes; empty for a gzip file that is none, or one that unpacks to too much."""
    if not name.lower().endswith(".gz"):
        return body
    try:
        body = gzip.decompress(body)
    except (OSError, EOFError, zlib.error):
        return b""
    return body if len(body) <= MAX_BYTES_PER_PAGE else b""
