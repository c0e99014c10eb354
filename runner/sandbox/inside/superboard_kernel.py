"""The kernel: ipykernel, held so that neither floods nor odd text lose or break a message.

It runs inside the sandbox, next to the agent's code, which can undo all of this; whoever reads the
messages must be safe without it.
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
"""Characters that are held back before a message is sent without waiting for the next flush."""

TEXT_LIMIT = 2_000_000
"""Characters of a result or a traceback's line; as UTF-8 they fit the reader's limit for a message."""


class Stream(OutStream):  # type: ignore[misc]
    """stdout or stderr that sends large output in pieces, and waits until each is on its way."""

    def write(self, string: str) -> int:
        """As for any text file."""
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
    """An IPython kernel whose sockets others may connect to, and which waits for its reader."""

    def init_sockets(self) -> None:
        """The key in the connection file says who may talk; the reader can be another user."""
        before = os.umask(0)
        try:
            super().init_sockets()
        finally:
            os.umask(before)

    def init_iopub(self, context: Any) -> None:
        """A slow reader slows the output down; by default messages would be dropped."""
        context.setsockopt(zmq.XPUB_NODROP, 1)
        super().init_iopub(context)


def pack(message: Any) -> bytes:
    """A part of a message as JSON; lone surrogates become escapes, over-long texts lose their middle."""
    if isinstance(message, dict):
        message = _shorten(message)
    try:
        packed: bytes = json_packer(message)
    except UnicodeEncodeError:
        packed = json.dumps(json_clean(message), default=json_default).encode()
    return packed


def _shorten(content: dict[str, Any]) -> dict[str, Any]:
    if isinstance(data := content.get("data"), dict) and "text/plain" in data:
        # Only text is ever shown to an agent.
        return {**content, "data": {"text/plain": _cut(data["text/plain"])}}
    if isinstance(lines := content.get("traceback"), list):
        return {**content, "evalue": _cut(content.get("evalue", "")), "traceback": [*map(_cut, lines)]}
    return content


def _cut(text: Any) -> Any:
    if not isinstance(text, str) or len(text) <= TEXT_LIMIT:
        return text
    half = TEXT_LIMIT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


if __name__ == "__main__":
    names = {"packer": "superboard_kernel.pack", "unpacker": "jupyter_client.session.json_unpacker"}
    KernelApp.launch_instance(outstream_class="superboard_kernel.Stream", config=Config({"Session": names}))
