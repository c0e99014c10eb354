"""Inspect's logs, where the events say more than the messages: submissions, sub-agents, scorers."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from leaderboard import formats
from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import read
from tests.formats.frameworks import (
    T0,
    asks,
    chunked_log,
    eval_log,
    inspect_log,
    inspect_sample,
    tells,
)
from tests.formats.inspect_events import SOLVING, SUBMIT_TOOL, begin, message_in, ran, wrote
from tests.formats.samples import Document, as_bytes
from tests.pictures import data_url, png

CASES = settings.BASE_DIR.parent / "shared" / "cases" / "formats" / "inspect"
HEADER = {"model": "openai/gpt-5", "solver": None}
PLAN = {"steps": [{"solver": "system_message"}, {"solver": "react"}]}
LOOKED = wrote("m1", ("c1", "bash", {"cmd": "attachment://0"}))
ANSWERED = wrote("m2", ("c2", "submit", {"answer": '{"Loss": 0.5}'}), content="Done.")
# What react() leaves of a submission in the conversation.
PASTED = message_in(ANSWERED, content='Done.\n\n{"Loss": 0.5}', tool_calls=[])
TURN: Any = {"prompt_tokens": 110, "response_tokens": 20, "cached_tokens": 10, "reasoning_tokens": 5}
SPENT = {"input_tokens": 200, "output_tokens": 40, "input_tokens_cache_read": 20, "reasoning_tokens": 10}


def react(attachments: Any) -> Document:
    """A sample whose submission is only in the events."""
    events = [*SOLVING, LOOKED, *ran("c1", "bash"), ANSWERED, *ran("c2", "submit", '{"Loss": 0.5}')]
    scores = {"judged": {"value": "C", "answer": 'done.\n\n{"loss": 0.5}'}, "parts": {"value": {"a": 1}}}
    return inspect_sample(
        *(message_in(LOOKED), tells("c1"), PASTED),
        events=events,
        scores=scores,
        model_usage={"openai/gpt-5": SPENT},
        attachments=attachments,
    )


def read_events(*events: Document, messages: tuple[Any, ...] = (), **fields: Any) -> Trajectory:
    fields = {"scores": {}, "model_usage": {}, **fields}
    sample = inspect_sample(*messages, events=[*SOLVING, *events], **fields)
    return read(as_bytes(inspect_log(sample)), name="log.json")


def told(trajectory: Trajectory) -> list[tuple[str, str, str, str | None]]:
    return [(step.agent, step.action_type, step.action, step.observation) for step in trajectory.steps]


REACT = Trajectory(
    steps=(
        Step(1, StepKind.EXECUTE, "bash", "ls -l", "Look.", "train.py", 2.0, T0, **TURN),
        Step(2, StepKind.SUBMIT, "submit", '{"Loss": 0.5}', "Done.", None, 2.0, T0, **TURN),
    ),
    format="Inspect",
    query="Train the model.",
    prompt="A shell.",
    answer={"Loss": 0.5},
    ending=Ending.SUBMITTED,
    ending_detail="submit",
    prompt_tokens=220,
    response_tokens=40,
    cached_tokens=20,
    reasoning_tokens=10,
    agent="react",
    model="openai/gpt-5",
    elapsed=12.5,
    rewards=(("judged", "C"), ("parts", {"a": 1})),
)


@pytest.mark.parametrize(
    "data",
    [
        as_bytes(inspect_log(react({"0": "ls -l"}), eval=HEADER, plan=PLAN)),
        eval_log(react({"0": "ls -l"}), eval=HEADER, plan=PLAN),
        chunked_log(react(["ls -l"]), eval=HEADER, plan=PLAN),
    ],
    ids=["json", "eval", "chunked"],
)
def test_a_submission_that_is_only_in_the_events_is_the_agents_answer(data: bytes) -> None:
    assert read(data, name="log") == REACT


def test_an_unfinished_log_says_its_model_at_its_start() -> None:
    trajectory = read(eval_log(react({"0": "ls -l"}), eval=HEADER, plan=PLAN, header=False), name="log")
    assert (trajectory.model, trajectory.agent) == ("openai/gpt-5", "react")


def test_a_sample_is_read_though_the_logs_header_is_broken() -> None:
    trajectory = read(eval_log(react({"0": "ls -l"}), header=b"{"), name="log")
    assert trajectory.steps == REACT.steps
    assert (trajectory.model, trajectory.agent) == ("m", "")


def helper(
    *steps: Document, span: str, call: str, name: str = "reader", parent: str = "agent"
) -> list[Document]:
    """A sub-agent that a tool's call starts: its span stands in that of the tool."""
    return [
        *ran(call, name, f"{name} ended", span=parent),
        begin(span, "agent", name, parent=f"{call} runs"),
        *steps,
    ]


def test_sub_agents_two_deep_stand_under_their_calls_and_only_the_agents_own_submission_counts() -> None:
    inner = helper(
        wrote("m4", ("c4", "bash", {"cmd": "cat"}), span="inner"),
        *ran("c4", "bash", "0.5", span="inner"),
        wrote("m5", ("c5", "submit", {"answer": "inner"}), span="inner"),
        *ran("c5", "submit", "inner", span="inner"),
        span="inner", call="c3", name="digger", parent="outer",
    )  # fmt: skip
    outer = helper(
        wrote("m2", ("c2", "bash", {"cmd": "ls"}), span="outer"),
        *ran("c2", "bash", span="outer"),
        wrote("m3", ("c3", "digger", {"input": "dig"}), span="outer"),
        *inner,
        wrote("m6", content="Told.", span="outer"),
        span="outer", call="c1",
    )  # fmt: skip
    first = wrote("m1", ("c1", "reader", {"input": "read"}))
    last = wrote("m7", content='{"Loss": 0.5}', tools=[])
    messages = (message_in(first), tells("c1", "Told."), message_in(last))
    trajectory = read_events(first, *outer, last, messages=messages)
    assert told(trajectory) == [
        ("", "reader", "read", "Told."),
        ("reader", "bash", "ls", "train.py"),
        ("reader", "digger", "dig", "digger ended"),
        ("digger", "bash", "cat", "0.5"),
        ("digger", "submit", "inner", None),
        ("reader", "message", "", None),
        ("", "message", "", None),
    ]
    assert (trajectory.answer, trajectory.ending, trajectory.ending_detail) == (MISSING, Ending.UNKNOWN, "")


def test_a_handoff_is_not_told_twice_though_the_conversation_has_it_as_text() -> None:
    first = wrote("m1", ("c1", "transfer_to_reader", {}))
    inner = wrote("m5", ("c5", "bash", {"cmd": "ls"}), span="inner")
    handed = [
        begin("handoff", "handoff", "reader", parent="agent"),
        *ran("c1", "transfer_to_reader", "Transferred.", agent="reader"),
        begin("inner", "agent", "reader", parent="c1 runs"),
        inner,
        *ran("c5", "bash", span="inner"),
    ]
    messages = (
        message_in(first),
        tells("c1", "Transferred."),
        message_in(inner, content="[reader] Look.\nbash(cmd='ls')", tool_calls=None),
        {"role": "user", "content": "train.py"},
        {"role": "user", "content": "The reader agent has completed its work."},
        PASTED,
    )
    assert told(read_events(first, *handed, ANSWERED, *ran("c2", "submit"), messages=messages)) == [
        ("", "transfer_to_reader", "{}", "Transferred."),
        ("reader", "bash", "ls", "train.py"),
        ("", "submit", '{"Loss": 0.5}', None),
    ]


def test_parallel_calls_of_one_message_share_its_thought_and_each_has_its_result() -> None:
    turn = wrote("m1", ("c1", "bash", {"cmd": "ls"}), ("c2", "bash", {"cmd": "cat x"}), ("c3", "plot", {}))
    image = {"type": "image", "image": data_url(png(), "image/png")}
    results = (
        tells("c3", [{"type": "text", "text": "drawn"}, image]),
        tells("c1", "x.py"),
        tells("c2", "", error={"type": "unknown", "message": "no x"}),
    )
    steps = read_events(turn, messages=(message_in(turn), *results)).steps
    assert [(step.thought, step.observation) for step in steps] == [
        ("Look.", "x.py"),
        ("", "no x"),
        ("", "drawn"),
    ]
    assert steps[2].media == (Media("image/png", png(), len(png()), 3, 2),)


@pytest.mark.parametrize(
    ("given", "answer"),
    [({"answer": "Loss 0.5"}, "Loss 0.5"), ({"answer": ""}, ""), ({"answer": "null"}, None)],
)
def test_what_was_submitted_is_the_answer_even_if_it_is_empty(given: Any, answer: Any) -> None:
    turn = wrote("m1", ("c1", "submit", given), content="Nothing more to say.")
    trajectory = read_events(turn, *ran("c1", "submit"), messages=(message_in(turn, tool_calls=[]),))
    assert (trajectory.answer, trajectory.ending) == (answer, Ending.SUBMITTED)


@pytest.mark.parametrize(
    ("tools", "kept"),
    [([{**SUBMIT_TOOL, "name": "hand_in"}], True), ([{"name": "hand_in", "description": "Give it."}], False)],
    ids=["described as Inspect's", "taken out of the conversation"],
)
def test_a_submission_is_known_by_what_inspect_does_with_it_whatever_its_tools_name(
    tools: Any, kept: bool
) -> None:
    turn = wrote("m1", ("c1", "hand_in", {"answer": "7"}), tools=tools)
    message = message_in(turn) if kept else message_in(turn, tool_calls=[])
    trajectory = read_events(turn, *ran("c1", "hand_in", "7"), messages=(message,))
    assert (trajectory.answer, trajectory.ending_detail) == (7, "hand_in")
    assert trajectory.steps[0].kind is StepKind.SUBMIT


def test_a_submission_that_failed_or_was_corrected_is_not_the_answer() -> None:
    wrong = wrote("m1", ("c1", "submit", {"answer": "1"}))
    failed = wrote("m2", ("c2", "submit", {"answer": "2"}))
    error = {"type": "parsing", "message": "no"}
    events = [wrong, *ran("c1", "submit"), failed, *ran("c2", "submit", "", error=error)]
    correct = {"role": "user", "content": "That is wrong."}
    messages = (message_in(wrong, tool_calls=[]), correct, message_in(failed, tool_calls=[]))
    trajectory = read_events(*events, messages=messages, limit={"type": "message", "limit": 9})
    assert [step.observation for step in trajectory.steps] == ["That is wrong.", "no"]
    assert (trajectory.answer, trajectory.ending, trajectory.ending_detail) == (
        1,
        Ending.STEPS,
        "message limit",
    )


SCORED = {"judged": {"value": 0, "answer": "what a scorer took"}}


@pytest.mark.parametrize(
    ("tools", "fields", "outcome"),
    [
        ([], {}, ("Words", Ending.SUBMITTED, "stop")),
        ([], {"output": {"completion": "[1]", "choices": []}}, ([1], Ending.SUBMITTED, "stop")),
        ([SUBMIT_TOOL], {}, ("what a scorer took", Ending.SUBMITTED, "scored")),
        ([SUBMIT_TOOL], {"scores": {}}, (MISSING, Ending.UNKNOWN, "")),
        ([SUBMIT_TOOL], {"limit": {"type": "token"}}, (MISSING, Ending.CONTEXT, "token limit")),
        ([], {"error": {"message": "It broke."}}, ("what a scorer took", Ending.EXCEPTION, "It broke.")),
        (
            [],
            {"scores": {}, "output": {"choices": [{"stop_reason": "max_tokens"}]}},
            (MISSING, Ending.CONTEXT, "max_tokens"),
        ),
    ],
)
def test_last_words_are_an_answer_of_an_agent_that_ended_by_itself_and_had_nowhere_to_submit(
    tools: Any, fields: Any, outcome: Any
) -> None:
    turn = wrote("m1", content="Words", tools=tools)
    trajectory = read_events(turn, messages=(message_in(turn),), **{"scores": SCORED, **fields})
    assert (trajectory.answer, trajectory.ending, trajectory.ending_detail) == outcome


@pytest.mark.parametrize(
    "around",
    [
        [begin("scorers", "scorers", "scorers"), begin("judge", "scorer", "qa", parent="scorers")],
        [{"event": "step", "action": "begin", "type": "scorer", "name": "qa"}],
    ],
    ids=["spans", "steps"],
)
def test_a_scorers_model_takes_no_step_and_its_tokens_are_not_the_agents(around: list[Document]) -> None:
    turn = wrote("m1", content="Words")
    judge = wrote("m2", content="GRADE: C", span="judge" if len(around) == 2 else "")
    trajectory = read_events(turn, *around, judge, messages=(message_in(turn),), model_usage={"m": SPENT})
    assert [step.thought for step in trajectory.steps] == ["Words"]
    assert (trajectory.prompt_tokens, trajectory.response_tokens, trajectory.cached_tokens) == (110, 20, 10)


def test_older_logs_have_a_tools_own_events_in_its_event() -> None:
    turn = wrote("m1", ("c1", "summarise", {"page": "x"}), span="")
    inner = wrote("m2", content="Short.", span="")
    event = {"event": "tool", "id": "c1", "function": "summarise", "result": "Short.", "events": [inner]}
    trajectory = read_events(
        turn, event, {"event": "subtask", "events": [wrote("m3", content="Next.", span="")]}
    )
    assert told(trajectory) == [
        ("", "summarise", "x", "Short."),
        ("summarise", "message", "", None),
        ("", "message", "", None),
    ]


def test_a_conversation_that_the_events_do_not_have_is_read_from_its_messages() -> None:
    beside = wrote("m9", content="A title.")
    turn = asks(("c1", "bash", {"cmd": "ls"}))
    event = ran("c1", "bash")[1]
    trajectory = read_events(beside, event, messages=(turn, tells("c1", "x.py")))
    assert told(trajectory) == [("", "bash", "ls", "x.py")]
    assert trajectory.steps[0].started == T0


def test_examples_in_the_input_are_no_steps() -> None:
    example = {"role": "assistant", "content": "Like this.", "source": "input"}
    turn = wrote("m1", content="Words")
    (step,) = read_events(turn, messages=(example, message_in(turn))).steps
    assert step.thought == "Words"
    (step,) = read_events(messages=(example, asks(("c1", "bash", {"cmd": "ls"})))).steps
    assert step.action == "ls"


def test_a_result_that_only_a_later_turn_was_shown_is_found() -> None:
    turn = wrote("m1", ("c1", "Bash", {"command": "ls"}))
    pool = {"messages": [tells("c1", "x.py")]}
    assert read_events(turn, events_data=pool).steps[0].observation == "x.py"
    later = wrote("m2", content="Words", input=[tells("c1", "x.py")])
    assert read_events(turn, later).steps[0].observation == "x.py"


def test_a_tool_that_the_models_provider_ran_is_a_step() -> None:
    part = {
        "type": "tool_use",
        "id": "w1",
        "name": "web_search",
        "arguments": '{"query": "loss"}',
        "result": "0.5",
    }
    broken = {**part, "id": "w2", "error": "no network", "result": ""}
    content = [part, broken, {"type": "text", "text": "I looked."}]
    steps = read_events(wrote("m1", ("c1", "bash", {"cmd": "ls"}), content=content)).steps
    assert [(step.kind, step.action, step.thought, step.observation) for step in steps] == [
        (StepKind.SEARCH, "loss", "I looked.", "0.5"),
        (StepKind.SEARCH, "loss", "", "no network"),
        (StepKind.EXECUTE, "ls", "", None),
    ]


@pytest.mark.parametrize(
    ("header", "plan", "agent", "model"),
    [
        ({"solver": "inspect_evals/mine", "model": "none/none"}, PLAN, "inspect_evals/mine", "m"),
        ({}, {"steps": [{"solver": "basic_agent_loop"}]}, "basic_agent", "m"),
        ({"model": 3}, {"steps": 3}, "", "m"),
    ],
)
def test_the_agent_is_the_solver_and_the_model_the_runs(
    header: Any, plan: Any, agent: str, model: str
) -> None:
    data = as_bytes(inspect_log(react({}), eval=header, plan=plan))
    trajectory = read(data, name="log")
    assert (trajectory.agent, trajectory.model) == (agent, model)


E, S, X = StepKind.EXECUTE, StepKind.SUBMIT, StepKind.OTHER
SMATCH = {"Smatch": 0.84}
READER = [(X, ""), (E, "reader"), (E, "reader"), (S, "reader"), (S, "")]
WANTED: dict[tuple[str, str], tuple[list[tuple[StepKind, str]], Any, int, int]] = {
    ("react-submit.eval", "amrbart_data_epoch_1"): (
        [(E, ""), (E, ""), (S, "")],
        {**SMATCH, "Split": "Dev"},
        330,
        60,
    ),
    ("react-submit.eval", "glee_data_epoch_1"): ([(E, ""), (S, "")], "Paper Score 0.84", 220, 40),
    ("react-submit.eval", "marginette_epoch_1"): ([(E, ""), (S, "")], "", 220, 40),
    ("react-submit.json", ""): ([(E, ""), (E, ""), (S, "")], {**SMATCH, "Split": "Dev"}, 330, 60),
    ("scorer-lower-case.eval", ""): ([(E, ""), (S, "")], {**SMATCH, "Split": "Dev"}, 220, 40),
    ("subagent-as-tool.eval", ""): (READER, SMATCH, 550, 100),
    ("subagent-handoff.eval", ""): (READER, SMATCH, 550, 100),
    ("two-epochs.eval", "amrbart_data_epoch_1"): ([(E, ""), (S, "")], SMATCH, 220, 40),
    ("two-epochs.eval", "amrbart_data_epoch_2"): ([(E, ""), (E, ""), (S, "")], {"Smatch": 0.61}, 330, 60),
    ("tool-image.eval", ""): ([(E, ""), (E, ""), (X, ""), (S, "")], SMATCH, 220, 40),
    ("message-limit.eval", ""): ([(E, ""), (E, "")], MISSING, 220, 40),
}


@pytest.mark.skipif(not CASES.is_dir(), reason="the logs of cases are not at hand")
def test_the_real_logs_give_what_is_written_of_them() -> None:
    for (name, sample), (steps, answer, sent, received) in WANTED.items():
        trajectory = formats.read((CASES / name).read_bytes(), name=name, sample=sample)
        assert [(step.kind, step.agent) for step in trajectory.steps] == steps, name
        assert trajectory.answer == answer, name
        assert (trajectory.prompt_tokens, trajectory.response_tokens) == (sent, received), name
        assert (trajectory.model, trajectory.agent, trajectory.cost) == ("mockllm/model", "react", None)
        assert trajectory.ending is (Ending.STEPS if answer is MISSING else Ending.SUBMITTED)
        assert trajectory.elapsed
        assert trajectory.rewards[0][0] == "judged"
        assert all(step.started and step.duration for step in trajectory.steps)
