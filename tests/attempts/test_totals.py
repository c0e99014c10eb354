"""What an entry's and a run's attempts used: totals, means, and of how many attempts they are known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.attempts.totals import Total, usage_totals
from leaderboard.models import Attempt, Entry, Run
from leaderboard.runs.services import set_run_public
from tests.api.calls import address, read
from tests.cast import CET, DPT, PET, add_attempt, bring_in, history, make_set, report
from tests.people import person
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry(tmp_path: Path) -> Entry:
    """Two attempts with a trajectory, of which one says its cost, and one that was only reported."""
    task_set = make_set(PET, CET, DPT)
    for task_id in ("pet", "cet"):
        add_attempt(tmp_path / "run", task_id, history=history({"loss": 0.5}))
    bring_in(tmp_path / "run", task_set)
    entry = Entry.objects.get()
    report(task_set, entry.agent.name, {"dpt": 1.0})
    Attempt.objects.filter(task__task_id="pet").update(cost=0.25)
    return entry


def totals_of(entry: Entry) -> dict[str, Total]:
    found = usage_totals(entry.attempts.all(), entry.task_set.scoring)
    assert [each.metric for each in found] == list(entry.task_set.scoring.usage)
    return {each.metric.key: each for each in found}


def test_what_is_missing_of_some_attempts_is_in_no_total_and_no_mean(entry: Entry) -> None:
    used = totals_of(entry)

    assert [used["cost"].total, used["cost"].mean, used["cost"].known] == [0.25, 0.25, 1]
    assert [used["execution_time"].total, used["execution_time"].mean] == [40.0, 20.0]
    assert [used["steps"].total, used["steps"].known, used["steps"].attempts] == [4, 2, 3]


def test_what_no_attempt_says_has_no_total_rather_than_0(entry: Entry) -> None:
    tokens = totals_of(entry)["prompt_tokens"]

    assert [tokens.total, tokens.mean, tokens.known, tokens.attempts] == [None, None, 0, 3]


def test_an_entry_shows_its_totals_apart_from_the_cost_that_was_reported(
    client: Client, entry: Entry
) -> None:
    Entry.objects.update(cost=12.5)
    page = re.sub(r"\s+", " ", client.get(entry.get_absolute_url()).content.decode())

    cost = '<th scope="row">Cost</th> <td class="num">$0.25</td> <td class="num">$0.25</td>'
    assert f'{cost} <td class="num">1 of 3</td>' in page
    assert "cost $12.50, as reported" in page
    used = read(client, address("entry", entry.slug))["used"]
    assert used[0] == {
        "metric": "cost",
        "unit": "dollars",
        "total": 0.25,
        "mean": 0.25,
        "known": 1,
        "attempts": 3,
    }


def test_a_run_shows_what_its_attempts_have_used_so_far(client: Client) -> None:
    run: Run = make_run()
    set_run_public(run, True, user=person("olga"))
    before = client.get(run.get_absolute_url(), headers={"HX-Request": "true"})
    assert before.context["totals"] == []

    finish(claim())

    after = client.get(run.get_absolute_url(), headers={"HX-Request": "true"}).content.decode()
    assert 'id="run-totals" hx-swap-oob="innerHTML"' in after
    assert "1 of 1" in after
    used = {each["metric"]: each for each in read(client, address("run", run.pk))["used"]}
    assert [used["steps"]["total"], used["steps"]["attempts"]] == [2, 1]
