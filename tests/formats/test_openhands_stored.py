"""OpenHands V1 conversations as they are stored: a folder of events, or one on each line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.media import from_base64
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import list_samples, read
from leaderboard.formats.bundles import Group, pack
from leaderboard.formats.openhands import group
from tests.formats.frameworks import T0, T1, finish, output_line, run, stored, text_part, v0_events, v1_events
from tests.formats.samples import as_bytes

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
LS = ("terminal", {"kind": "TerminalAction", "command": "ls"}, "train.py")
FINISH = ("finish", {"kind": "FinishAction", "message": '{"loss": 0.5}'}, None)


def use(model: str, cost: float, *tokens: int, responses: Any = ()) -> dict[str, Any]:
    keys = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "reasoning_tokens")
    total = dict(zip(keys, tokens, strict=True))
    usages = [{**dict(zip(keys, of, strict=True)), "response_id": key} for key, *of in responses]
    totals = {"accumulated_cost": cost, "accumulated_token_usage": total}
    return {"model_name": model, "token_usages": usages, **totals}


def stats(**uses: Any) -> dict[str, Any]:
    return {"usage_to_metrics": uses}


def update(key: str, value: Any) -> dict[str, Any]:
    event = {"id": f"{key}-{id(value)}", "source": "environment", "kind": "ConversationStateUpdateEvent"}
    return {**event, "key": key, "value": value}


def conversation() -> list[dict[str, Any]]:
    """Two calls of one response, a call that could not be read, a condensation, and the end."""
    events = v1_events(LS, ("browser_get_state", {"kind": "BrowserGetStateAction"}, "a page"), FINISH)
    first, shown, second, page, end = events[2:]
    first |= {
        "llm_response_id": "r1",
        "reasoning_content": "Two at once.\n",
        "thought": [text_part("<think>Two at once.</think>\n\nA look.")],
    }
    second |= {"llm_response_id": "r1", "thought": []}
    image = {"type": "image", "image_urls": [f"data:image/png;base64,{PNG}"]}
    page["observation"] |= {"content": [text_part("a page"), image], "screenshot_data": PNG}
    broken = {**second, "id": "b", "tool_call_id": "call-b", "llm_response_id": "r2", "action": None}
    fault = {"id": "f", "source": "agent", "tool_call_id": "call-b", "kind": "AgentErrorEvent"}
    condensed = {"id": "c", "source": "environment", "summary": "looked", "kind": "Condensation"}
    earlier = update("stats", stats(default=use("m-1", 0.1, 100, 10, 0, 0)))
    last = [{**fault, "error": "no such argument"}, condensed, end, update("execution_status", "finished")]
    return [*events[:2], first, second, shown, page, earlier, broken, *last]


STATE = {
    "agent": {"llm": {"model": "m-1", "api_key": "**********"}, "kind": "Agent"},
    "workspace": {"working_dir": "/w"},
    "execution_status": "finished",
    "stats": stats(
        default=use("m-1", 0.25, 3000, 180, 1800, 40, responses=[("r1", 900, 60, 300, 20)]),
        condenser=use("m-2", 0.5, 100, 20, 0, 0),
    ),
}


def test_a_conversations_folder_is_read_whole() -> None:
    assert read(pack(stored(conversation(), state=STATE)), name="run.zip") == Trajectory(
        steps=(
            Step(
                *(1, StepKind.EXECUTE, "terminal", "ls", "Two at once.\n\nA look.", "train.py", 2.5, T0),
                prompt_tokens=900,
                response_tokens=60,
                cached_tokens=300,
                reasoning_tokens=20,
            ),
            Step(
                *(2, StepKind.OTHER, "browser_get_state", "{}", "", "a page", 2.5, T0),
                media=(from_base64("image/png", PNG),),
            ),
            Step(
                3,
                StepKind.FORMAT_ERROR,
                "browser_get_state",
                '{"x": 1}',
                "",
                "no such argument",
                None,
                T0,
            ),
            Step(4, StepKind.SUBMIT, "finish", '{"loss": 0.5}', "Look.", None, None, T0),
        ),
        format="OpenHands V1",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="finish",
        cost=0.75,
        prompt_tokens=3100,
        response_tokens=200,
        cached_tokens=1800,
        reasoning_tokens=40,
        agent="OpenHands",
        model="m-1",
    )


def test_an_event_on_each_line_is_one_attempt() -> None:
    lines = "\n".join(map(json.dumps, conversation())).encode()
    assert [sample.key for sample in list_samples(lines, name="events.jsonl")] == [""]
    folder = read(pack(stored(conversation())), name="run.zip")
    assert read(lines, name="events.jsonl") == folder
    assert (folder.cost, folder.prompt_tokens, folder.model) == (0.1, 100, "m-1")


def test_a_zip_of_the_folder_is_read_whatever_the_folder_is_called() -> None:
    whole = read(pack(stored(conversation(), state=STATE)), name="run.zip")
    assert read(pack(stored(conversation(), state=STATE, folder="a/b/")), name="run.zip") == whole


def test_events_are_sorted_by_number_not_by_name() -> None:
    events = v1_events(*[("terminal", {"command": str(n)}, None) for n in range(3)])
    names = ["00000", "00001", "99998", "99999", "100000"]
    files = {f"events/event-{n}-a.json": as_bytes(each) for n, each in zip(names, events, strict=True)}
    assert [step.action for step in read(pack(files), name="f").steps] == ["0", "1", "2"]


def test_a_partial_folder_is_read_as_far_as_it_goes_and_says_so() -> None:
    files = stored([*v1_events(LS), *v1_events(LS)[2:], *v1_events(FINISH)[2:]])
    names = sorted(files)
    del files[names[1]]
    files[names[3]] = files[names[3]][:40]
    trajectory = read(pack(files), name="run")
    assert [step.kind for step in trajectory.steps] == [StepKind.EXECUTE]
    assert [str(each) for each in trajectory.warnings] == [
        f"run, {names[3]}, line 1, column 41: the file ends in the middle of the document; left out"
        " (copy the conversation's folder again)",
        "run, events: event 1 is missing (copy the conversation's folder again)",
        f"run, {names[4]}: this event is there twice; left out",
        f"run, {names[6]}: this event is there twice; left out",
    ]


def test_a_key_in_the_clear_is_pointed_out_and_not_told() -> None:
    state = {**STATE, "agent": {"llm": {"model": "m-1", "api_key": "sk-very-secret"}}}
    trajectory = read(pack(stored(v1_events(LS), state=state)), name="run")
    (warning,) = trajectory.warnings
    assert warning.place == "base_state.json, $.agent.llm.api_key"
    assert "very-secret" not in repr(trajectory)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (STATE, "the state of a conversation: there are no steps in it"),
        (v1_events(LS)[2], "one event of a conversation, not all of it"),
    ],
)
def test_a_part_of_a_conversation_is_refused_by_its_name(part: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read(as_bytes(part), name="f.json")


@pytest.mark.parametrize(
    ("code", "status", "ending", "detail"),
    [
        ("MaxIterationsReached", "error", Ending.STEPS, "MaxIterationsReached: at 500"),
        (None, "stuck", Ending.EXCEPTION, "stuck"),
        (None, "paused", Ending.UNKNOWN, "paused"),
        (None, "finished", Ending.UNKNOWN, "finished"),
    ],
)
def test_a_conversation_says_why_it_ended(code: Any, status: str, ending: Ending, detail: str) -> None:
    error = {"id": "e", "source": "environment", "kind": "ConversationErrorEvent", "code": code}
    events = [*v1_events(LS), *([{**error, "detail": "at 500"}] if code else [])]
    trajectory = read(as_bytes([*events, update("execution_status", status)]), name="f")
    assert (trajectory.ending, trajectory.ending_detail, trajectory.answer) == (ending, detail, MISSING)


def test_waiting_for_a_user_is_no_exception() -> None:
    events = v0_events(run("ls"))
    extras = {"agent_state": "awaiting_user_input", "reason": ""}
    events.append({"id": 9, "source": "environment", "observation": "agent_state_changed", "extras": extras})
    trajectory = read(as_bytes(events), name="f")
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.UNKNOWN, "awaiting_user_input")


def test_a_line_of_the_resolver_is_an_attempt_with_its_patch() -> None:
    line = output_line(v0_events(run("ls"), finish(outputs={"content": "1"})))
    del line["instance_id"]
    line |= {"issue": {"number": 7}, "git_patch": "diff --git a/x b/x", "success": True, "error": None}
    lines = b"\n".join([as_bytes(line)] * 2)
    assert [sample.key for sample in list_samples(lines, name="f")] == ["line 1", "line 2"]
    trajectory = read(lines, name="f", sample="line 2")
    assert (trajectory.answer, trajectory.patch) == (1, "diff --git a/x b/x")


def test_a_call_behind_the_client_protocol_counts_once() -> None:
    call = {"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "t", "tool_kind": "execute"}
    early = {**call, "id": "1", "timestamp": T0, "raw_input": {}, "status": "pending"}
    late = {**call, "id": "2", "timestamp": T1, "raw_input": {"command": "ls"}, "raw_output": "train.py"}
    (step,) = read(as_bytes([early, late]), name="f").steps
    assert (step.kind, step.action, step.observation) == (StepKind.EXECUTE, "ls", "train.py")
    assert (step.started, step.duration) == (T0, 2.5)


def test_steps_of_a_delegate_say_whose_they_are() -> None:
    delegate = ("delegate", {"agent": "BrowsingAgent", "inputs": {"task": "look"}}, "done")
    events = v0_events(delegate, run("ls"))
    asked, seen, *inner = events[2:]
    trajectory = read(as_bytes([*events[:2], asked, *inner, seen, *v0_events(run("pwd"))[2:]]), name="f")
    assert [step.agent for step in trajectory.steps] == ["", "BrowsingAgent", ""]


def test_the_files_of_a_conversation_are_one_group() -> None:
    events = [f"run/events/event-0000{n}-x.json" for n in range(2)]
    names = ["run/base_state.json", *events, "run/logs/call.json", "run/metrics.json", "other.json"]
    found = Group("run", ("run/base_state.json", *events), ("run/logs/call.json",))
    assert list(group(names)) == [found]
    assert list(group(["run/base_state.json"])) == []
    assert [each.folder for each in group(["a/event-00000-x.json", "events.jsonl", "base_state.json"])] == [
        "",
        "a",
    ]
