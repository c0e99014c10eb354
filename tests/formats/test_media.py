"""Outputs of a notebook's cell, and images in what tools gave, in every format that has them."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import Step
from leaderboard.formats import read
from tests.formats.frameworks import (
    asks,
    atif,
    atif_step,
    inspect_log,
    inspect_sample,
    mini,
    mini_turn,
    run,
    tells,
    v0_events,
    v1_events,
)
from tests.formats.samples import as_bytes, notebook, step_cells
from tests.pictures import data_url, in_base64, jpeg, png

PNG = Media("image/png", png(), len(png()), 3, 2)
JPEG = Media("image/jpeg", jpeg(), len(jpeg()), 3, 2)
ELSEWHERE = Media("image/*", reason="the file has its address only")


def first_step(document: Any) -> Step:
    return read(as_bytes(document), name="a.json").steps[0]


def outputs(*found: dict[str, Any]) -> Step:
    document = notebook(step_cells(1))
    document["cells"][-1]["outputs"] = list(found)
    return first_step(document)


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def display(**data: Any) -> dict[str, Any]:
    named = {name.replace("__", "/").replace("_xml", "+xml"): value for name, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": named}


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ([display(text__plain="0  2"), display(text__plain="42")], "0  2\n42"),
        ([stream("a"), stream("b"), stream("c\n"), stream("d", "stderr"), stream("e")], "abc\nd\ne"),
        ([stream("loss"), stream("\r 50%\r100%", "stderr"), stream("done")], "loss\n\r 50%\r100%\ndone"),
        ([stream("a"), display(image__png="AA=="), stream("b")], "a\nb"),
        ([stream(""), display(text__plain="42")], "42"),
    ],
)
def test_each_output_of_a_cell_is_on_lines_of_its_own(found: list[dict[str, Any]], text: str) -> None:
    assert outputs(*found).observation == text


@pytest.mark.parametrize(
    ("data", "media"),
    [
        ({"image__png": [in_base64(png())[:20], in_base64(png())[20:]]}, PNG),
        ({"text__plain": "<Figure>", "text__html": "<img>", "image__jpeg": in_base64(jpeg())}, JPEG),
        ({"text__html": "<b>acc</b>", "application__json": {"a": 1}}, Media("text/html", b"<b>acc</b>", 10)),
        ({"application__json": {"acc": 0.91}}, Media("application/json", b'{"acc": 0.91}', 13)),
        ({"text__latex": "$x$"}, Media("text/latex", b"$x$", 3)),
        ({"text__plain": "<IPython>", "image__svg_xml": "<svg/>"}, Media("image/svg+xml", b"<svg/>", 6)),
        ({"image__png": "AAAA"}, Media("image/png", size=3, reason="its data is damaged")),
    ],
)
def test_a_cell_s_output_that_is_no_text_is_kept(data: dict[str, Any], media: Media) -> None:
    step = outputs(display(**data))
    assert (step.observation, step.media) == (data.get("text__plain"), (media,))


def test_other_forms_of_a_text_are_left_out() -> None:
    assert outputs(display(text__plain="   a", text__html="<table>")).media == ()


def test_a_step_with_an_image_is_not_said_to_have_no_observation() -> None:
    document = notebook(step_cells(1))
    document["cells"][-1]["outputs"] = [display(image__png=in_base64(png()))]
    assert read(as_bytes(document), name="a.ipynb").warnings == ()


ANTHROPIC = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": in_base64(png())},
}
PARTS: list[tuple[dict[str, Any], Media]] = [
    (ANTHROPIC, PNG),
    ({"type": "tool_result", "content": [{"type": "text", "text": "seen"}, ANTHROPIC]}, PNG),
    ({"type": "image", "source": {"type": "url", "url": "https://e.example/x.png"}}, ELSEWHERE),
    ({"type": "image", "source": {"media_type": "image/png", "path": "images/x.png"}}, ELSEWHERE),
    ({"type": "image_url", "image_url": {"url": data_url(png())}}, PNG),
    ({"type": "image_url", "image_url": data_url(jpeg(), "image/png")}, JPEG),
    ({"type": "input_image", "image_url": data_url(png())}, PNG),
    ({"type": "image", "image": data_url(png())}, PNG),
    ({"type": "image", "image_urls": [data_url(png())]}, PNG),
]


@pytest.mark.parametrize(("part", "media"), PARTS)
def test_an_image_in_what_a_tool_gave_is_kept_in_every_format(part: dict[str, Any], media: Media) -> None:
    content = [{"type": "text", "text": "seen"}, part]
    documents = [
        inspect_log(inspect_sample(asks(("c1", "bash", {"cmd": "ls"})), tells("c1", content))),
        atif(atif_step(("bash_command", {"keystrokes": "ls"}, content))),
        mini(mini_turn("ls"), {"role": "user", "content": content}),
        v0_events(run("ls", content)),
        seen_by_openhands(content=content),
    ]
    for document in documents:
        step = first_step(document)
        assert step.media == (media,)
        assert (step.observation or "").startswith("seen")
        assert "base64" not in (step.observation or "")


def test_an_image_that_inspect_stores_apart_is_found() -> None:
    content = [{"type": "image", "image": "attachment://abc"}]
    sample = inspect_sample(
        asks(("c1", "bash", {"cmd": "ls"})), tells("c1", content), attachments={"abc": data_url(png())}
    )
    assert first_step(inspect_log(sample)).media == (PNG,)


def test_a_screenshot_of_openhands_is_kept_once() -> None:
    events = v0_events(("browse_interactive", {"browser_actions": "click('1')"}, "page"))
    events[-1]["extras"] = {"screenshot": data_url(png()), "image_urls": [data_url(png()), data_url(jpeg())]}
    assert first_step(events).media == (PNG, JPEG)

    content = [{"type": "image", "image_urls": [data_url(png())]}]
    newer = seen_by_openhands(content=content, screenshot_data=in_base64(png()))
    assert first_step(newer).media == (PNG,)


def seen_by_openhands(**observation: Any) -> list[Any]:
    """Events of version 1: one call, and what came of it."""
    events = v1_events(("browser", {"kind": "BrowserGetStateAction"}, ""))
    events[-1]["observation"] |= observation
    return events
