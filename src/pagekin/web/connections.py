"""HTTP as uvicorn speaks it, but nobody sends headers without an end: they would fill the memory."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 64 << 10
"""Bytes that may come in a row and are no body: request lines, headers, what stands around chunks."""


class BoundedHeads(HttpToolsProtocol):
    """Closes the connection where more comes."""

    _size = 0

    def data_received(self, data: bytes) -> None:
        self._size += len(data)
        super().data_received(data)
        if self._size > MAX_HEAD:
            self.transport.close()

    def on_body(self, body: bytes) -> None:
        self._size = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._size = 0
        super().on_message_complete()
