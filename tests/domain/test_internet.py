"""Only addresses of hosts on the Internet are public, in whatever form another one is written."""

from __future__ import annotations

import pytest

from leaderboard.domain.internet import is_public

PUBLIC = [
    "1.1.1.1", "93.184.215.14", "126.255.255.255", "172.15.255.255", "172.32.0.0", "223.255.255.255",
    "2001:4860:4860::8888", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "2a00:1450:4001:82a::200e",
    "::ffff:93.184.215.14", "64:ff9b::5db8:d70e", "2a00:1450::5efe:5db8:d70e",
]  # fmt: skip
NOT_PUBLIC = {
    "this machine": ["127.0.0.1", "127.1.2.3", "0.0.0.0", "::1", "::"],  # noqa: S104
    "private": ["10.0.0.1", "172.16.0.1", "172.31.0.1", "192.168.1.1", "100.64.0.1", "fc00::1", "fd00::1"],
    "of one link or site": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "fec0::1", "2a00::1%eth0"],
    "for protocols": ["192.0.0.8", "192.0.0.170", "192.88.99.1", "192.31.196.1", "2620:4f:8000::1"],
    "for tests and texts": ["192.0.2.1", "198.18.0.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "multicast, reserved": ["224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "ff02::1", "ff0e::1"],
    "other blocks of IPv6": ["100::1", "100:0:0:1::1", "5f00::1", "400::1", "4000::1", "8000::1", "200::1"],
    "mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"],
    "compatible": ["::127.0.0.1", "::10.0.0.1", "::93.184.215.14"],
    "translated": ["::ffff:0:127.0.0.1", "::ffff:0:93.184.215.14"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::7f00:1", "64:ff9b:1::5db8:d70e"],
    "6to4": ["2002:7f00:1::1", "2002:a00:1::1", "2002:5db8:d70e::1"],
    "Teredo, ORCHID and more": ["2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:20::1", "2001:1::1"],
    "ISATAP": ["2a00:1450::5efe:7f00:1", "2a00:1450::200:5efe:a00:1", "fe80::5efe:7f00:1"],
    "no address": ["", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "\uff11\uff12\uff17.0.0.1", "::1]"],
}  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_on_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("kind", NOT_PUBLIC)
def test_no_other_address_is(kind: str) -> None:
    assert [address for address in NOT_PUBLIC[kind] if is_public(address)] == []
