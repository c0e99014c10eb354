"""Outputs that are no text: which are shown, and that none of them can harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain import media
from leaderboard.domain.media import JPEG, PNG, Media, from_base64, from_text, from_url, limited
from tests.pictures import data_url, in_base64, jpeg, png


@pytest.mark.parametrize(("data", "mime"), [(png(30, 20), PNG), (jpeg(30, 20), JPEG)])
def test_an_image_is_shown_with_its_size_whatever_it_claims_to_be(data: bytes, mime: str) -> None:
    for claimed in (PNG, JPEG, "image/webp", "text/html", "nonsense"):
        assert from_base64(claimed, in_base64(data)) == Media(mime, data, len(data), 30, 20)


def test_base64_may_be_broken_into_lines() -> None:
    lines = "\n".join(in_base64(png())[at : at + 10] for at in range(0, 120, 10))
    assert from_base64(PNG, lines + in_base64(png())[120:]).is_shown


@pytest.mark.parametrize("whole", [png(), jpeg()])
def test_an_image_that_is_cut_off_is_not_shown(whole: bytes) -> None:
    for end in range(len(whole)):
        assert not from_base64(PNG, in_base64(whole[:end])).is_shown
    for text in (in_base64(whole)[:-3], "not base64!", "é", "A"):
        assert from_base64(PNG, text) == Media(PNG, reason="its data is damaged")


def test_an_image_with_too_many_pixels_is_not_shown() -> None:
    found = from_base64(PNG, in_base64(png(60_000, 60_000)))
    assert (found.is_shown, found.content) == (False, b"")
    assert found.reason == "it has 60,000 by 60,000 pixels, more than 25 million"


def test_what_is_too_large_is_not_even_decoded() -> None:
    found = from_base64(PNG, "!" * 16_000_000)
    assert (found.content, found.size, found.reason) == (b"", 12_000_000, "it is larger than 5 MB")
    assert from_text("text/html", "x" * 5_000_001).content == b""


def test_anything_else_is_named_and_kept() -> None:
    assert from_text("image/svg+xml", "<svg/>") == Media("image/svg+xml", b"<svg/>", 6)
    assert from_text("text/html", "\ud800").content == b"?"
    assert from_base64("image/gif", in_base64(b"GIF89a")).name == "GIF image"
    assert from_text('a/b"><script>', "").name == "application/octet-stream"


def test_an_address_is_never_more_than_mentioned() -> None:
    assert from_url(data_url(png())).is_shown
    assert from_url("data:image/svg+xml;charset=utf-8,<svg/>") == Media("image/svg+xml", b"<svg/>", 6)
    for url in ("https://e.example/x.png", "images/step_5.png", "file:///etc/passwd", ""):
        assert from_url(url) == Media("image/*", reason="the file has its address only")


@given(st.binary(max_size=60), st.sampled_from([b"", png()[:8], png()[:33], jpeg()[:3], jpeg()[:12]]))
def test_no_bytes_raise(data: bytes, start: bytes) -> None:
    found = from_base64(PNG, in_base64(start + data))
    assert found.is_shown or found.reason


def test_an_attempt_lists_so_many_and_counts_the_rest() -> None:
    one = from_base64(PNG, in_base64(png()))
    first, second, third = limited([(one,) * 150, (one,) * 150, (one,) * 7])
    assert [len(first), len(second), len(third)] == [150, 51, 1]
    assert (second[-1].size, third[-1].size, third[-1].content) == (100, 7, b"")
    assert second[-1].reason == "the limit of 200 outputs that are no text is reached"


def test_an_attempt_keeps_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "MAX_TOTAL", 2 * len(png()))
    one = from_base64(PNG, in_base64(png()))
    (kept,) = limited([(one, one, one)])
    assert [each.is_shown for each in kept] == [True, True, False]
    assert kept[2].size == len(png())
