"""Keys of names: names that look alike have the same key.

The characters that look alike are Unicode's, of UTS #39 (confusables.txt).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any, Final

import regex
from confusable_homoglyphs.utils import load

from leaderboard.domain.readable import INVISIBLE

KEY_LENGTH: Final = 400
"""Characters of a key: it is cut there, as a database's index has a limit."""
# Only marks of no script of their own: in others, such as Devanagari, marks are vowels.
_LEFT_OUT: Final = regex.compile(rf"[{INVISIBLE}]|[\p{{M}}&&\p{{Script=Inherited}}]", regex.V1)


def name_key(*names: str) -> str:
    """The key of a name, or of one in several columns such as agent and model.

    It leaves out spaces, invisible characters and accents, and folds case, width, and characters that look
    alike, in other scripts too.
    """
    # Joined as pages show them: “A · B” by “C” looks like “A” by “B · C”.
    words = unicodedata.normalize("NFKC", " · ".join(names)).split()
    return "".join(map(_word_key, words))[:KEY_LENGTH]


def _word_key(word: str) -> str:
    shape = _shape(word)
    if not shape.isascii():
        # It can't pass for a Latin word. Lower case first: the Cyrillic capital that looks like H has a lower
        # case that does not look like h.
        shape = _shape(word.casefold())
    # The lower case of a shape may have another one: M and m. I looks like l, so i is l as well.
    return _shape(shape.casefold()).casefold().replace("i", "l")


def _shape(word: str) -> str:
    return _without_marks(_without_marks(word).translate(_prototypes()))


def _without_marks(text: str) -> str:
    return str(_LEFT_OUT.sub("", unicodedata.normalize("NFKD", text)))


@cache
def _prototypes() -> dict[int, str]:
    """By character, what Unicode takes to stand for all that look like it. Reads a file of 0.9 MB, once."""
    # Every pair of confusables.txt, in both directions: of a pair, the prototype has more partners.
    partners: dict[str, list[dict[str, Any]]] = load("confusables.json")

    def rank(text: str) -> tuple[int, int, bool, str]:
        return len(partners.get(text, ())), len(text), text.isascii(), text

    best = {text: max((other["c"] for other in others), key=rank) for text, others in partners.items()}
    return {ord(text): other for text, other in best.items() if len(text) == 1 and rank(other) > rank(text)}
