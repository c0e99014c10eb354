"""Names of a copy's files, made of the addresses they are copied from.

A name depends on its address alone, so that a link to a file of a copy holds in the next copy too. It is safe
on Windows and where upper and lower case are the same, and needs no quoting in a link.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from typing import Final
from urllib.parse import unquote

LONGEST: Final = 60
"""Characters of a name: with the folders of an address below 260 in all, which is what Windows takes."""
_SAFE: Final = re.compile(r"[a-z0-9][a-z0-9._-]*(?<!\.)")
_SAFE_ALONE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(?<!\.)")
_OTHER: Final = re.compile(r"[^a-z0-9]+")
DIGEST: Final = 24
"""Hexadecimal digits of a digest: of fewer, somebody could find two texts with the same one."""
_RESERVED: Final = re.compile(
    rf"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|index\.html|(.*-)?[0-9a-f]{{{DIGEST}}}(\.[a-z0-9]{{1,8}})?",
    re.IGNORECASE,
)
"""Names that mean something else to Windows, or are given to pages and to texts that can't be names."""
_ENDING: Final = re.compile(r"\.[a-z0-9]{1,8}$")


def page_name(address: str) -> str:
    """The file of a page or of data: ``/b/x/?sort=z`` is in the folder ``b/x``, beside its ``index.html``."""
    path, _, query = address.partition("?")
    parts = [_safe(unquote(part)) for part in path.split("/") if part]
    if path.endswith("/"):
        parts.append("index.html")
    if query:
        stem, ending = posixpath.splitext(parts[-1])
        parts[-1] = f"{stem}-{_cleaned(query)}{ending}"
    return "/".join(parts)


def download_name(address: str, filename: str) -> str:
    """The file of a download, which alone is in the folder of its address: its own name, if that is safe."""
    safe = filename if _is_safe(filename, _SAFE_ALONE, 3 * LONGEST) else _cleaned_file(filename)
    return "/".join([*(_safe(unquote(part)) for part in address.split("/") if part), safe])


def relative_link(from_file: str, to_file: str) -> str:
    """How a file of a copy links to another one."""
    return posixpath.relpath(to_file, posixpath.dirname(from_file) or ".")


def _safe(part: str) -> str:
    return part if _is_safe(part, _SAFE, LONGEST) else _cleaned_file(part)


def _is_safe(name: str, pattern: re.Pattern[str], longest: int) -> bool:
    return bool(pattern.fullmatch(name)) and len(name) <= longest and not _RESERVED.fullmatch(name)


def _cleaned_file(name: str) -> str:
    found = _ENDING.search(name.lower())
    return _cleaned(name, found[0] if found else "")


def _cleaned(text: str, ending: str = "") -> str:
    """What can stay of a text, and a digest of all of it: two texts never share a name."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST]
    words = unquote(text).lower().removesuffix(ending)
    kept = _OTHER.sub("-", words).strip("-")[: LONGEST - DIGEST - 10].strip("-")
    return (f"{kept}-{digest}" if kept else digest) + ending
