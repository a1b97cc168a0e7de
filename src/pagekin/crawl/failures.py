"""Names for what can go wrong on the network, the same for pages and for robots.txt."""

from __future__ import annotations

from pagekin.crawl.resolver import Resolver

_NAMES = {
    "TimeoutError": "timeout", "TCPTimedOutError": "timeout", "ResponseNeverReceived": "connection",
    "DownloadTimeoutError": "timeout", "ConnectionRefusedError": "refused", "DNSLookupError": "dns",
    "ConnectionLost": "connection", "ResponseFailed": "connection", "ConnectionDone": "connection",
    "DownloadConnectionRefusedError": "refused", "CannotResolveHostError": "dns",
    "DownloadFailedError": "connection", "ResponseDataLossError": "connection",
}  # fmt: skip


def why_failed(error: BaseException | None) -> str:
    name = type(error).__name__ if error is not None else "unknown"
    why = _NAMES.get(name, name)
    if why == "dns" and any(host in str(error) for host in Resolver.refused):
        return "private-address"
    return why
