"""A task's page and its API set the attempts against each other, and tell nothing of the gold answer."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Attempt, LandmarkOutcome, Score, Task
from leaderboard.scoring.reported import SINGLE
from leaderboard.tasks import overview
from tests.attempts.test_side_by_side import CLONE, INSTALL, TRAIN, attempt_of, did
from tests.cast import CET, NOVICE, PET, RIVAL, SOLVER, make_set
from tests.people import NOBODY, client_of
from tests.tasks.cast import failed_by, tried

pytestmark = pytest.mark.django_db
HIT, MISSED = "hit", "missed"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def pet() -> Task:
    return make_set(PET, CET).tasks.get(task_id="pet")


def page(task: Task, query: str = "", who: str = NOBODY) -> str:
    response = client_of(who).get(f"{task.get_absolute_url()}?{query}")
    assert response.status_code == 200
    return response.content.decode()


def text(html: str) -> str:
    return " ".join(unescape(strip_tags(html)).split())


def section(html: str, name: str) -> str:
    """A section of a page in one line of text; empty if it is not there."""
    found = re.search(f'<section aria-labelledby="{name}">.*?</section>', html, re.DOTALL)
    return text(found[0]) if found else ""


def listed(html: str) -> list[int]:
    """The attempts in the table, by key."""
    table = html.partition('id="attempts"')[2].partition("</table>")[0]
    return [int(pk) for pk in re.findall(r'<a href="/a/(\d+)/">', table)]


def data(task: Task, client: Client | None = None, **query: Any) -> Any:
    address = reverse("api:task-comparison", args=(*task.task_set.key.split("/"), task.task_id))
    response = (client or Client()).get(address, query)
    assert response.status_code == 200, response.content
    return response.json()


def four(task: Task) -> list[Attempt]:
    return [
        tried(
            task, "A", {"loss": 0.5, "n": 1}, value=1.0, landmarks={1: HIT, 2: HIT}, **failed_by("gave-up")
        ),
        tried(task, "B", {"loss": 0.504}, value=0.0, landmarks={1: HIT, 2: MISSED}, **failed_by("gave-up")),
        tried(
            task, "C", {"loss": 9}, value=0.0, landmarks={1: "given", 2: MISSED}, **failed_by("misread-task")
        ),
        tried(task, "D", value=0.0, landmarks={1: HIT, 2: "timed-out"}),
    ]


def test_the_page_says_which_answers_agree_how_far_attempts_come_and_why_they_fail(pet: Task) -> None:
    four(pet)
    html = page(pet)

    assert PET.query in text(html)
    answers = section(html, "answers")
    assert "loss 2 of 3 0.5 A · gpt-4o B · gpt-4o 0.504 9 C · gpt-4o n" in answers
    assert "No answer: D · gpt-4o" in answers
    assert "1 3 of 3 100.0 % given to 1 0 epoch" in section(html, "landmarks")
    assert "gave up 1" in section(html, "findings")
    assert (
        "3 of 4 attempts with a trajectory do not solve the task; for 1 of these nothing is known of why"
        in text(html)
    )
    assert "10 steps · hits 1 step 2, 2 step 4 · Submitted an answer" in section(html, "timelines")
    assert "gave up: step 3" in section(html, "timelines")


def test_the_figures_are_those_of_the_stored_rows(pet: Task) -> None:
    attempts = four(pet)
    tried(pet, "Claims", {"loss": 9}, has_trajectory=False)
    found = data(pet)

    keys = [attempt.pk for attempt in attempts]
    rows = [list(LandmarkOutcome.objects.filter(attempt=pk).values_list("number", "status")) for pk in keys]
    values = dict(Score.objects.filter(attempt__in=keys).values_list("attempt", "value"))
    last = Counter(
        min([number for number, status in each if status == MISSED], default=0)
        for pk, each in zip(keys, rows, strict=True)
        if values[pk] == 0
    )
    for stage in found["funnel"]["stages"]:
        statuses = [status for each in rows for number, status in each if number == stage["number"]]
        assert stage["hit"] == statuses.count(HIT)
        assert stage["searched"] == statuses.count(HIT) + statuses.count(MISSED)
        assert stage["stopped"] == last[stage["number"]]
    assert found["funnel"]["attempts"] == len(rows)
    kinds = Counter(
        finding
        for pk, finding in Attempt.objects.filter(pk__in=keys).values_list("pk", "finding")
        if finding and values[pk] == 0
    )
    assert {each["finding"]: each["attempts"] for each in found["findings"]} == kinds
    assert found["solved"] == sum(value == 1 for value in values.values())
    said = {pk: json.loads(Attempt.objects.get(pk=pk).answer or "{}").get("loss") for pk in keys}
    near = [
        sum(other is not None and abs(one - other) < 0.01 for other in said.values())
        for one in said.values()
        if one
    ]
    loss = next(each for each in found["answers"]["keys"] if each["key"] == "loss")
    assert loss["agree"] == max(near)
    assert found["answers"]["counted"] == sum(each is not None for each in said.values())


def test_operators_alone_are_told_what_is_right_and_nobody_the_gold_answer(pet: Task) -> None:
    four(pet)
    html = page(pet, who="olga")

    assert "0.5 right A · gpt-4o B · gpt-4o 0.504 9 wrong C · gpt-4o" in section(html, "answers")
    shown = [saying["right"] for saying in data(pet, client_of("olga"))["answers"]["keys"][0]["values"]]
    assert shown == [2, 0]
    for who in ("alice", NOBODY):
        before, told = section(page(pet, who=who), "answers"), data(pet, client_of(who))
        # The page of a task with another gold answer is the same: nothing in it comes from there.
        Task.objects.filter(pk=pet.pk).update(gold=json.dumps({"loss": 9, "other": 1}))
        assert section(page(pet, who=who), "answers") == before
        assert data(pet, client_of(who)) == told
        assert "right" not in before.replace("being right", "")


def test_a_value_of_which_only_some_are_right_says_how_many(pet: Task) -> None:
    # Both are within 0.01 of 0.492, which is first; one is not of the gold answer, 0.5.
    tried(pet, "A", {"loss": 0.492})
    tried(pet, "B", {"loss": 0.485})

    assert "0.492 1 right A · gpt-4o B · gpt-4o 0.485" in section(page(pet, who="olga"), "answers")


def test_each_finding_and_each_stop_leads_to_its_attempts_and_no_other(pet: Task) -> None:
    a, b, c, d = (attempt.pk for attempt in four(pet))
    html = page(pet)

    assert 'href="?finding=gave-up#attempts"' in html
    # A is solved, and so nothing is said of a failure.
    assert listed(page(pet, "finding=gave-up")) == [b]
    assert listed(page(pet, "landmark=2")) == [b, c]
    assert listed(page(pet, "landmark=2&finding=misread-task")) == [c]
    assert "failed and stop at landmark 2, by “gave up”" in text(page(pet, "landmark=2&finding=gave-up"))
    assert "There is no such attempt." in text(page(pet, "landmark=7"))
    # What does not exist is said, and filters nothing.
    assert listed(page(pet, "finding=luck")) == [a, b, c, d]
    assert "luck is not one of the available choices." in text(page(pet, "finding=luck"))


def test_what_has_no_trajectory_is_shown_and_counted_nowhere_and_what_is_not_published_is_not_shown(
    pet: Task,
) -> None:
    tried(pet, "A", {"loss": 0.5}, landmarks={1: HIT, 2: HIT})
    claimed = tried(pet, "Claims", {"loss": 0.5}, has_trajectory=False)
    for number, state in enumerate(("draft", "withdrawn", "hidden", "superseded"), start=1):
        tried(pet, f"Unseen {number}", {"loss": 0.5}, state=state, landmarks={1: HIT}, **failed_by("gave-up"))

    html, found = page(pet, who="olga"), data(pet)
    assert "0.5 right A · gpt-4o Claims · gpt-4o no trajectory" in section(html, "answers")
    assert "1 of 1" in section(html, "answers")
    assert "Unseen" not in html
    assert (found["attempts"], found["funnel"]["attempts"], found["findings"]) == (1, 1, [])
    assert found["answers"]["keys"][0]["values"][0]["counted"] == 1
    assert claimed.pk in found["answers"]["compared"]


def test_hostile_long_and_deep_answers_are_text_or_left_out(pet: Task) -> None:
    tried(pet, "A", {HOSTILE: HOSTILE, "x" * 500: "y" * 500})
    tried(pet, "B", "z" * (overview.LONGEST_ANSWER + 1))
    Attempt.objects.filter(pk=tried(pet, "C", 1).pk).update(answer="[" * 5000 + "]" * 5000)
    Attempt.objects.filter(pk=tried(pet, "D", 1).pk).update(answer="not JSON")
    tried(pet, "E", {f"key {n}": n for n in range(100)})
    tried(pet, "F", None)

    html = page(pet)
    answers = section(html, "answers")
    assert HOSTILE not in html
    assert f'{HOSTILE} no two "{HOSTILE}"' in answers
    assert (
        "Too long or too deeply nested to compare: B · gpt-4o C · gpt-4o D · gpt-4o No answer: F · gpt-4o"
        in answers
    )
    assert "72 more keys, of fewer answers, are not compared here." in answers
    assert "y" * 199 + "…" not in answers
    assert '"' + "y" * 198 + "…" in answers


@pytest.mark.parametrize("attempts", [1, 2, 30, 130])
def test_it_holds_with_any_number_of_attempts_in_at_most_eight_queries(
    attempts: int, pet: Task, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    Task.objects.filter(pk=pet.pk).update(query="")
    for number in range(1, attempts + 1):
        tried(
            pet,
            SOLVER,
            {"loss": number},
            number=number,
            landmarks={1: HIT, 2: MISSED},
            **failed_by("gave-up"),
        )

    with django_assert_max_num_queries(8):
        html = client.get(pet.get_absolute_url()).content.decode()
    assert len(listed(html)) == min(attempts, overview.COMPARED)
    assert data(pet)["funnel"]["stages"][0]["hit"] == attempts
    # Two to choose from need two attempts.
    assert bool(section(html, "parting")) is (attempts > 1)
    if attempts > overview.COMPARED:
        assert len(listed(page(pet, "page=2"))) == attempts - overview.COMPARED
        assert len(data(pet, page=2)["answers"]["compared"]) == attempts - overview.COMPARED
        assert data(pet)["more"]
        assert "of the attempts on this page" in section(html, "answers")


def test_without_an_attempt_the_page_says_what_will_be_there(pet: Task) -> None:
    html = page(pet)

    assert "No attempt at this task is recorded yet." in text(html)
    assert not section(html, "answers")
    assert "Over 0 attempts with a trajectory." in section(html, "landmarks")


def test_a_benchmark_without_scorers_and_one_that_judges_by_percent_are_compared_in_their_own_way() -> None:
    found = {}
    for scoring in ("", "autoexperiment"):
        benchmark = save_benchmark(
            {
                "slug": f"b{scoring}",
                "name": "B",
                "summary": "",
                "url": "",
                "position": 9,
                **({"scoring": scoring} if scoring else {"metrics": [*SINGLE]}),
                "categories": [],
                "task_sets": [{"slug": "all", "name": "All", "summary": ""}],
            }
        )
        import_tasks(benchmark.task_sets.get(), [TaskSpec("one", gold={"Experiment 1": {"acc": 50}})])
        task = Task.objects.get(task_set__benchmark=benchmark)
        tried(task, "A", {"Experiment 1": {"acc": 50}}, value=1.0)
        tried(task, "B", {"experiment_1": {"acc": "51"}}, value=0.0, **failed_by("gave-up"))
        found[scoring] = page(task)

    assert "Experiment 1.acc 2 of 2" in section(found["autoexperiment"], "answers")
    assert "Experiment 1.acc no two" in section(found[""], "answers")
    for html in found.values():
        assert "1 of 2 attempts with a trajectory does not solve the task" in section(html, "findings")


def test_two_attempts_part_at_a_step_that_is_found_when_asked_for(client: Client, tmp_path: Path) -> None:
    task_set = make_set(PET, CET)
    one = attempt_of(task_set, NOVICE, tmp_path, did(CLONE, INSTALL, "!ls pet", TRAIN))
    other = attempt_of(task_set, RIVAL, tmp_path, did(CLONE, INSTALL, f"{TRAIN} --lr 5", answer={"loss": 9}))
    elsewhere = attempt_of(task_set, RIVAL, tmp_path, did(CLONE), task="cet")

    html = page(one.task)
    chosen = re.findall(r'<option value="(\d+)" selected>', html)
    # The better one first.
    assert chosen == [str(one.pk), str(other.pk)]
    address = reverse("task-parting", args=("super", "masked", "pet"))
    assert f'action="{address}"' in html

    found = client.get(address, {"one": one.pk, "other": other.pk}).content.decode()
    assert "The same until step 2; then they part." in text(found)
    assert f'href="/a/{one.pk}/#step-3"' in found
    assert f'href="/a/{one.pk}/?vs={other.pk}#steps"' in found
    alike = client.get(address, {"one": one.pk, "other": one.pk})
    assert alike.status_code == 400
    assert "An attempt is not compared with itself." in text(alike.content.decode())
    missing: list[dict[str, Any]] = [
        {},
        {"one": one.pk, "other": elsewhere.pk},
        {"one": "x", "other": other.pk},
    ]
    for query in missing:
        assert client.get(address, query).status_code == 404
