"""What a page with a chart needs of the Content-Security-Policy."""

from __future__ import annotations

from collections.abc import Callable

from csp.decorators import csp_update
from django.http import HttpResponseBase

# plotly.js adds two style elements of its own: an empty one, and one whose text changes with its version.
# tests/browser/test_charts.py computes both from the installed plotly and compares.
PLOTLY_STYLES = (
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='",
)


def allow_chart_styles(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let plotly's own two style elements through on this page, by their hashes."""
    decorated: Callable[..., HttpResponseBase] = csp_update({"style-src": list(PLOTLY_STYLES)})(view)
    return decorated
