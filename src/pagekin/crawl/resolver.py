"""Looks up hosts, those with IPv6 addresses too."""

from __future__ import annotations

from typing import Any

from scrapy.resolver import CachingHostnameResolver, HostResolution


class Resolver(CachingHostnameResolver):
    """Scrapy's resolver, but for names that cannot be looked up: there it hangs and shows a traceback."""

    def resolveHostName(self, receiver: Any, name: str, *args: Any, **options: Any) -> Any:  # type: ignore[override]  # noqa: N802
        """A name with a part that is empty or too long has no addresses."""
        try:
            name.encode("idna")
        except UnicodeError:
            resolution = HostResolution(name)
            receiver.resolutionBegan(resolution)
            receiver.resolutionComplete()
            return resolution
        return super().resolveHostName(receiver, name, *args, **options)
