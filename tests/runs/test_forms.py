"""The form that makes a run: what it takes, what it refuses and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.domain.errors import InputError
from leaderboard.models import Run, TaskSet
from leaderboard.runs import offers
from tests.cast import CET, PET, make_set, report
from tests.runs.cast import make_run
from tests.warmup.loading import load_warm_up

pytestmark = pytest.mark.django_db
NEW = "?agent=react&set=masked"
SECRET = "sk-live-0123456789abcdef"


@pytest.fixture(autouse=True)
def task_set() -> TaskSet:
    return make_set(PET, CET)


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(User.objects.create_user("olga", is_staff=True))
    return client


def asked(**changes: Any) -> dict[str, Any]:
    """What an operator fills in for a run of react on the masked set, in a container."""
    return {
        "tasks": ["pet"],
        "attempts": 2,
        "max_parallel": 1,
        "scaffold": "react",
        "model": "qwen",
        "sandbox": "docker",
        "setting-model": "qwen2.5-coder",
        **changes,
    }


def make(client: Client, agent: str = "react", **changes: Any) -> Any:
    return client.post(reverse("new-run") + f"?agent={agent}&set=masked", asked(**changes))


def test_a_run_is_made(olga: Client) -> None:
    response = make(olga, steps=30, cost="")

    run = Run.objects.get()
    assert response["Location"] == run.get_absolute_url()
    assert (run.agent, run.sandbox, run.limits, run.max_parallel) == ("react", "docker", {"steps": 30}, 1)
    assert run.agent_settings["model"] == "qwen2.5-coder"
    assert run.created_by == User.objects.get()
    assert list(run.jobs.values_list("task__task_id", "number")) == [("pet", 1), ("pet", 2)]
    assert (run.entry.agent.name, run.entry.agent.model) == ("react", "qwen")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tasks": []}, "This field is required."),
        ({"tasks": ["none-such"]}, "none-such is not one of the available choices."),
        ({"tasks": ["a\0b"]}, "Null characters are not allowed."),
        ({"attempts": 0}, "Ensure this value is greater than or equal to 1."),
        ({"attempts": "many"}, "Enter a whole number."),
        ({"attempts": 11}, "Ensure this value is less than or equal to 10."),
        ({"max_parallel": 33}, "Ensure this value is less than or equal to 32."),
        ({"sandbox": "local"}, "local is not one of the available choices."),
        ({"sandbox": "none-such"}, "none-such is not one of the available choices."),
        ({"steps": -1}, "Ensure this value is greater than or equal to 0."),
        ({"steps": "2.5"}, "Enter a whole number."),
        ({"cost": "nan"}, "Enter a number."),
        ({"setting-model": ""}, "model: is needed"),
        ({"setting-temperature": "hot"}, "temperature: must be a number"),
        ({"setting-temperature": "3"}, "temperature: must be at most 2"),
        ({"setting-api_key_variable": SECRET}, "api_key_variable"),
        ({"scaffold": "x" * 101}, "Ensure this value has at most 100 characters"),
    ],
)
def test_what_can_not_be_run_says_why_and_makes_nothing(
    changes: dict[str, Any], says: str, olga: Client
) -> None:
    response = make(olga, **changes)

    assert response.status_code == 200
    assert any(says in error for error in errors(response))
    assert not Run.objects.exists()


def test_a_name_that_is_on_the_board_already_is_refused_before_the_run(
    task_set: TaskSet, olga: Client
) -> None:
    report(task_set, "react", {"pet": 1.0}, model="qwen")

    response = make(olga)

    assert "react · qwen has an entry on this board already" in errors(response)[0]
    assert not Run.objects.exists()


def test_the_name_that_is_suggested_is_free(olga: Client, tmp_path: Path) -> None:
    load_warm_up(tmp_path)

    page = olga.get(reverse("new-run") + "?agent=scripted-expert&set=warm-up/all")

    assert page.context["form"].initial["model"] == "expert (run here)"


def test_each_sandbox_says_what_it_is(olga: Client) -> None:
    assert "docker: A container of its own" in olga.get(reverse("new-run") + NEW).content.decode()


def test_every_setting_of_an_agent_has_a_label_beside_its_name(olga: Client) -> None:
    page = olga.get(reverse("new-run") + NEW).content.decode()

    assert "Variable that holds the key <small>api_key_variable</small>" in page
    for agent in offers.agents():
        assert agent.labels.keys() >= agent.defaults.keys()


def test_an_agent_that_is_not_offered_is_refused_by_its_name() -> None:
    with pytest.raises(InputError, match="there is no agent “none”"):
        offers.get_agent("none")


@pytest.mark.parametrize("query", ["?agent=none&set=masked", "?agent=react&set=none"])
def test_a_page_does_not_speak_of_the_words_of_a_command(query: str, olga: Client) -> None:
    page = olga.get(reverse("new-run") + query)

    assert page.status_code == 404
    assert "--" not in page.content.decode().partition("<main")[2].partition("</main>")[0]


def errors(response: Any) -> list[str]:
    return [error for each in response.context["form"].errors.values() for error in each]


def test_an_agent_of_one_benchmark_is_refused_for_another(olga: Client) -> None:
    response = make(olga, agent="scripted-expert")

    assert "scripted-expert supports warm-up only" in errors(response)[0]
    assert not Run.objects.exists()


def test_a_sandbox_that_does_not_isolate_is_refused_with_the_reason(olga: Client, settings: Settings) -> None:
    address = reverse("new-run") + NEW
    page = olga.get(address).content.decode()
    assert "RUNNER_LOCAL_FOR_ALL=true allows it for every benchmark." in page
    assert 'value="local"' not in page

    settings.RUNNER_LOCAL_FOR_ALL = True

    assert 'value="local"' in olga.get(address).content.decode()


def test_a_secret_that_is_sent_along_is_not_stored(olga: Client) -> None:
    make(olga, **{"setting-api_key": SECRET, "api_key": SECRET})

    assert SECRET not in str(list(Run.objects.values()))
    assert Run.objects.count() == 1


def test_a_key_in_the_wrong_field_is_not_repeated_in_the_complaint(olga: Client) -> None:
    response = make(olga, **{"setting-api_key_variable": SECRET})

    assert all(SECRET not in error for error in errors(response))


def test_a_run_is_made_again_with_changes(olga: Client) -> None:
    make(olga, attempts=3, steps=30)
    first = Run.objects.get()

    page = olga.get(reverse("new-run") + f"?from={first.pk}")

    initial = page.context["form"].initial
    assert {name: initial[name] for name in ("tasks", "attempts", "steps", "sandbox", "scaffold")} == {
        "tasks": ["pet"],
        "attempts": 3,
        "steps": 30,
        "sandbox": "docker",
        "scaffold": "react",
    }
    assert initial["setting-model"] == "qwen2.5-coder"
    olga.post(reverse("new-run") + f"?from={first.pk}", asked(attempts=1))
    assert Run.objects.latest("created").jobs.count() == 1


@pytest.mark.parametrize(
    "query", ["?agent=none&set=masked", "?agent=react&set=none", "?from=12345", "?from=" + "9" * 5000]
)
def test_what_is_not_there_can_not_be_run(query: str, olga: Client) -> None:
    assert olga.get(reverse("new-run") + query).status_code == 404


def test_a_run_of_an_agent_that_is_gone_can_not_be_copied(task_set: TaskSet, olga: Client) -> None:
    run = make_run(task_set=task_set)
    Run.objects.update(agent="gone")

    assert olga.get(reverse("new-run") + f"?from={run.pk}").status_code == 404


def test_without_a_choice_it_asks_for_one(olga: Client) -> None:
    page = olga.get(reverse("new-run")).content.decode()

    assert "scripted-expert" in page
    assert "super/masked" in page
