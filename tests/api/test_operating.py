"""Runs by the API: made as the page makes them, stopped, tried again, shown, published."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.domain.access import Scope
from leaderboard.models import Job, Run
from tests.api.calls import address, kind, read, refusal, with_token
from tests.cast import CET, PET, make_set
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> Client:
    return with_token("olga", Scope.OPERATE)


def post(client: Client, name: str, *args: Any, **body: Any) -> Any:
    return client.post(address(name, *args), body, content_type="application/json")


def test_a_run_is_made_with_what_is_said_and_the_defaults(olga: Client) -> None:
    make_set(PET, CET)
    response = post(
        olga,
        "runs",
        task_set="super/masked",
        agent="react",
        tasks=["pet"],
        attempts=2,
        model="m",
        settings={"model": "some-model"},
        sandbox="docker",
    )

    assert response.status_code == 201, response.content
    run = Run.objects.get()
    assert response["Location"] == address("run", run.pk)
    assert (run.agent, run.agent_settings["model"], run.sandbox) == ("react", "some-model", "docker")
    assert Job.objects.filter(task__task_id="pet").count() == Job.objects.count() == 2


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"agent": "none"}, ""),
        ({"task_set": "super/none"}, ""),
        ({"tasks": ["none"]}, "$.tasks"),
        ({"attempts": 0, "max_parallel": 99}, "$.max_parallel"),
        ({"attempts": 11}, "$.attempts"),
        ({"settings": {"colour": "red"}}, "$.settings.colour"),
        ({"limits": {"patience": 1}}, "$.limits.patience"),
        ({"sandbox": "balloon"}, "$.sandbox"),
    ],
    ids=str,
)
def test_what_can_not_be_run_is_refused_with_its_place(
    said: dict[str, Any], place: str, olga: Client
) -> None:
    make_set(PET)
    asked = {"task_set": "super/masked", "agent": "react", "model": "m", "settings": {"model": "m"}, **said}
    response = post(olga, "runs", **asked)

    assert response.status_code == 422, response.content
    assert place in [problem["place"] for problem in refusal(response)["problems"]]
    assert not Run.objects.exists()


def test_jobs_are_cancelled_and_tried_again(olga: Client) -> None:
    run = make_run()
    first = run.jobs.first()
    assert first

    assert post(olga, "cancel", run.pk, jobs=[first.pk]).json() == {"jobs": 1}
    assert post(olga, "retry", run.pk, only_failed=True).json() == {"jobs": 0}
    assert post(olga, "retry", run.pk).json() == {"jobs": 1}
    assert post(olga, "cancel", run.pk).json() == {"jobs": 2}


def test_a_run_is_shown_to_readers_and_published(olga: Client, client: Client) -> None:
    run = make_run()
    finish(claim())

    shown = olga.patch(address("run", run.pk), {"public": True}, content_type="application/json")
    assert shown.json()["public"] is True
    assert read(client, address("run", run.pk))["ended"] is False
    assert kind(post(olga, "publish-run", run.pk)) == "unusable"
    post(olga, "cancel", run.pk)
    published = post(olga, "publish-run", run.pk, without_unfinished=True, model="another").json()
    assert (published["state"], published["model"], published["provenance"]) == (
        "published",
        "another",
        "run-here",
    )
