"""The kernel: ipykernel, changed so that large output and invalid text neither lose nor break messages.

It runs next to the agent's code, which can undo these changes; the reader must not depend on them.
"""

from __future__ import annotations

import json
import os
from typing import Any

import zmq
from ipykernel.iostream import OutStream
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.jsonutil import json_clean, json_default
from jupyter_client.session import json_packer
from traitlets.config import Config

PIECE = 128_000
"""Characters of output after which the stream is flushed."""

TEXT_LIMIT = 2_000_000
"""Most characters of a result or of a line of a traceback, so that a message keeps the reader's limit."""

IMAGE_LIMIT = 5_000_000
"""The same for an image, in base64."""

IMAGES = ("image/png", "image/jpeg")
"""The forms of a result that are kept beside its text: one of them."""


class Stream(OutStream):  # type: ignore[misc]
    """stdout or stderr that sends large output in pieces, and flushes after each."""

    def write(self, string: str) -> int:
        """Writes a text; see `io.TextIOBase.write`."""
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string)}")
        for start in range(0, max(1, len(string)), PIECE):
            piece = string[start : start + PIECE]
            super().write(piece)
            self._held = getattr(self, "_held", 0) + len(piece)
            if self._held >= PIECE:
                self._held = 0
                self.flush()
        return len(string)


class KernelApp(IPKernelApp):  # type: ignore[misc]
    """A kernel that other users can connect to, and that waits for a slow reader."""

    def init_sockets(self) -> None:
        """Makes sockets for all users, as the reader may be another one; messages are signed with a key."""
        before = os.umask(0)
        try:
            super().init_sockets()
        finally:
            os.umask(before)

    def init_iopub(self, context: Any) -> None:
        """Makes output wait for a slow reader; by default messages would be dropped."""
        context.setsockopt(zmq.XPUB_NODROP, 1)
        super().init_iopub(context)


def pack(message: Any) -> bytes:
    """A part of a message as JSON; lone surrogates become escapes, too long texts lose their middle."""
    if isinstance(message, dict):
        message = _shorten(message)
    try:
        packed: bytes = json_packer(message)
    except UnicodeEncodeError:
        packed = json.dumps(json_clean(message), default=json_default).encode()
    return packed


def _shorten(content: dict[str, Any]) -> dict[str, Any]:
    data = content.get("data")
    if isinstance(data, dict) and ("text/plain" in data or any(image in data for image in IMAGES)):
        kept = [(image, data[image]) for image in IMAGES if _is_small(data.get(image))][:1]
        if "text/plain" in data:
            kept.append(("text/plain", _cut(data["text/plain"], TEXT_LIMIT // 2 if kept else TEXT_LIMIT)))
        return {**content, "data": dict(kept)}
    if isinstance(lines := content.get("traceback"), list):
        return {**content, "evalue": _cut(content.get("evalue", "")), "traceback": [*map(_cut, lines)]}
    return content


def _is_small(image: Any) -> bool:
    return isinstance(image, str) and len(image) <= IMAGE_LIMIT


def _cut(text: Any, limit: int = TEXT_LIMIT) -> Any:
    if not isinstance(text, str) or len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


if __name__ == "__main__":
    names = {"packer": "superboard_kernel.pack", "unpacker": "jupyter_client.session.json_unpacker"}
    KernelApp.launch_instance(outstream_class="superboard_kernel.Stream", config=Config({"Session": names}))
