"""What a secret that acts for a person may do, and what such a secret looks like."""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Mapping
from enum import StrEnum

PREFIX = "sbt_"
"""How every secret starts, so that people and scanners know one when they see it."""
SHAPE = re.compile(r"sbt_([0-9a-f]{64})([0-9a-f]{8})")
START_LENGTH = 12
"""Characters of a secret that are kept readable, to tell one from another."""


class Scope(StrEnum):
    """What a token allows, never more than its owner may do.

    READ: see what its owner sees, drafts included. SUBMIT: upload, publish and withdraw. OPERATE: what only
    operators do.
    """

    READ = "read"
    SUBMIT = "submit"
    OPERATE = "operate"


INCLUDED: Mapping[Scope, frozenset[Scope]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.SUBMIT: frozenset({Scope.READ, Scope.SUBMIT}),
    Scope.OPERATE: frozenset({Scope.READ, Scope.OPERATE}),
}
"""What each scope allows: who may change something may see it."""


def new_secret() -> str:
    """A secret of 256 random bits with a checksum, so that a mistyped one is known without a look-up."""
    body = secrets.token_hex(32)
    return f"{PREFIX}{body}{_checksum(body)}"


def is_secret(text: str) -> bool:
    """Whether ``text`` has the shape and the checksum of a secret of ours."""
    match = SHAPE.fullmatch(text)
    return match is not None and _checksum(match[1]) == match[2]


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"
