"""/runs/: made, watched and stopped by operators; readers watch what was made public."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.domain.states import UnitState
from leaderboard.models import Run, TaskSet
from leaderboard.services.runs import set_run_public
from tests.cast import CET, PET, make_set
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
SECRET = "sk-live-0123456789abcdef"


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET, CET)


@pytest.fixture
def run(task_set: TaskSet) -> Run:
    return make_run(task_set=task_set)


@pytest.fixture
def olga() -> Client:
    return signed_in("olga", is_staff=True)


def signed_in(name: str, *, is_staff: bool = False) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(name, is_staff=is_staff))
    return client


def visitor(who: str) -> Client:
    match who:
        case "Olga":
            return signed_in("olga", is_staff=True)
        case "Alice":
            return signed_in("alice")
        case _:
            return Client()


def pages(run: Run) -> dict[str, str]:
    return {
        "runs": reverse("runs"),
        "new": reverse("new-run") + "?agent=react&set=masked",
        "run": run.get_absolute_url(),
        "unit": run.units.all()[0].get_absolute_url(),
        "act": reverse("act-on-run", args=(run.pk,)),
    }


# Who gets which answer: to a GET of each page, and to a POST of "open" to the last.
SIGN_IN = 302
ACCESS = {
    "Olga": {"runs": 200, "new": 200, "run": 200, "unit": 200, "act": 405},
    "Alice": {"runs": 403, "new": 403, "run": 404, "unit": 404, "act": 405},
    "nobody": {"runs": SIGN_IN, "new": SIGN_IN, "run": 404, "unit": 404, "act": 405},
}


@pytest.mark.parametrize("who", ACCESS)
def test_operators_see_runs_and_others_do_not(who: str, run: Run) -> None:
    client = visitor(who)

    assert {name: client.get(url).status_code for name, url in pages(run).items()} == ACCESS[who]


@pytest.mark.parametrize("who", ACCESS)
def test_everybody_watches_a_run_that_is_public(who: str, run: Run) -> None:
    set_run_public(run, True)
    client = visitor(who)

    for name in ("run", "unit"):
        page = client.get(pages(run)[name])
        assert page.status_code == 200
        assert ('name="action"' in page.content.decode()) is (who == "Olga")


@pytest.mark.parametrize("who", ["Alice", "nobody"])
@pytest.mark.parametrize("action", ["cancel", "retry", "retry-failed", "publish", "open", "close"])
def test_only_operators_act_even_on_a_public_run(who: str, action: str, run: Run) -> None:
    set_run_public(run, True)

    response = visitor(who).post(pages(run)["act"], {"action": action})

    assert response.status_code == (SIGN_IN if who == "nobody" else 403)
    run.refresh_from_db()
    assert run.public
    assert set(run.units.values_list("state", flat=True)) == {UnitState.QUEUED}


@pytest.mark.parametrize("who", ["Alice", "nobody"])
def test_only_operators_make_runs(who: str, task_set: TaskSet) -> None:
    response = visitor(who).post(reverse("new-run") + "?agent=react&set=masked", asked())

    assert response.status_code == (SIGN_IN if who == "nobody" else 403)
    assert not Run.objects.exists()


def test_an_operator_who_has_left_is_none(run: Run) -> None:
    client = signed_in("olga", is_staff=True)
    User.objects.update(is_active=False)

    assert client.get(pages(run)["run"]).status_code == 404


def test_a_forged_form_is_refused(run: Run) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("olga", is_staff=True))

    assert client.post(pages(run)["act"], {"action": "cancel"}).status_code == 403


def test_what_was_asked_for_is_done(run: Run, olga: Client) -> None:
    act = pages(run)["act"]
    for action, words in (
        ("cancel", "2 units are being cancelled."),
        ("retry", "2 units are queued again."),
        ("retry-failed", "0 units are queued again."),
        ("publish", "some units have not ended yet"),
        ("dance", "This is nothing that can be done with a run."),
    ):
        assert words in olga.post(act, {"action": action}, follow=True).content.decode()


def test_one_unit_is_cancelled_and_its_page_comes_back(run: Run, olga: Client) -> None:
    unit = run.units.all()[0]

    response = olga.post(
        pages(run)["act"], {"action": "cancel", "unit": unit.pk, "next": unit.get_absolute_url()}
    )

    assert response["Location"] == unit.get_absolute_url()
    assert sorted(run.units.values_list("state", flat=True)) == [UnitState.CANCELLED, UnitState.QUEUED]


@pytest.mark.parametrize("unit", ["x", "-1", "9" * 30, "9" * 5000, "²"])
def test_a_unit_that_is_none_is_not_taken_for_all(unit: str, run: Run, olga: Client) -> None:
    assert olga.post(pages(run)["act"], {"action": "cancel", "unit": unit}).status_code in (302, 404)

    assert set(run.units.values_list("state", flat=True)) == {UnitState.QUEUED}


@pytest.mark.parametrize("back", ["https://elsewhere.example/runs/", "//elsewhere.example", "javascript:x"])
def test_nobody_is_led_elsewhere(back: str, run: Run, olga: Client) -> None:
    response = olga.post(pages(run)["act"], {"action": "cancel", "next": back})

    assert response["Location"] == run.get_absolute_url()


def test_publishing_leads_to_the_entry(task_set: TaskSet, olga: Client) -> None:
    run = make_run(task_set=task_set, tasks=[task_set.tasks.get(task_id="pet")])
    finish(claim())

    response = olga.post(pages(run)["act"], {"action": "publish"})

    assert response["Location"] == run.entry.get_absolute_url()
    assert "Solver" in Client().get(reverse("board", args=("super", "masked"))).content.decode()


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


def test_a_run_is_made(task_set: TaskSet, olga: Client) -> None:
    response = make(olga, steps=30, cost="")

    run = Run.objects.get()
    assert response["Location"] == run.get_absolute_url()
    assert (run.agent, run.sandbox, run.limits, run.max_parallel) == ("react", "docker", {"steps": 30}, 1)
    assert run.agent_settings["model"] == "qwen2.5-coder"
    assert run.created_by == User.objects.get()
    assert list(run.units.values_list("task__task_id", "number")) == [("pet", 1), ("pet", 2)]
    assert (run.entry.agent.name, run.entry.agent.model) == ("react", "qwen")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tasks": []}, "This field is required."),
        ({"tasks": ["none-such"]}, "none-such is not one of the available choices."),
        ({"tasks": ["a\0b"]}, "Null characters are not allowed."),
        ({"attempts": 0}, "Ensure this value is greater than or equal to 1."),
        ({"attempts": "many"}, "Enter a whole number."),
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
    changes: dict[str, Any], says: str, task_set: TaskSet, olga: Client
) -> None:
    response = make(olga, **changes)

    assert response.status_code == 200
    assert any(says in error for error in errors(response))
    assert not Run.objects.exists()


def errors(response: Any) -> list[str]:
    return [error for each in response.context["form"].errors.values() for error in each]


def test_an_agent_of_one_benchmark_is_refused_for_another(task_set: TaskSet, olga: Client) -> None:
    response = make(olga, agent="scripted-expert")

    assert "scripted-expert is for warm-up only" in errors(response)[0]
    assert not Run.objects.exists()


def test_a_sandbox_that_does_not_isolate_is_refused_with_the_reason(
    task_set: TaskSet, olga: Client, settings: Settings
) -> None:
    address = pages_of_new()
    page = olga.get(address).content.decode()
    assert "RUNNER_LOCAL_FOR_ALL=true allows it for every benchmark." in page
    assert 'value="local"' not in page

    settings.RUNNER_LOCAL_FOR_ALL = True

    assert 'value="local"' in olga.get(address).content.decode()


def pages_of_new() -> str:
    return reverse("new-run") + "?agent=react&set=masked"


def test_a_secret_that_is_sent_along_is_not_stored(task_set: TaskSet, olga: Client) -> None:
    make(olga, **{"setting-api_key": SECRET, "api_key": SECRET})

    assert SECRET not in str(list(Run.objects.values()))
    assert Run.objects.count() == 1


def test_a_key_in_the_wrong_field_is_not_repeated_in_the_complaint(task_set: TaskSet, olga: Client) -> None:
    response = make(olga, **{"setting-api_key_variable": SECRET})

    assert all(SECRET not in error for error in errors(response))


def test_a_run_is_made_again_with_changes(task_set: TaskSet, olga: Client) -> None:
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
    assert Run.objects.latest("created").units.count() == 1


@pytest.mark.parametrize(
    "query", ["?agent=none&set=masked", "?agent=react&set=none", "?from=12345", "?from=" + "9" * 5000]
)
def test_what_is_not_there_can_not_be_run(query: str, task_set: TaskSet, olga: Client) -> None:
    assert olga.get(reverse("new-run") + query).status_code == 404


def test_a_run_of_an_agent_that_is_gone_can_not_be_copied(run: Run, olga: Client) -> None:
    Run.objects.update(agent="gone")

    assert olga.get(reverse("new-run") + f"?from={run.pk}").status_code == 404


def test_without_a_choice_it_asks_for_one(task_set: TaskSet, olga: Client) -> None:
    page = olga.get(reverse("new-run")).content.decode()

    assert "scripted-expert" in page
    assert "super/masked" in page
