"""API tokens: their scopes, and the format of their secrets."""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Mapping
from enum import StrEnum

PREFIX = "sbt_"
"""Every secret starts with this, so that people and secret scanners recognise it."""
SHAPE = re.compile(r"sbt_([0-9a-f]{64})([0-9a-f]{8})")
START_LENGTH = 12
"""Characters of a secret that are stored readable, so that its owner can recognise it."""


class Scope(StrEnum):
    """What a token allows, never more than its owner may do.

    READ: see what its owner sees, drafts included. SUBMIT: upload, publish and withdraw. OPERATE: what only
    operators do.
    """

    READ = "read"
    SUBMIT = "submit"
    OPERATE = "operate"


INCLUDED_SCOPES: Mapping[Scope, frozenset[Scope]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.SUBMIT: frozenset({Scope.READ, Scope.SUBMIT}),
    Scope.OPERATE: frozenset({Scope.READ, Scope.OPERATE}),
}
"""The scopes that each scope includes: whoever may change something may read it."""


def new_secret() -> str:
    """A secret of 256 random bits with a checksum, so that a typing error is detected without a query."""
    body = secrets.token_hex(32)
    return f"{PREFIX}{body}{_checksum(body)}"


def is_secret(text: str) -> bool:
    """Whether ``text`` has the format and the checksum of our secrets."""
    match = SHAPE.fullmatch(text)
    return match is not None and _checksum(match[1]) == match[2]


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"
