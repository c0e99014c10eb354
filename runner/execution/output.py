"""A long text's head and tail, in bounded memory."""

from __future__ import annotations


class HeadAndTail:
    """Collects text and keeps its first and last characters.

    Args:
        size: how many characters are kept, half of them of each end.
    """

    def __init__(self, size: int) -> None:
        self._head_size = (size + 1) // 2
        self._tail_size = size // 2
        self._head = ""
        self._tail = ""
        self._added = 0

    def add(self, text: str) -> None:
        """Appends text."""
        self._added += len(text)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += text[:room]
            text = text[room:]
        # Cut as soon as it is twice as long as needed, so that each character is copied a few times at most.
        self._tail += text[-2 * self._tail_size :] if self._tail_size else ""
        if len(self._tail) > 2 * self._tail_size:
            self._tail = self._tail[-self._tail_size :]

    @property
    def dropped(self) -> int:
        """How many characters ``text`` leaves out."""
        return max(0, self._added - self._head_size - self._tail_size)

    def text(self) -> str:
        """The text; a line in its middle says how much is left out."""
        if not self.dropped:
            return self._head + self._tail
        tail = self._tail[len(self._tail) - self._tail_size :]
        return f"{self._head}\n[{self.dropped} characters were left out here]\n{tail}"
