"""Runs of smolagents, as a result and as a list of steps."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import read
from tests.formats.chats import agent_step, code_step, smolagents_result, smolagents_steps
from tests.formats.samples import as_bytes

USED: dict[str, Any] = {"prompt_tokens": 100, "response_tokens": 10}


def read_run(document: Any) -> Trajectory:
    return read(as_bytes(document), name="run.json")


def at(second: int) -> tuple[float, str]:
    return 0.5, f"2026-05-01T10:00:0{second}+00:00"


def test_a_result_reads_whole() -> None:
    first = "Look, then train.\n\nThought: step 1."
    code, python = StepKind.EXECUTE, "python_interpreter"
    seen = "Execution logs:\nloss 0.5"
    final = "final_answer({'loss': 0.5})"
    assert read_run(smolagents_result()) == Trajectory(
        steps=(
            # The plan's tokens are those of the step that it led to.
            Step(
                *(1, code, python, "print(os)", first, "os is not allowed", *at(1)),
                prompt_tokens=150,
                response_tokens=15,
            ),
            Step(*(2, code, python, "print(run())", "Thought: step 2.", seen, *at(2)), **USED),
            Step(*(3, StepKind.FORMAT_ERROR, "", "", "It is 0.5.", "no code found", *at(3)), **USED),
            Step(*(4, StepKind.SUBMIT, python, final, "Thought: step 4.", None, *at(4)), **USED),
        ),
        format="smolagents",
        query="Train the model.",
        prompt="You write Python.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="success",
        prompt_tokens=450,
        response_tokens=45,
        elapsed=50.0,
    )


def test_a_list_of_steps_has_no_ending_until_its_final_answer() -> None:
    steps = smolagents_steps()
    whole, cut = read_run(steps), read_run(steps[:-2])
    assert (whole.answer, whole.ending, whole.prompt_tokens) == ({"loss": 0.5}, Ending.SUBMITTED, 450)
    assert (cut.answer, cut.ending, cut.prompt_tokens, len(cut.steps)) == (MISSING, Ending.UNKNOWN, 250, 2)


def test_calls_of_tools_are_steps_and_share_the_observation() -> None:
    def call(name: str, arguments: Any) -> dict[str, Any]:
        return {"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}

    both = [call("web_search", {"query": "x"}), call("read_file", {"path": "a"})]
    steps = [
        agent_step(1, tool_calls=both, model_output="Look.", observations="found"),
        agent_step(2, tool_calls=[call("final_answer", {"answer": "0.5"})], is_final_answer=True),
    ]
    search, view, submit = read_run(smolagents_result(*steps, output=0.5)).steps
    assert (search.kind, search.thought, search.observation) == (StepKind.SEARCH, "Look.", None)
    assert (view.kind, view.thought, view.observation) == (StepKind.VIEW, "", "found")
    assert (submit.kind, submit.action) == (StepKind.SUBMIT, "0.5")


@pytest.mark.parametrize("as_list", [True, False])
def test_a_run_that_used_up_its_steps_ended_at_their_limit(as_list: bool) -> None:
    error = {"type": "AgentMaxStepsError", "message": "Reached max steps."}
    steps = [code_step(1, "print(1)"), agent_step(2, error=error, action_output="0.5")]
    document: Any = steps if as_list else smolagents_result(*steps, state="max_steps_error", output="0.5")
    assert read_run(document).ending is Ending.STEPS


def test_an_output_of_null_is_no_answer_and_a_plan_at_the_end_is_shown() -> None:
    steps = [code_step(1, "print(1)"), {"plan": "Look again."}]
    trajectory = read_run(smolagents_result(*steps, output=None, state="max_steps_error"))
    assert trajectory.answer is MISSING
    assert trajectory.steps[-1].thought == "Look again."


def test_a_result_of_before_steps_had_that_name_is_read() -> None:
    document = smolagents_result()
    document["messages"] = document.pop("steps")
    assert read_run(document) == read_run(smolagents_result())
