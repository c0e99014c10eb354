"""Two attempts side by side: where they part, what differs, who may see it, and which to choose from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.attempts.comparison import compare_attempts
from leaderboard.entries.services import withdraw_entry
from leaderboard.models import Attempt, TaskSet
from leaderboard.rendering import side_by_side as rendering_of_two
from tests.cast import CET, NOVICE, PET, RIVAL, add_attempt, bring_in, history, make_set, report
from tests.people import client_of, person
from tests.uploads.cast import checked, described, packed

pytestmark = pytest.mark.django_db
CLONE, INSTALL, TRAIN = (
    "!git clone https://example.org/pet",
    "!pip install torch",
    "!python train.py --seed 1",
)


def did(*commands: str, outputs: dict[str, str] | None = None, answer: Any = None) -> Any:
    """A history.json of these commands and an answer."""
    document = history({"loss": 0.5} if answer is None else answer)
    steps = [
        {
            "thought": "",
            "action": {"type": "execute", "content": command},
            "observation": (outputs or {}).get(command, "epoch 1" if "train" in command else "done"),
        }
        for command in commands
    ]
    return {**document, "history": [*steps, document["history"][-1]]}


def attempt_of(task_set: TaskSet, agent: str, run: Path, document: Any, task: str = "pet") -> Attempt:
    add_attempt(run / agent, task, history=document)
    assert bring_in(run / agent, task_set, agent).problems == []
    return Attempt.objects.get(entry__agent__name=agent, task__task_id=task)


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET, CET)


@pytest.fixture
def one(task_set: TaskSet, tmp_path: Path) -> Attempt:
    return attempt_of(task_set, NOVICE, tmp_path, did(CLONE, INSTALL, "!ls pet", TRAIN))


@pytest.fixture
def other(task_set: TaskSet, tmp_path: Path) -> Attempt:
    outputs = {INSTALL: "done\nin a minute"}
    return attempt_of(task_set, RIVAL, tmp_path, did(CLONE, INSTALL, f"{TRAIN} --lr 5", outputs=outputs))


def side_by_side(client: Client, one: Attempt, other: Attempt | int | str) -> Any:
    key = other.pk if isinstance(other, Attempt) else other
    return client.get(one.get_absolute_url(), {"vs": key})


def test_the_page_says_where_they_part_and_links_each_step(
    client: Client, one: Attempt, other: Attempt
) -> None:
    response = side_by_side(client, one, other)

    page = " ".join(response.content.decode().split())
    assert "The same until step 2; then they part. Their outputs differ first in step 2." in page
    assert f'href="/a/{one.pk}/#step-3"' in page
    assert f'href="/a/{other.pk}/#step-3"' in page
    # One ran the script as a step of its own, the other with a further option: what differs is marked.
    assert "> --lr 5</mark>" in page
    assert "<mark>ls pet</mark>" in page
    assert "<mark>python train.py --seed 1 --lr 5</mark>" in page
    assert "in a minute" in page
    assert NOVICE in page
    assert RIVAL in page


def test_a_long_stretch_that_is_the_same_is_folded(client: Client, one: Attempt, tmp_path: Path) -> None:
    again = attempt_of(one.task.task_set, RIVAL, tmp_path, did(CLONE, INSTALL, "!ls pet", TRAIN))

    page = " ".join(side_by_side(client, one, again).content.decode().split())

    assert "The same in all 5 steps." in page
    assert "The same: steps 1\N{EN DASH}5 of A, 1\N{EN DASH}5 of B" in page
    assert "with the same output" in page


def test_nothing_an_agent_wrote_is_html(client: Client, one: Attempt, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\n</pre><img src=x onerror=alert(1)>"
    hostile = attempt_of(
        one.task.task_set, RIVAL, tmp_path, did(evil, f"{TRAIN} {evil}", outputs={evil: evil})
    )

    page = side_by_side(client, one, hostile).content.decode()

    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_a_page_of_choices_that_there_is_not_is_not_said_to_be_no_other_attempt(
    client: Client, one: Attempt
) -> None:
    page = client.get(one.get_absolute_url(), {"vs": "", "page": "9"}).content.decode()

    assert "This list has no page 9." in page
    assert "No other attempt" not in page


@pytest.mark.parametrize("vs", ["4711", "abc", "-1", "9" * 30])
def test_what_there_is_not_is_a_404(vs: str, client: Client, one: Attempt) -> None:
    assert side_by_side(client, one, vs).status_code == 404
    assert client.get(f"/a/{'9' * 30}/?vs={vs}").status_code == 404


def test_an_attempt_that_one_may_not_see_is_a_404_like_one_that_there_is_not(
    one: Attempt, settings: Settings, tmp_path: Path
) -> None:
    settings.SUPERBOARD_UPLOADS, settings.SUPERBOARD_MIN_FREE_DISK_MB = tmp_path / "uploads", 0
    settings.SUPERBOARD_UPLOADS.mkdir()
    upload = checked(packed(**{"pet/history.json": did(CLONE, TRAIN)}), form=described(agent="Phantom"))
    draft = Attempt.objects.get(entry=upload.entry)

    for who in ("bob", "nobody"):
        asking = client_of(who)
        assert side_by_side(asking, one, draft).status_code == 404
        assert side_by_side(asking, draft, one).status_code == 404
        assert "Phantom" not in asking.get(one.get_absolute_url(), {"vs": ""}).content.decode()
        alignment = asking.get(f"/api/v1/attempts/{one.pk}/alignment", {"vs": draft.pk})
        assert alignment.status_code == 404
    unknown, invisible = (side_by_side(Client(), one, key) for key in (4711, draft))
    assert unknown.content == invisible.content

    # Its team sees it as a draft: without what tells of the gold answer.
    mine = side_by_side(client_of("alice"), one, draft)
    assert mine.status_code == 200
    accuracies = [side.scores["accuracy"].value for side in mine.context["sides"]]
    assert accuracies == [1.0, None]


def test_a_withdrawn_attempt_is_not_compared(client: Client, one: Attempt, other: Attempt) -> None:
    withdraw_entry(other.entry, user=person("olga"), reason="A bug.")

    assert side_by_side(client, one, other).status_code == 404
    assert side_by_side(client, other, one).status_code == 410


def test_attempts_at_different_tasks_are_refused_with_the_reason(
    client: Client, one: Attempt, tmp_path: Path
) -> None:
    elsewhere = attempt_of(one.task.task_set, RIVAL, tmp_path, did(TRAIN), task="cet")
    bare = report(one.task.task_set, "Claimer", {"pet": 1.0}).attempts.get()

    for vs, reason in (
        (elsewhere, "These are attempts at different tasks, pet and cet."),
        (one, "An attempt is not compared with itself."),
        (bare, "The attempt of Claimer · gpt-4o has no trajectory"),
    ):
        page = side_by_side(client, one, vs)
        assert page.status_code == 400
        assert reason in page.content.decode()
        refused = client.get(f"/api/v1/attempts/{one.pk}/alignment", {"vs": vs.pk})
        assert (refused.status_code, reason in refused.json()["detail"]) == (422, True)


def test_an_attempt_leads_to_others_at_its_task(client: Client, one: Attempt, other: Attempt) -> None:
    assert 'href="?vs="' in client.get(one.get_absolute_url()).content.decode()
    assert f'href="/a/{one.pk}/?vs="' in client.get(one.task.get_absolute_url()).content.decode()

    page = client.get(one.get_absolute_url(), {"vs": ""}).content.decode()

    assert f'href="/a/{one.pk}/?vs={other.pk}"' in page
    assert f"?vs={one.pk}" not in page


def test_it_runs_at_most_eight_queries(
    one: Attempt, other: Attempt, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    alice = client_of("alice")

    with django_assert_max_num_queries(8):
        assert side_by_side(alice, one, other).status_code == 200
    with django_assert_max_num_queries(8):
        assert alice.get(one.get_absolute_url(), {"vs": ""}).status_code == 200
    with django_assert_max_num_queries(3):
        alice.get(f"/api/v1/attempts/{one.pk}/alignment", {"vs": other.pk}, headers={"Cookie": ""})


def test_programs_get_the_rows_by_the_numbers_of_steps(client: Client, one: Attempt, other: Attempt) -> None:
    found = client.get(reverse("api:alignment", args=(one.pk,)), {"vs": other.pk}).json()

    assert (found["common"], found["page"]) == (2, f"/a/{one.pk}/?vs={other.pk}")
    assert [tuple(row.values()) for row in found["rows"]] == [
        (1, 1, "same"), (2, 2, "same"), (3, None, None), (4, 3, "landmark"), (5, 4, "same"),
    ]  # fmt: skip


def test_many_rows_come_in_pages(
    client: Client, one: Attempt, other: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering_of_two, "ROWS_A_PAGE", 3)

    first = side_by_side(client, one, other).content.decode()
    second = client.get(one.get_absolute_url(), {"vs": other.pk, "page": 2}).content.decode()

    assert f'href="?vs={other.pk}&amp;page=2#steps"' in first
    assert f'href="/a/{one.pk}/#step-5"' not in first
    assert f'href="/a/{one.pk}/#step-5"' in second


def test_the_difference_of_long_lines_is_shown(task_set: TaskSet, tmp_path: Path) -> None:
    long = "--option value " * 100
    mine, theirs = (
        attempt_of(task_set, agent, tmp_path / agent, did(f"!python train.py {long} --seed {agent}"))
        for agent in (NOVICE, RIVAL)
    )

    (block, _submits) = compare_attempts(mine, theirs, 1).blocks.items
    excerpts = [cell.action for cell in (block.pairs[0].one, block.pairs[0].other)]

    assert [each and each.own for each in excerpts] == [NOVICE, RIVAL]
    assert all(each and len(each.begin + each.own + each.end) < 200 for each in excerpts)


def test_an_output_that_differs_far_down_is_said_to(task_set: TaskSet, tmp_path: Path) -> None:
    long = "".join(f"line {n}\n" for n in range(1000))
    mine, theirs = (
        attempt_of(task_set, agent, tmp_path / agent, did(TRAIN, outputs={TRAIN: f"{long}{agent}"}))
        for agent in (NOVICE, RIVAL)
    )

    page = side_by_side(Client(), mine, theirs).content.decode()

    assert "The output differs after line" in page
