"""Inspect's ``.json`` log: one document with all samples."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.inspect_sample import InspectSample
from leaderboard.formats.inspect_steps import LOG_AGAIN
from leaderboard.formats.samples import Picked, Sample, as_attempt, attempt_fault
from leaderboard.formats.shapes import expect_objects

NAME: Final = "Inspect .json"


def detect(content: object) -> bool:
    return isinstance(content, dict) and all(key in content for key in ("version", "status", "eval"))


def starts_log(head: bytes) -> bool:
    """Whether a file with this beginning is one, which may hold several attempts."""
    return head.lstrip()[:1] == b"{" and all(key in head for key in (b'"version"', b'"status"', b'"eval"'))


def samples(content: dict[str, JsonValue], *, name: str) -> tuple[Sample, ...]:
    """The log's samples; a key has the sample's id and epoch."""
    items = content.get("samples") or []
    texts = "the samples are {}, not a list", "the sample is {}, not an object"
    found: dict[str, Sample] = {}
    for place, item in expect_objects(items, *texts, name=name, place="$.samples", remedy=LOG_AGAIN):
        task, epoch = item.get("id"), item.get("epoch")
        attempt, fault = as_attempt(epoch), attempt_fault(epoch, name=name, place=f"{place}.epoch")
        task_id = storable(str(task)) if isinstance(task, str | int) else ""
        key = f"{task_id or len(found) + 1}_epoch_{attempt or 1}" if not fault else f"sample {len(found) + 1}"
        if key in found:
            reason = f"the sample {key[:80]} is already in the log"
            raise InputError(Problem(name, place, reason, "keep one of them"))
        found[key] = Sample(key, task_id, attempt, fault, counts_in_file=True)
    return tuple(found.values())


def pick(content: dict[str, JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    finished = content["status"] != "started"
    picked = InspectSample(content["samples"][index], finished=finished, header=content)
    return Picked(picked, f"$.samples[{index}]")
