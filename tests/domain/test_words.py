"""Words: what is stored and what is looked for are taken apart in the same way."""

from __future__ import annotations

import pytest

from leaderboard.domain.words import (
    BREAK,
    INDEXED_END,
    LONGEST_WORD,
    Term,
    fold_case,
    indexed_words,
    read_terms,
    term_spans,
)


def test_words_are_letters_and_digits_in_small_letters() -> None:
    text = "`__init__.py`: ModuleNotFoundError (--lr=0.01)\x00\ud800 Größe"

    assert indexed_words(text) == "init py modulenotfounderror lr 0 01 größe"


def test_no_phrase_goes_from_one_text_into_the_next() -> None:
    assert indexed_words("import", "", "...", "torch") == f"import {BREAK} torch"


def test_of_a_long_text_the_beginning_and_the_end_are_indexed() -> None:
    text = "first " + "x" * INDEXED_END + " middle " + "y" * INDEXED_END + " last"

    words = indexed_words(text).split()

    assert {"first", BREAK, "last"} < set(words)
    assert "middle" not in words


def test_the_words_of_the_worst_step_are_few_enough_for_an_index_of_postgresql() -> None:
    widest = "".join(chr(code) for code in range(0x20000, 0x20000 + 40_000)) * 3

    assert len(indexed_words(widest, widest, widest).encode()) < 1 << 20


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("Import ERROR", [Term(("import",)), Term(("error",))]),
        ("train.py", [Term(("train", "py"))]),
        ('"out of  memory" error', [Term(("out", "of", "memory")), Term(("error",))]),
        ('File "train.py", line', [Term(("file",)), Term(("train", "py")), Term(("line",))]),
        ('"an open quote', [Term(("an",)), Term(("open",)), Term(("quote",))]),
        ("token*", [Term(("token",), prefix=True)]),
        ('"no mod"*', [Term(("no", "mod"), prefix=True)]),
        ('"no mod*"', [Term(("no", "mod"), prefix=True)]),
        ("model.* **bold** *args", [Term(("model",)), Term(("bold",)), Term(("args",))]),
        ("a AND b OR NOT a", [Term(("a",)), Term(("and",)), Term(("b",)), Term(("or",)), Term(("not",))]),
        ("--lr 0.01", [Term(("lr",)), Term(("0", "01"))]),
        ("x" * 200, [Term(("x" * LONGEST_WORD,))]),
    ],
)
def test_terms_are_read_as_people_type_them(typed: str, terms: list[Term]) -> None:
    assert read_terms(typed) == terms


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "Punctuation alone"),
        ('"" && *', "Punctuation alone"),
        ("\x00\ud800", "Punctuation alone"),
        ("a*", "at least 2 letters"),
        ("ab* cd* ef* gh* ij* kl*", "At most 5 words"),
    ],
)
def test_what_can_not_be_looked_for_is_refused_with_what_to_do(typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_terms(typed)


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        ("batch_size", ["batch-size", "Batch Size"]),
        ("batch", ["batch", "Batch"]),
        ("bat*", ["batch", "Batch", "bats"]),
        ("i\N{COMBINING DOT ABOVE}", []),
        ("istanbul", ["İstanbul"]),
        ("size", ["size", "Size"]),
    ],
)
def test_terms_are_marked_in_the_text_where_they_are_found(typed: str, marked: list[str]) -> None:
    text = "İstanbul --batch-size 8, Batch Size bats resize"

    assert [text[start:end] for start, end in term_spans(text, read_terms(typed)[0])] == marked


def test_folding_the_case_keeps_offsets_and_finds_what_an_expression_without_case_finds() -> None:
    assert fold_case("LOSS") == "loss"
    assert fold_case("İSTANBUL ΟΔΟΣ ẞ \u212a ﬁ") == fold_case("istanbul οδοσ ß k ﬁ") == "istanbul οδοσ ß k ﬁ"
