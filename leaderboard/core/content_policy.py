"""What pages may load and do: the Content-Security-Policy of the site and of `superboard view`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

NONE, SELF = "'none'", "'self'"
DIRECTIVES: Final[Mapping[str, Sequence[str]]] = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "font-src": [SELF],
    "connect-src": [SELF],
    "manifest-src": [SELF],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
UNUSED_FEATURES: Final = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media"),
    *("geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment", "serial", "usb"),
)
"""Features of browsers that pages use none of; what an agent wrote must not either."""
PERMISSIONS: Final = ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES)
