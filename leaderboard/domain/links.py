"""Which addresses a page may link to."""

from __future__ import annotations

from urllib.parse import urlsplit

URL_LENGTH = 200


def is_web_address(url: str) -> bool:
    """Whether ``url`` is http or https, has a host, and has at most ``URL_LENGTH`` characters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= URL_LENGTH
