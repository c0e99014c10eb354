"""Inspect's ``.json`` log: one document with all samples."""

from __future__ import annotations

from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import kind_of_json
from leaderboard.formats.inspect_sample import InspectSample
from leaderboard.formats.samples import MAX_NUMBER, Picked, Sample

NAME: Final = "Inspect .json"


def detect(content: object) -> bool:
    """Whether the document is a log."""
    return isinstance(content, dict) and all(key in content for key in ("version", "status", "eval"))


def samples(content: dict[str, JsonValue], *, name: str) -> tuple[Sample, ...]:
    """The log's samples; a key has the sample's id and epoch.

    Raises:
        InputError: there is no list of samples, one is not an object, or two have the same id and epoch.
    """
    items = content.get("samples") or []
    if not isinstance(items, list):
        reason = f"the samples are {kind_of_json(items)}, not a list"
        raise InputError(Problem(name, "$.samples", reason, "export the log again"))
    found: dict[str, Sample] = {}
    for index, item in enumerate(items):
        sample = _sample(item, index, name=name)
        if sample.key in found:
            reason = f"the sample {sample.key[:80]} is already in the log"
            raise InputError(Problem(name, f"$.samples[{index}]", reason, "keep one of them"))
        found[sample.key] = sample
    return tuple(found.values())


def pick(content: dict[str, JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    """A sample's document."""
    finished = content["status"] != "started"
    return Picked(InspectSample(content["samples"][index], finished=finished), f"$.samples[{index}]")


def _sample(item: Any, index: int, *, name: str) -> Sample:
    if not isinstance(item, dict):
        reason = f"the sample is {kind_of_json(item)}, not an object"
        raise InputError(Problem(name, f"$.samples[{index}]", reason, "export the log again"))
    task, epoch = item.get("id"), item.get("epoch")
    task_id = storable(str(task)) if isinstance(task, str | int) else ""
    attempt = epoch if type(epoch) is int and 1 <= epoch <= MAX_NUMBER else None
    return Sample(f"{task_id or index + 1}_epoch_{attempt or 1}", task_id, attempt)
