"""Which addresses a page may link to."""

from __future__ import annotations

from urllib.parse import urlsplit

URL_LENGTH = 200


def is_web_address(url: str) -> bool:
    """Whether ``url`` is http or https, has a host, no user name, at most ``URL_LENGTH`` characters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    has_host = bool(parts.hostname) and "@" not in parts.netloc
    return parts.scheme in ("http", "https") and has_host and len(url) <= URL_LENGTH
