"""Which IP addresses are public: those of hosts on the Internet, and no others.

The blocks are those of IANA's registries, that of IPv6 as updated on 2024-10-22:
https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry and
…/ipv6-address-space. Python's ``ipaddress`` misses some of them (3fff::/20, 5f00::/16, fec0::/10 in 3.11).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

# All that is not in one of these is for global unicast. Those of anycast services (192.0.0.9, AS112, 6to4
# relays) are reachable, but no host of anybody's own is there.
_SPECIAL_IPV4: Final = tuple(
    IPv4Network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
        *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        # Multicast, reserved, broadcast.
        *("224.0.0.0/4", "240.0.0.0/4"),
    )
)
# The only block of IPv6 that is for global unicast, and what is special within it: protocols and tunnels
# (2001::/23 has Teredo, ORCHID and more), documentation, 6to4, AS112.
_GLOBAL_IPV6: Final = IPv6Network("2000::/3")
_SPECIAL_IPV6: Final = tuple(
    IPv6Network(block)
    for block in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)
# Addresses that stand for the IPv4 address in their last 32 bits: mapped, and translated by NAT64 (RFC 6052).
# The other forms with an IPv4 address (compatible, ::ffff:0:a.b.c.d, 64:ff9b:1::/48, 6to4, Teredo) are no
# addresses of hosts on the Internet.
_STANDS_FOR_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
# The first half of an ISATAP interface's identifier (RFC 5214); the second is an IPv4 address.
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)


def is_address(host: str) -> bool:
    """Whether a host is an IP address in its usual form, rather than a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether an IP address, in its usual form and without a zone, is public, unicast, and no tunnel's.

    Anything else than such an address is not public.
    """
    if not is_address(address):
        return False
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return not any(parsed in block for block in _SPECIAL_IPV4)
    if parsed.scope_id is not None:
        return False
    inner = IPv4Address(int(parsed) & 0xFFFF_FFFF)
    if any(parsed in block for block in _STANDS_FOR_IPV4):
        return is_public(str(inner))
    if _is_isatap(parsed) and not is_public(str(inner)):
        return False
    return parsed in _GLOBAL_IPV6 and not any(parsed in block for block in _SPECIAL_IPV6)


def _is_isatap(address: IPv6Address) -> bool:
    return (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP
