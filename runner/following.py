"""Follows a file, as `tail -f` does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.2


@contextmanager
def following(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """While the context is open, call ``say`` with what is appended to the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    done = threading.Event()
    thread = threading.Thread(target=_follow, args=(path, path.stat().st_size, say, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _follow(path: Path, start: int, say: Callable[[str], None], done: threading.Event) -> None:
    with path.open(errors="replace") as file:
        file.seek(start)
        last = False
        while not last:
            # Read once more after the end, for text that came in between.
            last = done.wait(SECONDS_BETWEEN_LOOKS)
            if text := file.read():
                say(text)
