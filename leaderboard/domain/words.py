"""Words of texts, for search: runs of letters and digits in small letters; everything else separates them.

So `--lr=0.01` and `(lr, 0.01)` have the same words. The site makes the words of what is stored and of what is
looked for, so that both databases find the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

INDEXED_END: Final = 40_000
"""Characters indexed at the beginning and at the end of a text: of a longer one the middle is not found."""
LONGEST_WORD: Final = 60
"""Characters of a word that are compared."""
BREAK: Final = "¦"
"""Stands between texts in the index, so that no phrase is found across two; nobody can look for it."""
SHORTEST_PREFIX: Final = 2
MOST_PREFIXES: Final = 5

_WORD = re.compile(r"[^\W_]+")
_ASKED = re.compile(r'"([^"]*)"(\*?)|(\S+)')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other; if ``prefix``, the last one may be the beginning of a word."""

    words: tuple[str, ...]
    prefix: bool = False


def indexed_words(*texts: str) -> str:
    """The words of ``texts``, separated by spaces: at most 960,000 bytes for three texts."""
    pieces = (" ".join(_words(piece)) for text in texts for _start, piece in indexed_pieces(text))
    return f" {BREAK} ".join(filter(None, pieces))


def indexed_pieces(text: str) -> list[tuple[int, str]]:
    """The parts of a text that are indexed, each with its offset."""
    if len(text) <= 2 * INDEXED_END:
        return [(0, text)]
    return [(0, text[:INDEXED_END]), (len(text) - INDEXED_END, text[-INDEXED_END:])]


def read_terms(text: str) -> list[Term]:
    """What is looked for: words, "phrases", and beginnings of words with a ``*`` behind them.

    A word with punctuation in it, such as ``train.py``, is a phrase.

    Raises:
        ValueError: there is no word, or a ``*`` would find too much; the message says what to do.
    """
    terms: dict[Term, None] = {}
    for phrase, star, plain in _ASKED.findall(text):
        asked = phrase or plain
        words = _words(asked)
        if words:
            # In `"no mod*"` and `"no mod"*` alike; a star after punctuation, as in `*.*`, is punctuation.
            prefix = bool(star) or (asked.endswith("*") and _WORD.fullmatch(asked[-2]) is not None)
            terms[Term(tuple(words), prefix)] = None
    if not terms:
        raise ValueError("Punctuation alone can't be searched for: type a word, of letters or digits.")
    prefixes = [term for term in terms if term.prefix]
    if any(len(term.words[-1]) < SHORTEST_PREFIX for term in prefixes):
        raise ValueError(f"Put at least {SHORTEST_PREFIX} letters or digits before a *.")
    if len(prefixes) > MOST_PREFIXES:
        raise ValueError(
            f"At most {MOST_PREFIXES} words can have a * in one search; there are {len(prefixes)}."
        )
    return list(terms)


def term_spans(text: str, term: Term) -> Iterator[tuple[int, int]]:
    """Where ``term`` stands in ``text``, as offsets."""
    words = [re.escape(word) + (r"[^\W_]*" if len(word) == LONGEST_WORD else "") for word in term.words]
    end = r"[^\W_]*" if term.prefix else r"(?![^\W_])"
    pattern = re.compile(r"(?<![^\W_])" + r"[\W_]+".join(words) + end)
    return (found.span() for found in pattern.finditer(_small(text)))


def fold_case(text: str) -> str:
    """A text in which case makes no difference; each character keeps its offset.

    So all forms of sigma are the same, as in a regular expression that ignores case.
    """
    if text.isascii():
        return text.lower()
    return text.translate({ord(character): _fold(character) for character in set(text)})


def _fold(character: str) -> str:
    if character in "İı":
        return "i"
    folded = character.casefold()
    return folded if len(folded) == 1 else character.lower()


def _words(text: str) -> list[str]:
    return [word[:LONGEST_WORD] for word in _WORD.findall(_small(text))]


def _small(text: str) -> str:
    """Small letters, as many as there were: İ alone would become two characters."""
    return text.replace("İ", "i").lower()
