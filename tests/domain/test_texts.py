"""Sentences keep what they were made from, so that a page can say them in another language."""

from __future__ import annotations

import json
import pickle

import pytest
from django.utils.translation import override
from leaderboard.domain.texts import Text, from_data, gettext, ngettext, verbatim

from leaderboard.core.labels import translated

SENTENCES = (
    gettext("the file is empty"),
    gettext("braces {} stand for themselves where nothing fills them"),
    gettext("{name} has {n} characters", name="{odd} name", n=12_000),
    ngettext("{n} file", "{n} files", 1),
    ngettext("{n} file", "{n} files", 12_000),
    gettext("not valid JSON: {why}", why=gettext("at {place}", place="line 3")),
    verbatim("100 % {of} it"),
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_survives_json_and_pickle(sentence: Text) -> None:
    through_json = from_data(json.loads(json.dumps(sentence.as_data())))
    through_pickle = pickle.loads(pickle.dumps(sentence))  # noqa: S301 - our own bytes
    for again in (through_json, through_pickle):
        assert again == sentence
        assert again.as_data() == sentence.as_data()


def test_it_is_plain_english_for_whoever_prints_it() -> None:
    assert gettext("{n} of {all}", n=1, all=2) == "1 of 2"
    assert ngettext("{n} file", "{n} files", 1) == "1 file"
    assert ngettext("{n} file", "{n} files", 0) == "0 files"


def test_a_page_groups_whole_numbers() -> None:
    with override("en"):
        assert translated(ngettext("{n} file", "{n} files", 12_000)) == "12,000 files"
        assert translated(gettext("so: {why}", why=ngettext("{n} file", "{n} files", 1))) == "so: 1 file"


def test_a_stored_plain_string_is_taken_as_it_is() -> None:
    assert translated(from_data("50 {percent}")) == "50 {percent}"
