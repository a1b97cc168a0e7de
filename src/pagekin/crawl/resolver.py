"""Looks up hosts, those with IPv6 addresses too, and keeps a crawl out of networks it was not sent to.

Any server can name an address inside our own network: in a link, in a redirect of its robots.txt, or by DNS.
So addresses that are not public are connected to only where a seed is: at the hosts and ports that seeds
name, and at the web's own ports of these hosts.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.request import getproxies

from scrapy.resolver import CachingHostnameResolver, HostResolution
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

from pagekin.urls import split_url

if TYPE_CHECKING:
    from twisted.internet.base import ReactorBase

SEEDS = "PAGEKIN_SEEDS"
ALLOW_PRIVATE = "PAGEKIN_ALLOW_PRIVATE"
PORTS = {"http": 80, "https": 443}

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is given out. Python takes more for global: site-local addresses, old wraps of IPv4."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public Internet, whatever it is wrapped in."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _UNICAST:
            return False
    return ip.is_global and not ip.is_multicast


def named_places(urls: Iterable[str]) -> frozenset[tuple[str, int]]:
    """The hosts and ports that URLs name, and the web's own ports of these hosts."""
    found: set[tuple[str, int]] = set()
    for url in urls:
        parts = split_url(url)
        if parts is None:
            continue
        host = parts.host.strip("[]").rstrip(".")
        ports = {int(parts.port)} if parts.port and parts.port.isdecimal() else set()
        found |= {(host, port) for port in ports.union(PORTS.values())}
    return frozenset(found)


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes on the addresses that are public."""

    def __init__(self, receiver: Any, name: str) -> None:
        self._receiver = receiver
        self._name = name

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        if is_public(address.host):
            self._receiver.addressResolved(address)
        else:
            Resolver.refused.add(self._name)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()


class Resolver(CachingHostnameResolver):
    """Scrapy's resolver, but for names that cannot be looked up: there it hangs and shows a traceback."""

    refused: ClassVar[set[str]] = set()
    """Hosts with addresses that are not public. (A process can crawl once only.)"""

    _private: frozenset[tuple[str, int]] | None = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: ReactorBase) -> Self:
        resolver = super().from_crawler(crawler, reactor)
        cls.refused.clear()
        if crawler.settings.getbool(ALLOW_PRIVATE):
            resolver._private = None
        else:
            # A proxy is one's own choice, and is often on one's own machine.
            resolver._private = named_places([*crawler.settings.getlist(SEEDS), *getproxies().values()])
        return resolver

    def resolveHostName(  # type: ignore[override]  # noqa: N802
        self,
        receiver: Any,
        name: str,
        portNumber: int = 0,  # noqa: N803
        *args: Any,
        **options: Any,
    ) -> Any:
        """A name with a part that is empty or too long has no addresses."""
        try:
            name.encode("idna")
        except UnicodeError:
            resolution = HostResolution(name)
            receiver.resolutionBegan(resolution)
            receiver.resolutionComplete()
            return resolution
        if self._private is not None and (name.rstrip("."), portNumber) not in self._private:
            receiver = _PublicOnly(receiver, name)
        return super().resolveHostName(receiver, name, portNumber, *args, **options)
