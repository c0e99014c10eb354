"""The cases of OpenHands' folders and Harbor's jobs, where they are at hand, and what each must give."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats import open_file, read
from leaderboard.formats.documents import read_file
from leaderboard.intake.check import check_folder
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Severity
from leaderboard.intake.known_tasks import shipped_tasks
from leaderboard.intake.layout import list_files
from leaderboard.intake.survey import survey

CASES: Final = Path(__file__).resolve().parents[3] / "shared" / "cases" / "formats"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not at hand")

LETTERS: Final = {
    StepKind.EXECUTE: "e",
    StepKind.VIEW: "r",
    StepKind.SUBMIT: "s",
    StepKind.FORMAT_ERROR: "f",
    StepKind.OTHER: "x",
}
LONG: Final = "unsupervisedhierarchicalsymbolicregression_issue"
FACTS: Final = (
    *("prompt_tokens", "response_tokens", "cached_tokens", "cost"),
    *("model", "agent", "ending", "answer"),
)
SMATCH: Final = {"Smatch": 0.84}
ACCURACY: Final = {"accuracy": 0.735}
SONNET: Final = "anthropic/claude-sonnet-4-5"
# By the attempt: its steps, and the facts above. A sub-agent's step is in brackets.
HARBOR: Final[dict[tuple[str, int], tuple[str, tuple[Any, ...]]]] = {
    ("amrbart_data", 1): (
        "e (m) e s",
        (5200, 460, 0, 0.052, SONNET, "terminus-2 2.0.0", Ending.UNKNOWN, MISSING),
    ),
    ("amrbart_data", 2): (
        "e",
        (900, 40, 600, None, "claude-haiku-4-5", "claude-code 2.1.33", Ending.TIME, MISSING),
    ),
    ("glee_data", 1): (
        "x (e) e r s",
        (2600, 210, 0, 0.05, "gpt-4.1", "openhands 1.7.0", Ending.SUBMITTED, {"F1": 0.77}),
    ),
    (LONG, 1): ("e e e s", (3000, 200, 800, 0.03, SONNET, "terminus-2 2.0.0", Ending.UNKNOWN, MISSING)),
}
JOB: Final[dict[tuple[str, int], tuple[str, tuple[tuple[str, float], ...]]]] = {
    ("amrbart_data", 1): ("e e", (("reward", 1.0),)),
    ("amrbart_data", 2): ("e", (("reward", 0.0),)),
    ("glee_data", 1): ("e e e", ()),
    (LONG, 1): ("e e", (("reward", 1.0),)),
}


def kinds(trajectory: Trajectory) -> str:
    told = ("m" if step.action_type == "message" else LETTERS[step.kind] for step in trajectory.steps)
    words = zip(told, trajectory.steps, strict=True)
    return " ".join(f"({word})" if step.agent else word for word, step in words)


def facts(trajectory: Trajectory) -> tuple[Any, ...]:
    return tuple(getattr(trajectory, name) for name in FACTS)


def attempts(case: str) -> dict[tuple[str, int], Trajectory]:
    """What an upload of the case has, as it is read; nothing else may be found wrong with it."""
    report = check_folder(
        CASES / case,
        name=f"{case.rpartition('/')[2]}.zip",
        known_tasks=shipped_tasks(),
        form=Description(benchmark="super", task_set="masked"),
    )
    assert report.count(Severity.ERROR) == report.count(Severity.WARNING) == 0
    assert not [line for line in report.files if line.findings and not line.task_id]
    found = survey(
        list_files(CASES / case), name=f"{case}.zip", known_tasks=shipped_tasks(), task_set="masked"
    )
    read_of = {}
    for attempt in found.attempts:
        assert attempt.trajectory is not None
        data = read_file(attempt.trajectory, name=attempt.name)
        read_of[attempt.task_id, attempt.number] = open_file(data, name=attempt.name).read(attempt.sample)
    return read_of


def test_a_job_gives_its_trials_and_nothing_else() -> None:
    found = attempts("harbor")
    assert {key: (kinds(each), facts(each)) for key, each in found.items()} == HARBOR
    view = found["glee_data", 1].steps[3]
    assert (view.observation, [one.is_shown for one in view.media]) == ("a curve", [True])
    assert [step.observation for step in found[LONG, 1].steps][:2] == [
        None,
        "New Terminal Output:\ndata.tsv notes.txt\ntry --quick",
    ]


def test_a_job_with_long_names_and_a_continuation() -> None:
    found = attempts("harbor-job")
    assert {key: (kinds(each), each.rewards) for key, each in found.items()} == JOB


def test_a_sub_agents_step_stands_under_its_call() -> None:
    (trajectory,) = attempts("atif-subagents").values()
    assert kinds(trajectory) == "x (e) e"
    assert (trajectory.prompt_tokens, trajectory.response_tokens) == (200, 20)


@pytest.mark.parametrize("case", ["openhands-v1/amrbart_data", "openhands-v1/events.jsonl"])
def test_a_stored_conversation_in_both_forms(case: str) -> None:
    path = CASES / case
    if path.is_dir():
        (trajectory,) = attempts(case).values()
    else:
        trajectory = read(path.read_bytes(), name=path.name)
    model = "litellm_proxy/some-model"
    wanted = (3100, 200, 1800, 0.031, model, "OpenHands", Ending.SUBMITTED, SMATCH)
    assert (kinds(trajectory), facts(trajectory)) == ("e x f e s", wanted)
    first, page, broken = trajectory.steps[:3]
    assert (first.thought, page.thought) == ("Two at once.\n\nA look.", "")
    assert (page.observation, len(page.media)) == ("a page", 1)
    assert broken.observation == "the argument command is missing"


def test_a_conversation_that_was_cut_off() -> None:
    trajectory = read((CASES / "openhands-v1" / "stuck.jsonl").read_bytes(), name="stuck.jsonl")
    wanted = (None, None, None, None, "", "OpenHands", Ending.STEPS, MISSING)
    assert (kinds(trajectory), facts(trajectory)) == ("e x", wanted)
    assert trajectory.steps[1].observation is None


@pytest.mark.parametrize("case", ["openhands-v1-folder", "openhands-v1-lines"])
def test_the_last_stats_count(case: str) -> None:
    found = attempts(case)
    trajectory = found["amrbart_data", 1]
    wanted = (1000, 100, 0, 0.02, "made-model-1", "OpenHands", Ending.SUBMITTED, ACCURACY)
    assert (kinds(trajectory), facts(trajectory)) == ("e e s", wanted)
