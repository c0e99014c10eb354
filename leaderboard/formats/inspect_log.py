"""Inspect's ``.json`` log: one document with all samples."""

from __future__ import annotations

from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.texts import gettext as _
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import kind_of_json
from leaderboard.formats.inspect_sample import InspectSample
from leaderboard.formats.samples import MAX_NUMBER, Picked, Sample

NAME: Final = "Inspect .json"


def detect(content: object) -> bool:
    """Whether the document is a log."""
    return isinstance(content, dict) and all(key in content for key in ("version", "status", "eval"))


def samples(content: dict[str, JsonValue], *, name: str) -> tuple[Sample, ...]:
    """The log's samples, each under its id and epoch.

    Raises:
        InputError: there is no list of samples, or one is no object.
    """
    items = content.get("samples") or []
    if not isinstance(items, list):
        reason = _("the samples are {found}, not a list", found=kind_of_json(items))
        raise InputError(Problem(name, "$.samples", reason, _("export the log again")))
    return tuple(_sample(item, index, name=name) for index, item in enumerate(items))


def pick(content: dict[str, JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    """A sample's document."""
    return Picked(InspectSample(content["samples"][index], ()), f"$.samples[{index}]")


def _sample(item: Any, index: int, *, name: str) -> Sample:
    if not isinstance(item, dict):
        reason = _("the sample is {found}, not an object", found=kind_of_json(item))
        raise InputError(Problem(name, f"$.samples[{index}]", reason, _("export the log again")))
    task, epoch = item.get("id"), item.get("epoch")
    task_id = str(task) if isinstance(task, str | int) else f"sample {index + 1}"
    attempt = epoch if type(epoch) is int and 1 <= epoch <= MAX_NUMBER else None
    return Sample(f"{task_id}_epoch_{attempt or 1}", task_id, attempt)
