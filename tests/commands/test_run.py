"""manage.py run."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Entry, Run, TaskSet
from leaderboard.runs import offers
from tests.cast import CET, PET, make_set, report
from tests.warmup.loading import load_warm_up

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def task_set() -> TaskSet:
    return make_set(PET, CET)


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("run", *options, stdout=out)
    return out.getvalue()


def run_react(*options: str) -> str:
    return run("--agent", "react", "--set", "masked", "--setting", "model=qwen", *options)


def test_it_queues_every_task_once() -> None:
    said = run_react()

    made = Run.objects.get()
    assert said == f"run {made.pk}: 2 jobs are queued; see /runs/{made.pk}/\n"
    assert (made.agent, made.sandbox, made.max_parallel, made.limits) == ("react", "docker", 2, {})
    assert (made.entry.agent.name, made.entry.agent.model) == ("react", "qwen")
    assert made.agent_settings["model"] == "qwen"
    assert made.created_by is None


def test_it_queues_what_was_asked_for() -> None:
    run_react(
        *("--task", "pet", "--task", "pet", "--attempts", "3", "--max-parallel", "1"),
        *("--limit", "steps=30", "--limit", "cost=0.5", "--scaffold", "Ours", "--model", "Theirs"),
    )

    made = Run.objects.get()
    assert sorted(made.jobs.values_list("task__task_id", "number")) == [("pet", 1), ("pet", 2), ("pet", 3)]
    assert (made.max_parallel, made.limits) == (1, {"steps": 30, "cost": 0.5})
    assert str(made.entry.agent) == "Ours · Theirs"


def test_warm_up_runs_in_a_local_sandbox_unless_told_otherwise(tmp_path: Path) -> None:
    load_warm_up(tmp_path)

    run("--agent", "scripted-expert", "--set", "warm-up/all")

    made = Run.objects.get()
    assert (made.sandbox, made.jobs.count()) == ("local", 6)
    # Its recordings are on the board under the name that it would have.
    assert str(made.entry.agent) == "scripted · expert (run here)"


def test_a_name_that_was_asked_for_and_is_taken_is_refused() -> None:
    report(TaskSet.objects.get(slug="masked"), "react", {"pet": 1.0}, model="ours")

    with pytest.raises(CommandError, match="react · ours has an entry on this board already"):
        run_react("--model", "ours")


def test_where_no_sandbox_may_be_used_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse = offers.SandboxOffer("local", "", lambda benchmark: "it does not isolate")
    monkeypatch.setattr(offers, "_sandboxes", {"local": refuse})

    with pytest.raises(CommandError, match="it does not isolate"):
        run_react()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--task", "none"], "not a task of this set: none"),
        (["--attempts", "11"], "11 is not a number from 1 to 10"),
        (["--max-parallel", "0"], "0 is not a number from 1 to 32"),
        (["--sandbox", "local"], "RUNNER_LOCAL_FOR_ALL=true allows it"),
        (["--sandbox", "none"], "there is no sandbox “none”"),
        (["--setting", "temperature=hot"], "temperature: must be a number"),
        (["--setting", "api_key=sk-1"], "api_key: there is no such setting"),
        (["--setting", "temperature"], "“temperature” is not NAME=VALUE"),
        (["--limit", "patience=3"], "there is no such limit"),
        (["--limit", "steps=2.5"], "2.5 is not a whole number of at least 0"),
        (["--limit", "cost=nan"], "nan is not a number of at least 0"),
        (["--limit", "execution_seconds=-1"], "-1 is not a number of at least 0"),
        (["--set", "none"], "none"),
        (["--agent", "none"], "there is no agent “none”"),
        (["--agent", "scripted-expert"], "scripted-expert supports warm-up only"),
    ],
)
def test_what_can_not_be_run_says_why_and_makes_nothing(options: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        run_react(*options)

    assert not Run.objects.exists()
    assert not Entry.objects.exists()


def test_settings_that_an_agent_needs_are_asked_for() -> None:
    with pytest.raises(CommandError, match="model: is needed"):
        run("--agent", "react", "--set", "masked")


def test_an_agent_without_settings_takes_none(tmp_path: Path) -> None:
    load_warm_up(tmp_path)

    with pytest.raises(CommandError, match="api_key: there is no such setting"):
        run("--agent", "scripted-expert", "--set", "warm-up/all", "--setting", "api_key=sk-1")
