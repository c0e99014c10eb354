"""What an attempt leaves behind is read like any other file, and tells what the model was shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard import formats
from leaderboard.domain.trajectory import Ending, StepKind
from runner.agents.base import AgentUnavailable, Call, Message, PromptTooLong, Reply
from runner.agents.llm import Completion, Model
from runner.agents.messages import digest
from runner.agents.react import ReactSettings, ReactSuperAgent
from runner.agents.reflexion import ReflexionAgent, ReflexionSettings
from runner.execution import journal
from runner.execution.attempt import execute_attempt
from runner.execution.history import history_json, shown
from runner.execution.limits import Limits
from runner.execution.records import Outcome, Recorder
from runner.sandbox.base import Status
from tests.execution.fakes import (
    MASKED,
    SUBMITS,
    UNREADABLE,
    Cell,
    FakeClock,
    FakeSandbox,
    ListAgent,
    act,
    call,
    run,
)
from tests.pictures import data_url, png

Attempt = Callable[..., Outcome]


class ListModel(Model):
    """Says the texts of a list; keeps what it was shown."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self.shown: list[tuple[str, list[Message]]] = []

    def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        self.shown.append((purpose, list(messages)))
        text = self.texts.pop(0) if self.texts else "Action: submit\n<content>\n1\n</content>"
        now = datetime(2026, 1, 1, tzinfo=UTC)
        return Completion(text, False, Call(purpose, digest(messages), 5, 5, 0.0, False, 1, now, now))

    def close(self) -> None:
        """Nothing is open."""


def read(outcome: Outcome) -> Any:
    return formats.read(history_json(outcome), name="history.json")


def test_it_is_read_back_to_the_same_steps(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"long": Cell("\x1b[1mred\r\x00\n", seconds=400)}
    replies = [
        run("ls", call(9, 3, 0.5)),
        UNREADABLE,
        act("edit", "x"),
        run("long"),
        act("interrupt"),
        SUBMITS,
    ]

    outcome = attempt(ListAgent(*replies), MASKED)
    trajectory = read(outcome)

    assert trajectory.steps == tuple(step.to_step() for step in outcome.steps)
    assert [step.kind for step in trajectory.steps[2:]] == [
        StepKind.EXECUTE,
        StepKind.FORMAT_ERROR,
        StepKind.EDIT,
        StepKind.EXECUTE,
        StepKind.INTERRUPT,
        StepKind.SUBMIT,
    ]
    assert [step.pre_executed for step in trajectory.steps] == [True] * 2 + [False] * 6
    assert (trajectory.query, trajectory.answer, trajectory.warnings) == (MASKED.query, {"a": 1}, ())
    assert (trajectory.prompt_tokens, trajectory.response_tokens, trajectory.cost) == (9, 3, 0.5)
    assert trajectory.ending is outcome.ending is Ending.SUBMITTED
    assert trajectory.steps[5].duration == 300


def test_images_that_a_cell_displayed_are_read_back_but_the_agent_gets_none(
    attempt: Attempt, sandbox: FakeSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "IMAGE_CHARACTERS", 2 * len(data_url(png())))
    sandbox.cells = {"plot": Cell("<Figure>", images=(data_url(png()),) * 3)}

    outcome = attempt(ListAgent(run("plot"), SUBMITS))

    (step,) = [step for step in read(outcome).steps if step.media]
    assert [(one.mime, one.content) for one in step.media] == [("image/png", png())] * 2
    assert "base64" not in str([step.past() for step in outcome.steps])


@pytest.mark.parametrize("answer", ["null", "0", '"text"', "[1, 2]", "NaN", '"\\ud800"'])
def test_an_answer_of_any_type_comes_back(answer: str, attempt: Attempt) -> None:
    assert repr(read(attempt(ListAgent(act("submit", answer)))).answer) == repr(json.loads(answer))


@pytest.mark.parametrize(
    "reply",
    [UNREADABLE, run("boom"), AgentUnavailable("gone", retry=True), PromptTooLong("8192 at most")],
)
def test_every_way_to_end_is_read_back(reply: Reply, attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"boom": Cell(status=Status.DEAD)}

    outcome = attempt(ListAgent(reply))

    assert read(outcome).ending is outcome.ending


def test_each_step_tells_its_tokens_cost_and_calls(attempt: Attempt) -> None:
    outcome = attempt(ListAgent(run("1", call(5, 2, 0.25), call(7, 1)), SUBMITS))

    step = json.loads(history_json(outcome))["history"][0]["runner"]
    assert (step["prompt_tokens"], step["response_tokens"], step["cost"]) == (12, 3, 0.25)
    assert [made["prompt_tokens"] for made in step["calls"]] == [5, 7]
    assert step["reply"] == "raw 1"


def test_the_document_tells_settings_limits_and_the_sandbox(attempt: Attempt) -> None:
    document = json.loads(history_json(attempt(ListAgent(SUBMITS))))["runner"]

    assert (document["agent"], document["kind"]) == ("scripted", "submitted")
    assert document["limits"]["prompt_tokens"] == 600_000
    assert document["sandbox"] == {"kind": "fake"}


def test_no_gold_is_in_what_an_attempt_leaves(attempt: Attempt) -> None:
    text = history_json(attempt(ListAgent(run(), SUBMITS))).decode()

    assert not [word for word in ("the gold", "the landmark", "secret") if word in text]


CONTENT = st.text(min_size=1, max_size=30).filter(str.strip)
TEXTS = st.one_of(
    CONTENT.map(lambda cell: f"Thought: t\nAction: execute\n<content>\n{cell}\n</content>"),
    CONTENT.map(lambda edit: f"Action: edit\n<content>\n{edit}\n</content>"),
    st.just("Thought: done\nAction: submit\n<content>\n2\n</content>"),
    CONTENT,
    CONTENT.map(lambda lesson: f"Verdict: wrong\nReflection: {lesson}"),
)


@pytest.mark.parametrize("name", ["react-super", "reflexion"])
@settings(deadline=None)
@given(st.lists(TEXTS, max_size=8), st.integers(0, 9), st.integers(0, 20))
def test_what_the_model_was_shown_follows_from_the_record(
    name: str, texts: list[str], older: int, newest: int
) -> None:
    model, clock = ListModel(texts), FakeClock()
    agent = (
        ReflexionAgent(
            ReflexionSettings(model="m", older_observation=older, newest_observation=newest), model
        )
        if name == "reflexion"
        else ReactSuperAgent(
            ReactSettings(model="m", older_observation=older, newest_observation=newest), model
        )
    )
    outcome = execute_attempt(MASKED, agent, FakeSandbox(clock), Limits(), Recorder(), clock)
    document = json.loads(history_json(outcome))

    asked = [number for number, step in enumerate(document["history"], start=1) if step["runner"]["calls"]]
    assert [shown(document, number) for number in asked] == [
        messages for purpose, messages in model.shown if purpose == "act"
    ]
    for number in asked:
        first = document["history"][number - 1]["runner"]["calls"][0]
        assert first["digest"] == digest(shown(document, number))
