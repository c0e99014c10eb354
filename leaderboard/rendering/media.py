"""The outputs of a step that are no text: images are shown, all others named."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from leaderboard.domain.media import Media
from leaderboard.domain.text import plural, size_text
from leaderboard.rendering.addresses import MEDIA_URL, marker
from leaderboard.rendering.model import Node


def about_media(media: Sequence[Media]) -> list[dict[str, Any]]:
    """What the notebook's metadata say of each output; ``width`` and ``height`` are 0 if it is not shown."""
    return [
        {
            "caption": _caption(one),
            "width": one.width,
            "height": one.height,
            "kept": bool(one.content),
            "reason": one.reason,
        }
        for one in media
    ]


def image_outputs(media: Sequence[Media]) -> list[dict[str, Any]]:
    """The images that are shown, as outputs of a notebook's cell."""
    return [
        {
            "output_type": "display_data",
            "data": {one.mime: base64.b64encode(one.content).decode(), "text/plain": _caption(one)},
            "metadata": {one.mime: {"width": one.width, "height": one.height}},
        }
        for one in media
        if one.is_shown
    ]


def media_of_cell(cell: Node, *, whole: bool) -> Iterator[dict[str, Any]]:
    """What the page says of each output: its metadata, ``source`` of an image, ``address`` of a file.

    ``whole``: a page without a server, which holds its images itself and has no address for any.
    """
    about = cell["metadata"]["superboard"]
    images = (output["data"] for output in cell["outputs"] if output["output_type"] == "display_data")
    for number, each in enumerate(about.get("media", ()), start=1):
        # No text of the agent is in a marker.
        address = Markup(marker(MEDIA_URL, about["step"], number)) if each["kept"] else ""  # noqa: S704
        source: str = address
        if each["width"] and whole:
            mime, data = next(iter(next(images).items()))
            source = f"data:{mime};base64,{data}"
        yield {**each, "source": source, "address": "" if whole else address}


def _caption(one: Media) -> str:
    if not one.mime:
        return plural(one.size, "{n} more output that is no text", "{n} more outputs that are no text")
    pixels = f", {one.width:,} by {one.height:,} pixels" if one.is_shown else ""
    return f"{one.name}{pixels}" + (f", {size_text(one.size)}" if one.size else "")
