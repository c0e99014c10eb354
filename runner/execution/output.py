"""Keeps the head and the tail of a long text, in bounded memory."""

from __future__ import annotations

from leaderboard.domain.text import left_out_line


class HeadAndTail:
    """Collects text and keeps its first and last characters.

    Args:
        size: how many characters are kept, half of them at each end.
    """

    def __init__(self, size: int) -> None:
        self._head_size = (size + 1) // 2
        self._tail_size = size // 2
        self._head = ""
        self._tail = ""
        self._added = 0
        self._hidden = 0

    def add(self, text: str, *, hidden: int = 0) -> None:
        """Appends text; ``hidden`` characters of it were left out before."""
        self._hidden += hidden
        self._added += len(text)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += text[:room]
            text = text[room:]
        # Cut only at twice the size, so that each character is copied only a few times.
        self._tail += text[-2 * self._tail_size :] if self._tail_size else ""
        if len(self._tail) > 2 * self._tail_size:
            self._tail = self._tail[-self._tail_size :]

    @property
    def dropped(self) -> int:
        """How many characters ``text`` leaves out."""
        return max(0, self._added - self._head_size - self._tail_size) + self._hidden

    def holds(self, more: int) -> bool:
        """Whether all of the text is kept, also after ``more`` characters."""
        return not self._hidden and self._added + more <= self._head_size + self._tail_size

    def text(self) -> str:
        """The text; a line in its middle says how much is left out."""
        if self._added <= self._head_size + self._tail_size:
            return self._head + self._tail
        tail = self._tail[len(self._tail) - self._tail_size :]
        return f"{self._head}\n{left_out_line(self.dropped)}\n{tail}"
