"""Small crawl files for tests, good and hostile: WARC, WET, WACZ, zips, compressed in every way."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import zstandard
from fastwarc.stream_io import BrotliWriter, Lz4Writer

DATE = "2024-05-06T07:08:09Z"
IP = "192.0.2.7"
CRLF = b"\r\n"


def http(
    body: bytes = b"<html><p>hello</p></html>",
    status: int = 200,
    content_type: str | None = "text/html",
    **headers: str,
) -> bytes:
    """An HTTP response. Header names are written with underscores."""
    lines = [f"HTTP/1.1 {status} Whatever"]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def record(
    kind: str,
    block: bytes = b"",
    url: str | None = "http://a.example/",
    length: int | str | None = None,
    content_type: str | None = "application/http; msgtype=response",
    date: str | None = DATE,
    ip: str | None = IP,
    version: str = "1.1",
    end: bytes = b"\r\n\r\n",
    **headers: str,
) -> bytes:
    """A WARC record; `length` lies about the block's."""
    lines = [
        f"WARC/{version}",
        f"WARC-Type: {kind}",
        "WARC-Record-ID: <urn:uuid:5f7c0000-0000-4000-8000-00000000>",
    ]
    for name, value in (
        ("WARC-Target-URI", url),
        ("WARC-Date", date),
        ("WARC-IP-Address", ip),
        ("Content-Type", content_type),
        *((name.replace("_", "-"), value) for name, value in headers.items()),
        ("Content-Length", str(len(block) if length is None else length)),
    ):
        if value is not None:
            lines.append(f"{name}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + end


def html(number: int, size: int = 200) -> bytes:
    """A page of about this size that no other number has."""
    words = " ".join(f"word{number}-{word}" for word in range(size // 10))
    return f"<!doctype html><title>{number}</title><p>{words}</p>".encode()


def url(number: int) -> str:
    return f"http://site{number % 3}.example/page/{number}"


def page(number: int, size: int = 200, **options: Any) -> bytes:
    """A response record with a page."""
    return record("response", http(html(number, size)), url(number), **options)


def warcinfo() -> bytes:
    return record("warcinfo", b"software: test\r\n", None, content_type="application/warc-fields", ip=None)


def request(number: int = 0) -> bytes:
    return record(
        "request", b"GET / HTTP/1.1\r\n\r\n", url(number), content_type="application/http; msgtype=request"
    )


def wet(number: int, text: str) -> bytes:
    """A conversion record, as WET files have them."""
    return record("conversion", text.encode(), url(number), content_type="text/plain", ip=None)


def gz(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def gzip_bomb(before: bytes, mebibytes: int, after: bytes) -> bytes:
    """A gzip member with this many MiB of zeros inside, made in no time."""
    packer = zlib.compressobj(9, wbits=-15)
    begin = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush nothing refers to what was before, so the same block may follow any number of times.
    zeros = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.compress(after) + packer.flush()
    crc = zlib.crc32(before)
    for _ in range(mebibytes):
        crc = zlib.crc32(bytes(1 << 20), crc)
    size = len(before) + (mebibytes << 20) + len(after)
    trailer = struct.pack("<II", zlib.crc32(after, crc), size & 0xFFFFFFFF)
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + begin + zeros * mebibytes + end + trailer


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def lz4(data: bytes) -> bytes:
    out = io.BytesIO()
    writer = Lz4Writer(out)
    writer.write(data)
    writer.close()
    return out.getvalue()


def brotli(data: bytes) -> bytes:
    out = io.BytesIO()
    writer = BrotliWriter(out)
    writer.write(data)
    writer.close()
    return out.getvalue()


def plain(data: bytes) -> bytes:
    return data


CODECS: dict[str, Callable[[bytes], bytes]] = {"": plain, ".gz": gz, ".zst": zst, ".lz4": lz4}


def zst_with_dictionary(records: Iterable[bytes], packed: bool = False) -> bytes:
    """A .warc.zst whose first frame is the dictionary of the others."""
    samples: Any = [page(number) + b"%d" % number * 3 for number in range(500)]
    dictionary = zstandard.train_dictionary(2048, samples)
    content = dictionary.as_bytes()
    frames = zstandard.ZstdCompressor(dict_data=dictionary)
    return dictionary_frame(content, packed) + b"".join(frames.compress(data) for data in records)


def dictionary_frame(content: bytes, packed: bool = True) -> bytes:
    content = zstandard.ZstdCompressor().compress(content) if packed else content
    return struct.pack("<II", 0x184D2A5D, len(content)) + content


def write(folder: Path, name: str, records: Iterable[bytes]) -> Path:
    """A file of records, each compressed on its own if the name says so."""
    compress = CODECS.get(Path(name).suffix, plain)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(compress, records)))
    return path


def write_zip(path: Path, files: dict[str, bytes], compress: bool = True) -> Path:
    """A zip, with its files in the order given."""
    kind = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def write_wacz(path: Path, warcs: dict[str, bytes], compress: bool = False) -> Path:
    """A WACZ with these files in its archive folder, and what else a WACZ has."""
    files = {f"archive/{name}": data for name, data in warcs.items()}
    return write_zip(
        path,
        {"datapackage.json": b"{}", **files, "indexes/index.cdx.gz": gz(b""), "pages/pages.jsonl": b"{}"},
        compress,
    )
