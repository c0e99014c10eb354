"""Harbor's trials: trajectories in several files, and what Harbor says of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.media import from_base64
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import group_files, list_samples, open_file, read
from leaderboard.formats.bundles import pack
from tests.formats.frameworks import T0, atif, atif_step
from tests.formats.harbor_jobs import LS, PNG, SUBMIT, continued, job, result, trial, with_image
from tests.formats.samples import as_bytes

TURN: Any = {
    "started": f"{T0}Z",
    "prompt_tokens": 100,
    "response_tokens": 10,
    "cost": 0.01,
    "cached_tokens": 50,
}


def read_trial(files: dict[str, bytes], **told: Any) -> Trajectory:
    return read(pack(trial(files, result("cet", "cet__aaaaaaa", **told))), name="cet__aaaaaaa")


def one(*turns: Any, **fields: Any) -> dict[str, bytes]:
    return {"agent/trajectory.json": as_bytes(atif(*turns, **fields))}


def test_a_trial_in_several_files_reads_whole() -> None:
    assert read_trial(continued()) == Trajectory(
        steps=(
            Step(1, StepKind.EXECUTE, "bash_command", "ls\n", "Look.", "train.py", **TURN),
            Step(
                *(2, StepKind.OTHER, "message", "", "Looked."),
                agent="summarizer",
                prompt_tokens=30,
                cost=0.5,
            ),
            Step(3, StepKind.SUBMIT, "finish", '{"loss": 0.5}', "Look.", "ok", **TURN),
        ),
        format="ATIF",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="finish",
        cost=0.52,
        prompt_tokens=230,
        response_tokens=20,
        cached_tokens=100,
        agent="terminus-2 2.0",
        model="m",
        elapsed=150.5,
        rewards=(("reward", 1.0),),
    )


def test_without_the_sub_agents_file_the_rest_is_read_and_says_so() -> None:
    files = continued()
    del files["agent/trajectory.summarization-1-summary.json"]
    trajectory = read_trial(files)
    assert [step.agent for step in trajectory.steps] == ["", ""]
    (warning,) = trajectory.warnings
    assert "trajectory.summarization-1-summary.json, which is not there" in warning.reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("trajectory.json", "which was read already"),
        ("../trajectory.json", "which leads out of its folder"),
        ("/etc/passwd", "which leads out of its folder"),
        ("https://host/x.json", "which leads out of its folder"),
        ("trajectory.cont-2.json", "which is not there"),
    ],
)
def test_a_trajectory_that_goes_on_nowhere_is_read_as_far_as_it_goes(path: str, reason: str) -> None:
    trajectory = read_trial(one(atif_step(LS), continued_trajectory_ref=path))
    assert len(trajectory.steps) == 1
    assert reason in trajectory.warnings[0].reason


def test_harbors_totals_are_the_whole_attempts() -> None:
    told = {"n_input_tokens": 2600, "n_output_tokens": 210, "n_cache_tokens": 7, "cost_usd": 0.05}
    found = read_trial(one(atif_step(LS)), agent_result=told)
    totals = (found.prompt_tokens, found.response_tokens, found.cached_tokens, found.cost)
    assert totals == (2600, 210, 7, 0.05)


def test_an_image_beside_the_trajectory_is_shown() -> None:
    (step,) = read_trial(with_image()).steps
    assert (step.observation, step.media) == ("a curve", (from_base64("image/png", PNG),))


def test_a_reward_is_no_answer_and_no_end() -> None:
    trajectory = read_trial(one(atif_step(LS)), verifier_result={"rewards": {"reward": 0.0, "other": None}})
    assert trajectory.rewards == (("reward", 0.0), ("other", None))
    assert (trajectory.answer, trajectory.ending) == (MISSING, Ending.UNKNOWN)


@pytest.mark.parametrize(
    ("kind", "turn", "ending"),
    [
        ("AgentTimeoutError", LS, Ending.TIME),
        ("AgentTimeoutError", SUBMIT, Ending.SUBMITTED),
        ("VerifierTimeoutError", LS, Ending.UNKNOWN),
        ("RuntimeError", LS, Ending.EXCEPTION),
    ],
)
def test_an_exception_of_the_agents_ends_it(kind: str, turn: Any, ending: Ending) -> None:
    fault = {"exception_type": kind, "exception_message": "boom"}
    assert read_trial(one(atif_step(turn)), exception_info=fault).ending is ending


def test_an_answer_among_the_artifacts_counts_where_the_agent_submitted_none() -> None:
    artifact = {"artifacts/answer.json": b'{"loss": 0.25}'}
    found = read_trial({**one(atif_step(LS)), **artifact})
    assert (found.answer, found.ending) == ({"loss": 0.25}, Ending.SUBMITTED)
    assert found.warnings[0].reason == "the answer is from artifacts/answer.json"
    assert read_trial({**one(atif_step(SUBMIT)), **artifact}).answer == {"loss": 0.5}


def test_a_task_of_several_steps_is_one_attempt() -> None:
    steps = {f"steps/{name}/{path}": data for name in "ab" for path, data in one(atif_step(LS)).items()}
    rewards = [{"step_name": name, "verifier_result": {"rewards": {"reward": 1}}} for name in "ab"]
    trajectory = read_trial(steps, verifier_result=None, step_results=rewards)
    assert [step.number for step in trajectory.steps] == [1, 2]
    assert trajectory.prompt_tokens == 200
    assert trajectory.rewards == (("a: reward", 1), ("b: reward", 1))


def test_variables_in_a_result_are_pointed_out_and_not_told() -> None:
    trajectory = read_trial(one(atif_step(LS)), config={"agent": {"env": {"KEY": "very-secret"}}})
    assert trajectory.warnings[0].place == "result.json, $.config.agent.env"
    assert "very-secret" not in repr(trajectory)


def test_a_broken_result_is_noted_and_the_trajectory_read() -> None:
    trajectory = read(pack({**trial(one(atif_step(LS)), None), "result.json": b"{"}), name="cet__aaaaaaa")
    assert len(trajectory.steps) == 1
    assert trajectory.warnings[0].place == "result.json, line 1, column 2"


def test_a_trial_without_a_trajectory_is_refused() -> None:
    with pytest.raises(InputError, match=r"a trial without agent/trajectory.json"):
        list_samples(pack(trial({}, result("cet", "cet__aaaaaaa"))), name="f")


def test_trials_of_terminal_bench_1_are_refused_once_and_by_name() -> None:
    names = ("results.json", "commands.txt", "panes/pre.txt", "sessions/agent.cast")
    files = {f"run/cet/cet.{n}-of-2.x/{name}": b"{}" for n in (1, 2) for name in names}
    assert len(group_files(tuple(files))) == 1
    with pytest.raises(InputError, match="trials of Terminal-Bench 1, which keeps recordings"):
        list_samples(pack(files), name="f")


def test_a_jobs_zip_has_a_sample_for_each_trial() -> None:
    file = open_file(pack(job()), name="job.zip")
    assert [(sample.key, sample.task_id) for sample in file.samples] == [
        ("job/amos__ccccccc", "amos"),
        ("job/cet__aaaaaaa", "cet"),
        ("job/cet__bbbbbbb", "cet"),
        ("job/con__ddddddd", "conv_graph"),
    ]
    assert file.read("job/cet__bbbbbbb").ending is Ending.TIME


def test_only_what_is_read_of_a_trial_is_packed() -> None:
    files = tuple(trial(continued(), result("cet", "x")))
    (group,) = group_files(files)
    assert group.names == (
        "agent/trajectory.json",
        "result.json",
        "agent/trajectory.cont-1.json",
        "agent/trajectory.summarization-1-summary.json",
        "verifier/reward.txt",
    )
    assert sorted((*group.names, *group.beside)) == sorted(files)


def test_sub_agents_inside_a_file_stand_under_their_calls() -> None:
    first = atif_step(("delegate", {"topic": "a"}, None), ("bash", {"command": "ls"}, "x"))
    refs = [{"trajectory_id": "t1", "session_id": "s"}], [{"session_id": "s2"}]
    call, bash = first["observation"]["results"]
    del call["content"]
    call["subagent_trajectory_ref"] = refs[0]
    bash["subagent_trajectory_ref"] = refs[1]
    inner = [
        atif(atif_step(LS), trajectory_id="t2", session_id="s2", agent={"name": "second"}),
        atif(atif_step(SUBMIT), trajectory_id="t1", session_id="s2", agent={"name": "first"}),
    ]
    document = atif(first, subagent_trajectories=inner, final_metrics={"total_prompt_tokens": 100})
    trajectory = read(as_bytes(document), name="f")
    assert [(step.action_type, step.agent) for step in trajectory.steps] == [
        ("delegate", ""),
        ("finish", "first"),
        ("bash", ""),
        ("bash_command", "second"),
    ]
    assert trajectory.steps[0].observation is None
    assert (trajectory.answer, trajectory.prompt_tokens) == (MISSING, 300)
    assert trajectory.warnings == ()


def test_what_a_writer_puts_in_place_of_words_is_no_thought() -> None:
    turn = atif_step(("Bash", {"command": "ls"}, "x"), message="Executed Bash toolu_1")
    compaction = {"source": "system", "message": "Compacted.", "extra": {"context_management": {"type": "c"}}}
    (step,) = read(as_bytes(atif(turn, compaction)), name="f").steps
    assert (step.thought, step.observation) == ("", "x")


def test_commands_that_a_message_has_as_json_are_calls() -> None:
    raw = {"analysis": "New.", "plan": "Look.", "commands": [{"keystrokes": "ls\n"}], "task_complete": True}
    turn = {"source": "agent", "message": json.dumps(raw)}
    steps = read(as_bytes(atif(turn)), name="f").steps
    assert [(step.kind, step.action, step.thought) for step in steps] == [
        (StepKind.EXECUTE, "ls\n", "Analysis: New.\nPlan: Look."),
        (StepKind.SUBMIT, "", ""),
    ]


def test_without_a_trajectory_the_agents_session_is_read_and_harbors_facts_are_kept() -> None:
    head = {"sessionId": "s", "version": "2.1.33", "timestamp": "2026-05-13T14:06:05Z"}
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    message = {"id": "m", "role": "assistant", "model": "claude", "content": [call], "usage": {}}
    asked = {"role": "user", "content": "Train the model."}
    lines = [
        {**head, "type": "user", "uuid": "1", "parentUuid": None, "message": asked},
        {**head, "type": "assistant", "uuid": "2", "parentUuid": "1", "message": message},
    ]
    name = "agent/sessions/projects/-app/0b1c2d3e-0000-4000-8000-000000000001.jsonl"
    files = trial({name: b"\n".join(map(as_bytes, lines))}, result("org/cet", "cet__aaaaaaa"))
    (group,) = group_files(tuple(files))
    packed = pack({each: files[each] for each in group.names})
    (sample,) = list_samples(packed, name="cet__aaaaaaa")
    assert (sample.task_id, sample.is_trial) == ("cet", True)
    trajectory = read(packed, name="cet__aaaaaaa")
    assert [(step.kind, step.action) for step in trajectory.steps] == [(StepKind.EXECUTE, "ls")]
    assert (trajectory.format, trajectory.rewards) == ("Claude Code session", (("reward", 1.0),))
