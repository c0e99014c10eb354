"""Messages to workers as files in a folder: a broker on one machine that needs no service of its own.

kombu's own file transport creates a file and then writes it. A worker that looks in between finds no JSON and
ends. Here a file has its whole content before it has a name that workers look for.
"""

from __future__ import annotations

import json
import logging
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import virtual

logger = logging.getLogger(__name__)


class Channel(virtual.Channel):
    """Keeps each message as ``<time in ns>_<random>.<queue>.msg`` in the option ``folder``."""

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        path = self._folder / f"{time.time_ns()}_{uuid4()}.{queue}.msg"
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(message))
        unfinished.rename(path)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        for path in sorted(self._messages(queue)):
            # Another worker may delete or rename it at any time.
            with suppress(FileNotFoundError):
                try:
                    message: dict[str, Any] = json.loads(path.read_bytes())
                except ValueError:
                    unreadable = path.rename(path.with_suffix(".unreadable"))
                    logger.exception("A message cannot be read; it is kept as %s.", unreadable)
                    continue
                # Only one worker can delete it, and gets the message.
                path.unlink()
                return message
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._messages(queue))

    def _purge(self, queue: str) -> int:
        paths = self._messages(queue)
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)

    def _messages(self, queue: str) -> list[Path]:
        return [path for path in self._folder.iterdir() if path.name.partition(".")[2] == f"{queue}.msg"]

    @property
    def _folder(self) -> Path:
        return Path(self.connection.client.transport_options["folder"])


class Transport(virtual.Transport):
    """What ``CELERY_BROKER_TRANSPORT`` names where the broker's URL is ``filesystem://localhost/``."""

    Channel = Channel
    driver_type = driver_name = "files"
