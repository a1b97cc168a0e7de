"""TLS that is expired, made out to another, or cut: the crawl goes on and says what it could not get."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli.command import run
from crawl.hostile import answer, page
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import pagekin

FAST = ("--delay", "0", "--timeout", "5", "--saturation", "off")


def certificate(folder: Path, host: str, days: int) -> Path:
    """A certificate of our own making, good for so many days from now; of the past if negative."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=400))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + built.public_bytes(serialization.Encoding.PEM)
    )
    return path


@contextmanager
def tls_server(pem: Path, cut: str | None = None) -> Iterator[str]:
    """A site of two pages. `cut` tells where to hang up: in the "handshake", or in the "body"."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                plain, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=(plain,), daemon=True).start()

    def talk(plain: socket.socket) -> None:
        try:
            if cut == "handshake":
                plain.recv(20)
                plain.close()
                return
            with context.wrap_socket(plain, server_side=True) as secure:
                path = secure.recv(4096).split(b" ", 2)[1]
                pages = {b"/": page("home", "/second"), b"/second": page("second")}
                found = pages.get(path)
                sent = answer(found) if found else answer(b"", status="404 Not Found")
                if cut == "body" and path == b"/second":
                    secure.sendall(sent[: len(sent) - 20])
                    plain = secure.detach()  # type: ignore[assignment]
                    socket.socket(fileno=plain).close()  # type: ignore[arg-type]
                    return
                secure.sendall(sent)
        except OSError:
            pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"https://localhost:{listening.getsockname()[1]}/"
    finally:
        listening.close()


@pytest.mark.parametrize(("host", "days"), [("localhost", -1), ("other.example", 100), ("localhost", 100)])
def test_certificates_are_not_judged(tmp_path: Path, host: str, days: int) -> None:
    """Expired, another host's, self-made: such pages are on the web, and are read as they are."""
    with tls_server(certificate(tmp_path, host, days)) as url:
        run("crawl", url, "-o", tmp_path / "c", *FAST, "-q")
    paths = [(record.url or "").split("/", 3)[3] for record in pagekin.read(tmp_path / "c")]
    assert sorted(paths) == ["", "second"]


def test_cut_in_the_handshake(tmp_path: Path) -> None:
    with tls_server(certificate(tmp_path, "localhost", 100), cut="handshake") as url:
        done = run("crawl", url, "-o", tmp_path / "c", *FAST, code=1)
    assert "no page was fetched" in done.stderr
    assert "connection" in done.stderr


def test_cut_in_a_page(tmp_path: Path) -> None:
    """Without the end that TLS announces: what came is kept, as much as it is, and the crawl ends well."""
    with tls_server(certificate(tmp_path, "localhost", 100), cut="body") as url:
        run("crawl", url, "-o", tmp_path / "c", *FAST, "-q")
    info = json.loads((tmp_path / "c" / "crawl.json").read_bytes())
    assert info["state"] == "ended"
    found = {(record.url or "").split("/", 3)[3] for record in pagekin.read(tmp_path / "c")}
    assert "" in found
