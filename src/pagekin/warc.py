"""WARC 1.1 records as bytes, for the crawler, exports and the made-up web."""

from __future__ import annotations

import zlib
from base64 import b32encode
from collections.abc import Mapping
from hashlib import sha1

REQUEST, RESPONSE = "application/http; msgtype=request", "application/http; msgtype=response"
INFO = "application/warc-fields"


def warc_record(
    kind: str,
    record_id: str,
    fields: Mapping[str, str],
    content_type: str,
    block: bytes,
    level: int | None = None,
) -> bytes:
    """A record; with a compression level as a gzip member of its own, which holds no date.

    Args:
        kind: The `WARC-Type`.
        record_id: A UUID.
        fields: The headers between `WARC-Record-ID` and `Content-Type`, `WARC-Date` among them.
        content_type: Of the block.
        block: What follows the headers.
        level: From 1, the fastest, to 9; None to leave it as it is.
    """
    headers = {"WARC-Type": kind, "WARC-Record-ID": f"<urn:uuid:{record_id}>", **fields}
    headers |= {"Content-Type": content_type, "Content-Length": str(len(block))}
    head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
    record = b"".join((head.encode("utf-8", "replace"), block, b"\r\n\r\n"))
    return record if level is None else zlib.compress(record, level, wbits=31)


def payload_digest(payload: bytes) -> str:
    """The value of `WARC-Payload-Digest`."""
    return f"sha1:{b32encode(sha1(payload, usedforsecurity=False).digest()).decode()}"
