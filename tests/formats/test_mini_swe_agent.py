"""mini-SWE-agent's ``.traj.json`` of every version."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import list_samples, read
from tests.formats.chats import mini_responses, response, response_output
from tests.formats.frameworks import MINI_SUBMIT, mini, mini_output, mini_turn
from tests.formats.samples import as_bytes

SAID = [{"role": "system", "content": "A shell."}, {"role": "user", "content": "Train the model."}]


def read_mini(document: Any) -> Trajectory:
    return read(as_bytes(document), name="a.traj.json")


def says(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def test_a_file_of_version_2_reads_whole() -> None:
    assert read_mini(
        mini(mini_turn("ls", at=100.0), mini_output("train.py", "100.0-0", at=101.5), mini_turn(MINI_SUBMIT))
    ) == Trajectory(
        steps=(
            Step(
                *(1, StepKind.EXECUTE, "bash", "ls", "Look.", "train.py", 1.5, "1970-01-01T00:01:40+00:00"),
                cost=0.1,
            ),
            Step(
                *(2, StepKind.SUBMIT, "bash", MINI_SUBMIT, "Look.", None, None, "2025-03-01T10:00:00+00:00"),
                cost=0.1,
            ),
        ),
        format="mini-SWE-agent .traj.json",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="Submitted",
        cost=0.25,
        agent="mini-swe-agent 2.0.0",
    )


def test_observations_find_their_call_among_several() -> None:
    trajectory = read_mini(
        mini(
            mini_turn("ls", "pwd", at=100.0),
            mini_output("/repo", "100.0-1", at=104.0),
            mini_output("train.py", "100.0-0", at=101.0),
        )
    )
    assert [(step.action, step.observation, step.thought) for step in trajectory.steps] == [
        ("ls", "train.py", "Look."),
        ("pwd", "/repo", ""),
    ]


def test_observations_without_a_call_come_in_order() -> None:
    trajectory = read_mini(mini(mini_turn("ls", "pwd"), mini_output("train.py"), mini_output("/repo")))
    assert [step.observation for step in trajectory.steps] == ["train.py", "/repo"]


def test_a_message_without_an_action_is_a_format_error() -> None:
    trajectory = read_mini(mini(mini_turn(content="Hm."), says("user", "Call a tool."), mini_turn("ls")))
    first = trajectory.steps[0]
    assert (first.kind, first.thought, first.observation) == (StepKind.FORMAT_ERROR, "Hm.", "Call a tool.")


def test_a_file_of_version_1_has_its_command_in_the_text() -> None:
    document = mini(
        says("assistant", "THOUGHT: Look.\n\n```bash\nls -l\n```"),
        says("user", "<returncode>0</returncode>\n<output>\ntrain.py</output>"),
        says("assistant", "Two:\n```bash\nls\n```\n```bash\npwd\n```"),
        says("user", "Give exactly one action."),
        trajectory_format="mini-swe-agent-1",
    )
    first, second = read_mini(document).steps
    assert (first.kind, first.action, first.thought) == (StepKind.EXECUTE, "ls -l", "THOUGHT: Look.")
    assert first.observation == "<returncode>0</returncode>\n<output>\ntrain.py</output>"
    assert (second.kind, second.action) == (StepKind.FORMAT_ERROR, "")


def test_a_file_before_the_format_had_a_name_is_known_by_its_version() -> None:
    document = mini(mini_turn("ls"))
    del document["trajectory_format"]
    assert read_mini(document).format == "mini-SWE-agent .traj.json"


@pytest.mark.parametrize("mark", ["COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT"])
def test_a_bare_list_ends_with_what_was_submitted(mark: str) -> None:
    messages = [
        *SAID,
        says("assistant", f"Done.\n```bash\necho {mark} && cat a.json\n```"),
        says("user", '{"loss": 0.5}\n'),
    ]
    trajectory = read_mini(messages)
    assert (trajectory.query, trajectory.prompt) == ("Train the model.", "A shell.")
    assert trajectory.answer == {"loss": 0.5}
    assert trajectory.ending is Ending.SUBMITTED


def test_a_bare_list_without_a_submission_has_no_answer() -> None:
    messages = [*SAID, says("assistant", "```bash\nls\n```"), says("user", "train.py")]
    trajectory = read_mini(messages)
    assert trajectory.answer is MISSING
    assert trajectory.ending is Ending.UNKNOWN


def test_the_exit_message_tells_the_status_where_the_info_does_not() -> None:
    exit_message = {"role": "exit", "content": "", "extra": {"exit_status": "TimeExceeded", "submission": ""}}
    document = mini(mini_turn("ls"), exit_message)
    del document["info"]["exit_status"], document["info"]["submission"]
    trajectory = read_mini(document)
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.TIME, "TimeExceeded")
    assert trajectory.steps[-1].observation is None


@pytest.mark.parametrize(("cost", "ending"), [(3.2, Ending.COST), (0.2, Ending.STEPS)])
def test_the_cost_tells_which_limit_was_exceeded(cost: float, ending: Ending) -> None:
    document = mini(mini_turn("ls"), submission="")
    document["info"].update(exit_status="LimitsExceeded", model_stats={"instance_cost": cost})
    trajectory = read_mini(document)
    assert (trajectory.ending, trajectory.answer) == (ending, MISSING)


def test_costs_and_tokens_of_messages_are_summed_where_no_total_is() -> None:
    response = {"usage": {"prompt_tokens": 100, "completion_tokens": 7}}
    document = mini(mini_turn("ls", response=response), mini_turn("pwd", response=response))
    document["info"]["model_stats"] = None
    trajectory = read_mini(document)
    assert (trajectory.cost, trajectory.prompt_tokens, trajectory.response_tokens) == (0.2, 200, 14)


def test_content_can_be_a_list_of_parts_and_reasoning_is_a_thought() -> None:
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Look."}]
    assert read_mini(mini(mini_turn("ls", content=content))).steps[0].thought == "Hm.\n\nLook."


@pytest.mark.parametrize("where", ["instance_id", "task_id"])
def test_the_task_is_named_beside_the_messages(where: str) -> None:
    document = mini(mini_turn("ls"), **{where: "conv_graph"})
    assert list_samples(as_bytes(document), name="a")[0].task_id == "conv_graph"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"messages": None}, "$.messages"),
        ({"messages": SAID}, "$.messages"),
        ({"messages": [*SAID, "x"]}, "$.messages[2]"),
    ],
)
def test_a_file_without_a_step_is_refused(change: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        read_mini({**mini(), **change})
    assert caught.value.problem.place == place
    assert caught.value.problem.remedy


def test_odd_parts_are_noted_and_read_past() -> None:
    document = mini(mini_turn("ls"), says("narrator", "Meanwhile"))
    document["info"] = []
    assert [note.place for note in read_mini(document).warnings] == ["$.info", "$.messages[3].role"]


def test_a_file_of_a_responses_model_reads_whole() -> None:
    refused = {**response(4, text="It is 0.5."), "extra": {}}
    format_error = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Call a tool."}],
        "extra": {"interrupt_type": "FormatError", "cost": 0.05, "response": refused},
    }
    document = mini_responses(
        response(1, "ls", "cat x", reasoning="Two at once."),
        response_output("k1-1", "no such file", at=1003.0),
        response_output("k1-0", "train.py", at=1003.5),
        format_error,
        response(6, MINI_SUBMIT, text=""),
        {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}},
    )
    counted: dict[str, Any] = {
        **{"prompt_tokens": 100, "response_tokens": 10, "cached_tokens": 60, "reasoning_tokens": 4}
    }
    first, both = "Two at once.\n\nLook.", "1970-01-01T00:16:41+00:00"
    later = ("1970-01-01T00:16:44+00:00", "1970-01-01T00:16:46+00:00")
    assert read_mini(document) == Trajectory(
        steps=(
            Step(*(1, StepKind.EXECUTE, "bash", "ls", first, "train.py", 0.5, both), **counted, cost=0.1),
            Step(2, StepKind.EXECUTE, "bash", "cat x", "", "no such file", 2.0, both),
            Step(
                *(3, StepKind.FORMAT_ERROR, "", "", "It is 0.5.", "Call a tool.", None, later[0]),
                **counted,
                cost=0.05,
            ),
            Step(*(4, StepKind.SUBMIT, "bash", MINI_SUBMIT, "", None, None, later[1]), **counted, cost=0.1),
        ),
        format="mini-SWE-agent .traj.json",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="Submitted",
        cost=0.25,
        prompt_tokens=300,
        response_tokens=30,
        cached_tokens=180,
        reasoning_tokens=12,
        agent="mini-swe-agent 2.4.6",
        model="openai/gpt-5-mini",
    )


def test_a_refused_answer_of_a_chat_model_is_a_step_and_takes_what_it_was_told() -> None:
    choice = {"message": {"role": "assistant", "content": "It is 0.5.", "reasoning_content": "Hm."}}
    extra = {"interrupt_type": "FormatError", "response": {"choices": [choice], "usage": {}}}
    told = {**says("user", "Call a tool."), "extra": extra}
    # Its command has no output yet: what the agent is told is no output of it.
    first, second = read_mini(mini(mini_turn("ls"), told)).steps
    assert first.observation is None
    assert (second.kind, second.thought, second.observation) == (
        *(StepKind.FORMAT_ERROR, "Hm.\n\nIt is 0.5."),
        "Call a tool.",
    )


def test_a_command_that_could_not_be_run_says_why() -> None:
    failed = response_output("k1-0", "", at=1002.0, returncode=-1, exception_info="the container is gone")
    step = read_mini(mini_responses(response(1, "ls"), failed)).steps[0]
    assert step.observation is not None
    assert step.observation.strip() == "the container is gone"


def test_a_bare_list_with_its_commands_beside_calls_is_this_format() -> None:
    turn = {**mini_turn("ls"), "tool_calls": [{"id": "x", "function": {"name": "bash", "arguments": "{}"}}]}
    assert [step.action for step in read_mini([*SAID, turn]).steps] == ["ls"]
