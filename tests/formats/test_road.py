"""Every format goes down the one road: read, scored, rendered."""

from __future__ import annotations

import json

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats import list_samples
from leaderboard.pipeline import prepare, source_digest
from leaderboard.scoring.super import SCORING
from tests.formats.agent_logs import LOGS, lines
from tests.formats.frameworks import asks, eval_log, inspect_sample, tells, v0_events
from tests.formats.mutations import ARCHIVES, DOCUMENTS, LINES
from tests.formats.samples import as_bytes, swe_step, traj

TASK = TaskSpec(task_id="conv_graph", gold={"a": 1}, landmarks=("train",), entrypoint="train.py")
FILES = [*map(as_bytes, DOCUMENTS), LINES, *ARCHIVES, *map(lines, LOGS)]


@pytest.mark.parametrize("data", FILES, ids=range(len(FILES)))
def test_every_sample_of_every_format_is_prepared(data: bytes) -> None:
    for sample in list_samples(data, name="f"):
        prepared = prepare(data, name="f", task=TASK, scoring=SCORING, title="t", sample=sample.key)
        assert prepared.sample == sample.key
        outline = prepared.rendering.outline if prepared.rendering else ()
        assert len(outline) == len(prepared.trajectory.steps)
        assert (prepared.rendering is None) == (prepared.made is None) == (not outline)
        json.loads(json.dumps(prepared.rendering and prepared.rendering.notebook))


def test_an_edit_of_any_framework_is_a_diff() -> None:
    edit = {"command": "str_replace", "path": "/a.py", "old_str": "lr = 1", "new_str": "lr = 2"}
    line = "str_replace_editor str_replace /a.py --old_str 'lr = 1' --new_str 'lr = 2'"
    for document in (traj(swe_step(line)), v0_events(("edit", edit, "ok"))):
        prepared = prepare(as_bytes(document), name="f", task=TASK, scoring=SCORING, title="t")
        assert prepared.rendering
        text = next(text.text for text in prepared.rendering.texts if text.part == "action")
        assert "- lr = 1\n+ lr = 2" in text
        assert "BEFORE_EDIT" not in text


def test_samples_of_one_file_are_told_apart_by_their_digest() -> None:
    files = {"output.jsonl": LINES}
    digests = {source_digest(files, sample=sample) for sample in ("", "line 1", "line 2")}
    assert len(digests) == 3
    assert source_digest(files) == source_digest(files, sample="")


def test_a_log_may_unpack_to_more_than_it_has_up_to_the_limit() -> None:
    log = eval_log(inspect_sample(asks(("c1", "bash", {"cmd": "ls"})), tells("c1", "x" * 100_000)))
    assert len(log) < 10_000
    assert prepare(log, name="f", task=TASK, scoring=SCORING, title="t").trajectory.steps
    with pytest.raises(InputError, match="unpacked"):
        prepare(log, name="f", task=TASK, scoring=SCORING, title="t", max_bytes=50_000)
