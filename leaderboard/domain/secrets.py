"""Find and mask what looks like a key, a token or a password in a text.

First come the known formats of keys, recognised by a prefix. After a word such as ``password=`` every value
that is random enough counts. Hashes, commit ids and encoded images have neither prefix nor such a word. What
is percent-encoded, as in the address of a link, is looked through decoded as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

MASK: Final = "•"
"""Replaces each character of a secret, so that offsets do not change."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at ``text[start:end]``; ``kind`` says what it looks like."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """A kind of secret: the first group of ``pattern``, searched only if one of ``hints`` is in the text.

    Every repetition in a pattern is bounded, so that the search takes linear time. ``bits`` is the least
    entropy of the group, in bits a character.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    bits: float = 3.0


def _shape(kind: str, hints: str, pattern: str, bits: float = 3.0) -> _Shape:
    return _Shape(kind, tuple(hints.split()), re.compile(pattern), bits)


# What tokens are made of must not come right before, nor right after; colour codes and escaped line ends may.
_B: Final = r"(?:(?<![A-Za-z0-9_+-])|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9][0-9]m)|(?<=;[0-9][0-9]m)|(?<=\\[nrt]))"
_E: Final = r"(?![A-Za-z0-9_-])"
# An assigned value, and the word for a secret before it. Searched in this order, because a colon or an equals
# sign is found much faster than the words.
_ASSIGNED: Final = re.compile(r"[:=]\s{0,3}[\"']?([A-Za-z0-9_+/=~!%^-]{12,250}+)(?![A-Za-z0-9_.(\[-])")
_SECRET_WORD: Final = re.compile(
    r"(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|(?:access|secret|account|auth|private)[_-]?key|"
    r"credentials?)[\"']?\s{0,3}$",
    re.IGNORECASE,
)
_MAX_LOOK_BEHIND: Final = 24
_ASSIGNED_BITS: Final = 3.4
# Parameters of public addresses: what a publisher adds to the link of an article, and places in a long list.
_PUBLIC_WORD: Final = re.compile(
    r"(?:casa|sharing|author[_-]?access|page|next|continuation)[_-]?token[\"']?\s{0,3}$", re.IGNORECASE
)
_PUBLIC_LINK: Final = re.compile(r"https?://onedrive\.live\.com/[^\s\"'<>]{0,300}[?&]authkey$", re.IGNORECASE)
_MAX_LINK: Final = 400
# A parameter of an address, whose value may be shorter than one in a text: its end is certain.
_PARAMETER: Final = re.compile(
    r"[?&;#](?:[A-Za-z0-9_.-]{0,40}(?i:token|secret|password|passwd|passphrase|api[_-]?key|"
    r"(?:access|secret|account|auth|private)[_-]?key)|pwd|pass|auth|jwt)"
    r"=([^\s&#;\"'<>(){}\[\]$*`|\\]{8,2000})"
)
_PARAMETER_BITS: Final = 2.7
_PERCENT: Final = re.compile(r"%([0-9A-Fa-f]{2})")
# Shorter ones hold no secret.
_RUN: Final = re.compile(r"[^\s\"'<>]{12,8000}")
_MAX_ENCODINGS: Final = 3
_BATCH: Final = 100_000

_SHAPES: Final = (
    _shape("Anthropic API key", "sk-ant-", _B + r"(sk-ant-[A-Za-z0-9_-]{20,200})"),
    _shape("OpenAI API key", "sk-", _B + r"(sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,250})"),
    _shape("OpenAI API key", "sk-", _B + r"(sk-[A-Za-z0-9]{32,64})" + _E, 3.5),
    _shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", _B + r"(gh[pousr]_[A-Za-z0-9]{36,255})" + _E),
    _shape("GitHub token", "github_pat_", _B + r"(github_pat_[A-Za-z0-9_]{50,255})"),
    _shape("GitLab token", "glpat-", _B + r"(glpat-[A-Za-z0-9_-]{20,64})"),
    _shape("AWS access key", "AKIA ASIA", _B + r"((?:AKIA|ASIA)[A-Z2-7]{16})" + _E),
    _shape("Google API key", "AIza", _B + r"(AIza[A-Za-z0-9_-]{35})" + _E),
    _shape("Hugging Face token", "hf_", _B + r"(hf_[A-Za-z0-9]{30,64})" + _E, 3.5),
    _shape("Slack token", "xox", _B + r"(xox[abeoprs]-[A-Za-z0-9-]{20,250})"),
    _shape("Stripe key", "k_live_ k_test_", _B + r"([sr]k_(?:live|test)_[A-Za-z0-9]{16,250})" + _E),
    _shape("PyPI token", "pypi-", _B + r"(pypi-[A-Za-z0-9_-]{80,250})"),
    _shape("npm token", "npm_", _B + r"(npm_[A-Za-z0-9]{36})" + _E),
    _shape(
        "Weights & Biases API key", "wandb", r"wandb login\s{1,3}(?:--relogin\s{1,3})?([0-9a-f]{40})" + _E
    ),
    _shape(
        "JSON web token",
        "eyJ",
        _B + r"(eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,2000})",
    ),
    _shape(
        "private key",
        "PRIVATE",
        r"(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
        r"(?:[A-Za-z0-9+/=\s\\,:]|-(?!----)){40,20000}+-----END [A-Z ]{0,20})",
    ),
    _shape(
        "Slack token",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/([A-Z0-9]{6,20}/[A-Z0-9]{6,20}/[A-Za-z0-9/]{16,60})",
    ),
    _shape(
        "password in an address",
        "://",
        r"://[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>{}$*]{6,200})@[\w.-]{1,200}",
        2.5,
    ),
    _shape("token in an address", "://", r"://([A-Za-z0-9_~.%-]{20,250})(?::x-oauth-basic)?@[\w.-]", 3.5),
    _shape(
        "authorization header",
        "earer asic BEARER",
        r"(?i:authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic)\s{1,3})([A-Za-z0-9._~+/=-]{16,2000})",
        3.5,
    ),
)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """What looks like a secret, in order, without overlaps; takes linear time."""
    found = sorted(_matches(text), key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return tuple(kept)


def mask(text: str) -> str:
    """The text with every character of a secret masked, except line ends: length and lines do not change."""
    parts = []
    position = 0
    for secret in find_secrets(text):
        parts.append(text[position : secret.start])
        parts.append(re.sub(r"[^\r\n]", MASK, text[secret.start : secret.end]))
        position = secret.end
    return "".join((*parts, text[position:]))


def _matches(text: str) -> Iterator[Secret]:
    yield from _matches_as_written(text)
    if not _PERCENT.search(text):
        return
    decoded: list[str] = []
    offsets: list[int] = []
    for run in chain(_RUN.finditer(text), [None]):
        if run and _PERCENT.search(run[0]):
            plain, inside = _decode(run[0])
            # No secret has this sign in it, so none is found across two runs.
            decoded.append(f"{plain}>")
            offsets += (run.start() + offset for offset in inside)
        if not run or len(offsets) > _BATCH:
            for secret in _matches_as_written("".join(decoded)):
                yield Secret(secret.kind, offsets[secret.start], offsets[secret.end])
            decoded, offsets = [], []


def _decode(text: str) -> tuple[str, list[int]]:
    """A percent-encoded text decoded, and where each of its characters, and its end, is in ``text``."""
    offsets = list(range(len(text) + 1))
    for _ in range(_MAX_ENCODINGS):
        parts: list[str] = []
        kept: list[int] = []
        position = 0
        for code in _PERCENT.finditer(text):
            parts += text[position : code.start()], chr(int(code[1], 16))
            kept += offsets[position : code.start() + 1]
            position = code.end()
        if not position:
            break
        kept += offsets[position:]
        text, offsets = "".join((*parts, text[position:])), kept
    return text, offsets


def _matches_as_written(text: str) -> Iterator[Secret]:
    for shape in _SHAPES:
        if any(hint in text for hint in shape.hints):
            for match in shape.pattern.finditer(text):
                if _is_random(match[1], shape.bits):
                    yield Secret(shape.kind, *match.span(1))
    for match in _ASSIGNED.finditer(text):
        if _is_after_secret_word(text, match.start()) and _is_random(match[1], _ASSIGNED_BITS):
            yield Secret("secret in an assignment", *match.span(1))
    if "=" in text:
        for match in _PARAMETER.finditer(text):
            if not _is_public(text, match.start(1) - 1) and _is_random(match[1], _PARAMETER_BITS):
                yield Secret("token in an address", *match.span(1))


def _is_after_secret_word(text: str, end: int) -> bool:
    before = text[max(0, end - _MAX_LOOK_BEHIND) : end]
    return bool(_SECRET_WORD.search(before)) and not _is_public(text, end)


def _is_public(text: str, end: int) -> bool:
    """Whether the word that ends here names a parameter of a public address."""
    if _PUBLIC_WORD.search(text[max(0, end - _MAX_LOOK_BEHIND) : end]):
        return True
    return bool(_PUBLIC_LINK.search(text[max(0, end - _MAX_LINK) : end]))


def _is_random(value: str, bits: float) -> bool:
    """Whether a value is no placeholder and no word: it has a digit, a letter, and ``bits`` of entropy."""
    if not (re.search("[0-9]", value) and re.search("[A-Za-z]", value)):
        return False
    if value.endswith("EXAMPLE") or "xxxx" in value.lower():
        return False
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) >= bits
