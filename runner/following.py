"""Show what other processes append to a file, as it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.2


@contextmanager
def following(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """While the context is open, say what is appended to the file; what is in it already is left unsaid."""
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
            # One more look after the end was called: what came meanwhile is said, too.
            last = done.wait(SECONDS_BETWEEN_LOOKS)
            if text := file.read():
                say(text)
