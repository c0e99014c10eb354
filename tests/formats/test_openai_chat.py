"""Chats as OpenAI's API has them, and as others write them in its form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import list_samples, open_file, read
from tests.formats.chats import (
    ASKED,
    CHAT_READ,
    CHAT_STEPS,
    SUBMITS,
    as_text,
    calls,
    chat,
    gives,
    parts,
    says,
    usage,
)
from tests.formats.samples import as_bytes

LS = ("c1", "bash", {"command": "ls"})


def read_chat(document: Any, sample: str = "") -> Trajectory:
    return read(as_bytes(document), name="a.json", sample=sample)


def steps_of(*messages: Any) -> tuple[Step, ...]:
    return read_chat([*ASKED, *messages]).steps


def refused(document: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        # Before its task is looked for.
        list_samples(document if isinstance(document, bytes) else as_bytes(document), name="a.json")
    return caught.value.problem


def test_a_list_of_messages_reads_whole() -> None:
    assert read_chat(chat()) == CHAT_READ


def test_messages_with_facts_beside_them_read_whole() -> None:
    document = {
        "model": "gpt-4o-mini",
        "messages": chat(),
        "tools": [{"type": "function"}],
        "usage": {**usage(2000, 150, 900, 40), "cost": 0.25},
        "metadata": {"task_id": "conv_graph"},
    }
    told: dict[str, Any] = {"cost": 0.25, "prompt_tokens": 2000, "response_tokens": 150}
    assert read_chat(document) == replace(
        CHAT_READ, **told, cached_tokens=900, reasoning_tokens=40, model="gpt-4o-mini"
    )
    assert list_samples(as_bytes(document), name="a.json")[0].task_id == "conv_graph"


def test_several_conversations_are_several_attempts_in_lines_and_in_a_list() -> None:
    first, second = {"id": "conv_graph", "messages": chat()}, [*ASKED, calls(LS)]
    lines = as_bytes(first) + b"\n" + as_bytes(second) + b"\n"
    for data, keys in (
        (lines, ["line 1", "line 2"]),
        (as_bytes(second) + b"\n" + as_bytes(first), ["line 2", "line 1"]),
        (as_bytes([first, second]), ["item 1", "item 2"]),
        (as_bytes([chat(), second]), ["item 1", "item 2"]),
    ):
        file = open_file(data, name="a.jsonl")
        assert sorted(keys) == [sample.key for sample in file.samples]
        assert (file.read(keys[0]), len(file.read(keys[1]).steps)) == (CHAT_READ, 1)
    assert [sample.task_id for sample in list_samples(lines, name="a.jsonl")] == ["conv_graph", ""]


def test_a_message_on_each_line_is_one_conversation() -> None:
    lines = b"\n\n".join(map(as_bytes, chat()))
    assert [sample.key for sample in list_samples(lines, name="a.jsonl")] == [""]
    assert read(lines, name="a.jsonl") == CHAT_READ


def test_a_line_that_was_cut_off_is_noted_and_the_conversation_is_read() -> None:
    lines = b"\n".join(map(as_bytes, chat()))
    trajectory = read(lines[:-9], name="a.jsonl")
    assert trajectory.steps == CHAT_STEPS[:-1]
    assert [note.place.partition(",")[0] for note in trajectory.warnings] == ["line 10"]


def test_what_is_odd_on_a_line_is_named_by_its_line() -> None:
    lines = b"\n\n".join(map(as_bytes, [*ASKED, calls(LS), says("narrator", "Meanwhile")]))
    assert [note.place for note in read(lines, name="a.jsonl").warnings] == ["line 7.role"]


@pytest.mark.parametrize(
    ("document", "reason", "place"),
    [
        ({"messages": ASKED}, "there is no step of an agent", "$.messages"),
        ({"messages": []}, "there is no step of an agent", "$.messages"),
        (ASKED, "there is no step of an agent", "$"),
        ({"custom_id": "1", "body": {"messages": chat()}}, "these are OpenAI's batch requests", "$"),
        (b'{"custom_id": "1", "body": {}}\n' * 99, "these are OpenAI's batch requests", "line 1"),
        (b'{"custom_id": "1", "response": {}}\n' * 99, "these are OpenAI's batch answers", "line 1"),
    ],
)
def test_what_is_no_attempt_is_refused_once_and_by_name(document: Any, reason: str, place: str) -> None:
    problem = refused(document)
    assert problem.reason.startswith(reason)
    assert (problem.file, problem.place, bool(problem.remedy)) == ("a.json", place, True)


def test_the_older_call_of_a_function_is_answered_by_its_name() -> None:
    call = {"name": "bash", "arguments": '{"command": "ls"}'}
    (step,) = steps_of(says("assistant", "", function_call=call), says("function", "data.tsv", name="bash"))
    assert step == Step(1, StepKind.EXECUTE, "bash", "ls", "", "data.tsv")


def test_anthropics_parts_are_calls_and_results_too() -> None:
    used = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": parts("data.tsv")}
    asked = says("assistant", [thought, *parts("Look."), used])
    first, second = steps_of(asked, says("user", [result, *parts("Go on.")]), says("assistant", "Done."))
    assert first == Step(1, StepKind.EXECUTE, "bash", "ls", "Hm.\n\nLook.", "data.tsv\n\nGo on.")
    assert second.thought == "Done."
    # Some writers give the same call in both forms.
    both = {**asked, "tool_calls": [{"id": "t1", "name": "bash", "args": {"command": "ls"}}]}
    assert steps_of(both)[0].action == "ls"
    assert len(steps_of(both)) == 1


def test_results_without_an_id_go_to_the_calls_that_wait() -> None:
    asked = calls(LS, ("c2", "python", {"code": "1+1"}), ("c3", "bash", {"command": "pwd"}))
    results = [gives(None, "2", name="python"), gives("lost", "data.tsv"), gives(None, "/repo")]
    assert [step.observation for step in steps_of(asked, *results)] == ["data.tsv", "2", "/repo"]


def test_a_call_without_a_result_has_no_observation_and_an_empty_one_is_empty() -> None:
    asked = calls(LS, ("c2", "bash", {"command": "pwd"}))
    assert [step.observation for step in steps_of(asked, gives("c2", None))] == [None, ""]


@pytest.mark.parametrize(
    ("arguments", "kind", "action"),
    [
        ({"command": "ls"}, StepKind.EXECUTE, "ls"),
        (as_text({"command": "ls"}), StepKind.EXECUTE, "ls"),
        (as_text(as_text({"command": "ls"})), StepKind.EXECUTE, "ls"),
        ("ls -l", StepKind.EXECUTE, "ls -l"),
        ('{"command": "ls', StepKind.FORMAT_ERROR, '{"command": "ls'),
        ("", StepKind.EXECUTE, "{}"),
        (None, StepKind.EXECUTE, "{}"),
    ],
)
def test_arguments_are_text_or_an_object(arguments: Any, kind: StepKind, action: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": arguments}}
    step = steps_of(says("assistant", None, tool_calls=[call]))[0]
    assert (step.kind, step.action_type, step.action) == (kind, "bash", action)


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm."},
        {"reasoning": {"summary": parts("Hm.")}},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}]},
        {"reasoning_content": "Hm.", "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm."}]},
        {"content": "<think>\nHm.\n</think>\n\nLook."},
        {"content": "<think>Hm.</think>Look.", "reasoning_content": "Hm."},
        {"content": [{"type": "thinking", "thinking": "Hm."}, *parts("Look.")]},
    ],
)
def test_reasoning_is_the_beginning_of_the_thought_wherever_it_is_kept(fields: Any) -> None:
    assert steps_of({**calls(LS), **fields})[0].thought == "Hm.\n\nLook."


def test_the_answer_is_the_last_text_without_its_reasoning() -> None:
    last = says("assistant", '<think>It is.</think>\n{"loss": 0.5}')
    assert read_chat([*ASKED, calls(LS), gives("c1"), last]).answer == {"loss": 0.5}


@pytest.mark.parametrize("content", ['{"loss": 0.5}', parts('{"loss": 0.5}')])
def test_the_last_text_is_the_answer_of_an_agent_that_ended_without_a_call(content: Any) -> None:
    trajectory = read_chat([*ASKED, calls(LS), gives("c1"), says("assistant", content)])
    assert (trajectory.answer, trajectory.ending) == ({"loss": 0.5}, Ending.SUBMITTED)
    assert trajectory.steps[-1] == Step(2, StepKind.OTHER, "message", "", '{"loss": 0.5}')


@pytest.mark.parametrize(
    "last",
    [
        [calls(LS)],
        [says("assistant", "It is 0.5."), says("user", "Check it.")],
        [says("assistant", None, refusal="I can't help with that.")],
        [says("assistant", [{"type": "refusal", "refusal": "I can't help with that."}])],
        [says("assistant", "")],
    ],
)
def test_what_is_no_last_word_is_no_answer(last: list[Any]) -> None:
    trajectory = read_chat([*ASKED, calls(LS), gives("c1"), *last])
    assert (trajectory.answer, trajectory.ending) == (MISSING, Ending.UNKNOWN)


def test_a_refusal_is_shown() -> None:
    assert steps_of(says("assistant", None, refusal="I can't."))[0].thought == "I can't."
    assert steps_of(says("assistant", [{"type": "refusal", "refusal": "No."}]))[0].thought == "No."


def test_a_word_after_the_submission_belongs_to_it() -> None:
    trajectory = read_chat([*ASKED, SUBMITS, gives("c5", "ok"), says("assistant", "Done.")])
    assert (trajectory.answer, len(trajectory.steps)) == ({"loss": 0.5}, 1)
    assert trajectory.steps[0].observation == "ok\n\nDone."


def test_tokens_of_messages_are_summed_where_no_total_is() -> None:
    document = {"messages": [calls(LS, usage=usage(100, 10, 50)), calls(LS, usage=usage(200, 20, 60, 5))]}
    read_back = read_chat(document)
    assert (read_back.prompt_tokens, read_back.response_tokens) == (300, 30)
    assert (read_back.cached_tokens, read_back.reasoning_tokens) == (110, 5)
    assert [step.prompt_tokens for step in read_back.steps] == [100, 200]


def test_tokens_that_anthropic_counts_apart_are_counted_as_sent() -> None:
    told = {"input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20}
    trajectory = read_chat({"messages": [calls(LS)], "usage": {**told, "output_tokens": 5}})
    assert (trajectory.prompt_tokens, trajectory.response_tokens, trajectory.cached_tokens) == (100, 5, 70)


def test_an_answer_beside_the_messages_ends_the_conversation() -> None:
    document = {"messages": [*ASKED, calls(LS), gives("c1")], "response": {"choices": [{"message": SUBMITS}]}}
    assert read_chat(document).answer == {"loss": 0.5}


def test_a_system_prompt_beside_the_messages_or_of_a_developer_is_the_prompt() -> None:
    turns = [says("user", "Train it."), says("user", "Now."), calls(LS)]
    beside = read_chat({"messages": turns, "system": parts("A shell.")})
    inside = read_chat([says("developer", "A shell."), *turns])
    assert (beside.prompt, inside.prompt) == ("A shell.", "A shell.")
    assert (beside.query, inside.query) == ("Train it.\n\nNow.",) * 2


def test_blocks_of_commands_without_calls_are_mini_swe_agents() -> None:
    block = says("assistant", "```bash\nls\n```")
    assert read_chat([*ASKED, block]).format == "mini-SWE-agent .traj.json"
    assert read_chat([*ASKED, block, calls(LS)]).format == "OpenAI chat"
    assert read_chat([*ASKED, says("assistant", "Hm.")]).format == "OpenAI chat"


def test_odd_parts_are_noted_and_read_past() -> None:
    document = [gives("c1"), says("assistant", "Hm.", tool_calls="x"), says("narrator", "Meanwhile")]
    assert [note.place for note in read_chat(document).warnings] == ["$[0]", "$[1].tool_calls", "$[2].role"]


def test_a_message_that_is_none_is_refused_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        read_chat({"messages": [*ASKED, calls(LS), None]})
    assert caught.value.problem.place == "$.messages[3]"
