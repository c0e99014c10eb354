"""Outputs that are no text: on the page, in the notebook, and in the page alone."""

from __future__ import annotations

import base64
import json
from html import unescape

import nbformat
import pytest

from leaderboard.domain.media import Media, from_base64, from_text
from leaderboard.domain.trajectory import Trajectory
from leaderboard.rendering import notebook_bytes, render_attempt, standalone_html
from leaderboard.rendering.addresses import MEDIA_URL, marker
from leaderboard.rendering.notebook import to_notebook
from tests.pictures import in_base64, png
from tests.rendering.helpers import XSS, Elements, step, trajectory

IMAGE = from_base64("image/png", in_base64(png(30, 20)))
SVG = from_text("image/svg+xml", f"<svg>{XSS}</svg>")
DAMAGED = Media("image/png", reason="its data is damaged")
REST = Media("", size=1234, reason="the limit is reached")


def attempt(*media: Media, observation: str | None = None) -> Trajectory:
    return trajectory(step(observation, number=3, media=media))


def test_an_image_is_a_file_of_its_own_with_its_size() -> None:
    html = render_attempt(attempt(IMAGE)).html
    address = marker(MEDIA_URL, 3, 1)
    said = f"PNG image, 30 by 20 pixels, {IMAGE.size} bytes"
    assert (
        f'<figure class="media"><a href="{address}"><img src="{address}" width="30" height="20" '
        f'loading="lazy" alt="{said}, output of step 3"></a><figcaption>{said}</figcaption></figure>' in html
    )
    assert "base64" not in html
    assert in_base64(png(30, 20))[:40] not in html


def test_what_is_not_shown_is_named_and_offered() -> None:
    html = render_attempt(attempt(SVG, DAMAGED, REST)).html
    address = marker(MEDIA_URL, 3, 1)
    assert (
        f'<p class="media">SVG image, {SVG.size} bytes, not shown: <a href="{address}">download</a></p>'
        in html
    )
    assert '<p class="media">PNG image, not shown: its data is damaged</p>' in html
    assert "1,234 more outputs that are no text, not shown: the limit is reached" in html
    assert not {"svg", "script", "img"} & set(Elements(html).tags)


@pytest.mark.parametrize("media", [IMAGE, SVG, DAMAGED])
def test_a_step_with_such_an_output_has_an_output(media: Media) -> None:
    assert "no output" not in render_attempt(attempt(media)).html
    assert "no output" in render_attempt(attempt()).html


def test_text_and_search_are_as_without_an_image() -> None:
    with_image, without = (render_attempt(attempt(*media, observation="loss")) for media in ((IMAGE,), ()))
    assert with_image.texts == without.texts
    assert with_image.outline == without.outline


def test_a_notebook_has_its_images_as_outputs_and_nothing_that_can_run() -> None:
    data = notebook_bytes(to_notebook(attempt(SVG, IMAGE, DAMAGED, observation="loss")))
    notebook = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    stream, shown = notebook.cells[-1].outputs
    assert stream.text == "loss"
    assert base64.b64decode(shown.data["image/png"]) == png(30, 20)
    assert "svg" not in json.dumps(notebook.cells[-1].outputs)


def test_the_page_alone_holds_its_images_and_loads_nothing() -> None:
    page = standalone_html(to_notebook(attempt(SVG, IMAGE)), (), "An attempt")
    found = Elements(page)
    sources = [value for name, value in found.attributes if name == "src"]
    assert sources == [f"data:image/png;base64,{in_base64(png(30, 20))}"]
    assert "img-src data:;" in unescape(page)
    assert f"SVG image, {SVG.size} bytes, not shown</p>" in page
