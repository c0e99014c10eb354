"""What can be read: the same as the pages show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.attempts.selectors import score_rows
from leaderboard.models import Attempt, Entry, TaskSet
from tests.api.calls import SET, address, read, read_all
from tests.cast import NOVICE, RIVAL, SOLVER, add_attempt, bring_in, history
from tests.people import client_of
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("task_set")
def test_benchmarks_list_their_task_sets(client: Client) -> None:
    (benchmark,) = read(client, address("benchmarks"))

    assert benchmark["slug"] == "super"
    assert [(each["slug"], each["tasks"]) for each in benchmark["task_sets"]] == [
        ("masked", 3),
        ("expert", 0),
    ]


@pytest.mark.usefixtures("task_set")
def test_a_task_set_says_what_its_board_takes(client: Client) -> None:
    found = read(client, address("task_set", *SET))

    assert [category["slug"] for category in found["categories"]] == ["data", "cpu", "goal"]
    for key in found["sort_keys"]:
        for sort in (key, f"-{key}"):
            read(client, found["board"], sort=sort)
    for scorer in found["scorers"]:
        assert read(client, found["board"], scorer=scorer)["scorer"] == scorer


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"sort": "agent"},
        {"sort": "accuracy:cpu"},
        {"scorer": "reported"},
        {"coverage": "attempted"},
        {"at": "2020-01-01"},
        {"q": "novice"},
        {"agent": "riv"},
        {"model": "LLAMA"},
    ],
    ids=str,
)
@pytest.mark.usefixtures("attempt")
def test_a_board_is_what_the_page_shows_for_the_same_query(query: dict[str, str], client: Client) -> None:
    page = read(client, reverse("board-data", args=(*SET, "json")), **query)
    board = read(client, address("board", *SET), **query)

    assert board["items"] == page["entries"]
    for said in ("total", "sort", "scorer", "coverage", "at"):
        assert board[said] == page[said]


@pytest.mark.usefixtures("attempt")
def test_a_board_comes_in_pages_ranked_among_all(client: Client) -> None:
    whole = read(client, address("board", *SET))["items"]

    assert len(whole) == 3
    assert read_all(client, address("board", *SET), limit=1) == whole


def test_an_entry_has_the_figures_of_its_page(client: Client, attempt: Attempt) -> None:
    entry = read(client, address("entry", attempt.entry.slug))
    shown = client.get(entry["page"]).context["figures"]

    by_key = {(each["scorer"], each["metric"], each["category"]): each for each in entry["figures"]}
    assert (entry["agent"], entry["state"], entry["task_set"]) == (SOLVER, "published", "super/masked")
    assert entry["badges"] == ["trajectories", "accepted", "computed"]
    for metric, cells in shown.by_scorer:
        for cell in cells:
            assert by_key[cell.row.scorer, metric.key, ""]["value"] == cell.value
    for category, cells in shown.by_category:
        for cell in cells:
            assert by_key["board", cell.metric.key, category.slug]["value"] == cell.value


@pytest.mark.usefixtures("attempt")
def test_entries_are_listed_the_newest_first_and_filtered(client: Client) -> None:
    def agents(**query: str | int) -> list[str]:
        return [entry["agent"] for entry in read_all(client, address("entries"), **query)]

    assert agents() == agents(limit=1) == agents(task_set="super/masked") == [SOLVER, RIVAL, NOVICE]
    assert agents(agent=RIVAL) == agents(model="a-model") == [RIVAL]
    assert agents(task_set="super/expert") == agents(agent="riv") == agents(state="superseded") == []


def test_attempts_of_an_entry_and_at_a_task_are_the_pages(client: Client, attempt: Attempt) -> None:
    of_entry = read_all(client, address("entry-attempts", attempt.entry.slug))
    at_task = read_all(client, address("task-attempts", *SET, "pet"), limit=2)

    page = client.get(reverse("task", args=(*SET, "pet"))).context["attempts"]
    assert [each["id"] for each in at_task] == [each.attempt.pk for each in page.items]
    assert [each["id"] for each in of_entry] == [attempt.pk]


def test_an_attempt_has_every_scorers_scores(client: Client, attempt: Attempt) -> None:
    found = read(client, address("attempt", attempt.pk))

    said = {(each["scorer"], each["metric"]): each["value"] for each in found["scores"]}
    expected = {
        (row.scorer, cell.metric.key): cell.value
        for row in score_rows(attempt, draft=False)
        for cell in row.scores
        if cell.row
    }
    assert said == expected
    assert {scorer for scorer, _ in said} == {"super-strict", "super-paper"}
    assert (found["ending"], json.loads(found["answer"])) == ("submitted", {"loss": 0.5})
    assert (found["used"]["steps"], found["used"]["cost"]) == (2, None)


def test_an_attempt_has_its_landmarks_with_their_spans(client: Client, attempt: Attempt) -> None:
    first, second = read(client, address("attempt", attempt.pk))["landmarks"]

    assert first == {
        "number": 1,
        "pattern": r"epoch \d+",
        "status": "hit",
        "first_step": 1,
        "hits": [{"step": 1, "spans": [[0, 7]], "more": 0}],
    }
    assert (second["status"], second["hits"]) == ("missed", [])


def test_steps_are_listed_in_order(client: Client, attempt: Attempt) -> None:
    steps = read_all(client, address("steps", attempt.pk), limit=1)

    assert [(step["number"], step["kind"], step["observation"]) for step in steps] == [
        (1, "execute", "epoch 1\nloss 0.5"),
        (2, "submit", "submitted"),
    ]


def test_a_step_has_its_tokens_its_cost_and_what_the_model_was_shown(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    document = history({"loss": 0.5}, observation="x" * 60)
    document["runner"] = {"settings": {"newest_observation": 50, "older_observation": 10}}
    own = {"prompt_tokens": 9, "response_tokens": 2, "cost": 0.5, "calls": [{}]}
    document["history"][0]["runner"] = own
    add_attempt(tmp_path / "turns", "pet", history=document)
    bring_in(tmp_path / "turns", task_set, "Turner")
    attempt = Attempt.objects.get(entry__agent__name="Turner")

    first, second = read_all(client, address("steps", attempt.pk))

    assert (first["prompt_tokens"], first["response_tokens"], first["cost"]) == (9, 2, 0.5)
    where = "the last 50, and of older observations the last 10"
    assert first["shown"] == {"part": 50, "of": 60, "where": where, "unit": "characters"}
    assert (second["prompt_tokens"], second["cost"], second["shown"]) == (None, None, None)


def test_files_come_back_byte_for_byte(client: Client, attempt: Attempt) -> None:
    files = read(client, address("attempt", attempt.pk))["files"]

    assert {file["kind"] for file in files} == {"original", "notebook", "html"}
    for file in files:
        assert file["url"] == address("file", attempt.pk, file["kind"])
        got = client.get(file["url"])
        assert got.getvalue() == client.get(reverse("download", args=(attempt.pk, file["kind"]))).getvalue()
        assert got["Content-Type"] == "application/octet-stream"
        assert got["Content-Disposition"].startswith("attachment")


def test_tasks_and_a_task_are_the_pages(client: Client, task_set: TaskSet) -> None:
    listed = read_all(client, address("tasks", *SET), limit=2)
    pet = read(client, address("task", *SET, "pet"))

    assert [task["task_id"] for task in listed] == ["cet", "dpt", "pet"]
    assert (pet["query"], pet["entrypoint"]) == ("Train PET and report its loss.", "train.py")
    assert [landmark["pattern"] for landmark in pet["landmarks"]] == [r"epoch \d+", "never printed"]


def test_runs_are_read_when_they_are_public(client: Client, settings: Settings) -> None:
    run = make_run()
    job = finish(claim())
    assert read_all(client, address("runs")) == []
    assert client.get(address("run", run.pk)).status_code == 404
    run.public = True
    run.save()

    (listed,) = read_all(client, address("runs"))
    shown = read(client, address("run", run.pk))
    jobs = read_all(client, address("jobs", run.pk), limit=1)
    assert listed["jobs"] == shown["jobs"] == {"queued": 1, "finished": 1}
    assert sorted(each["state"] for each in jobs) == ["finished", "queued"]
    assert address("attempt", job.attempt_id) in [each["attempt"] for each in jobs]


@pytest.mark.usefixtures("attempt")
def test_head_answers_wherever_get_does(client: Client) -> None:
    for where in (address("benchmarks"), address("entries"), address("board", *SET)):
        head, got = client.head(where), client.get(where)
        assert (head.status_code, head.content) == (200, b"")
        assert head["ETag"] == got["ETag"]


def test_what_its_owners_withdrew_is_gone_and_says_so(client: Client, attempt: Attempt) -> None:
    Entry.objects.filter(pk=attempt.entry_id).update(state="hidden", state_reason="Trained on the test set.")

    for where in (
        address("entry", attempt.entry.slug),
        address("entry-attempts", attempt.entry.slug),
        address("attempt", attempt.pk),
        address("steps", attempt.pk),
        address("file", attempt.pk, "original"),
    ):
        response = client.get(where)
        assert response.status_code == 410
        assert "Trained on the test set." in response.json()["detail"]
        assert response.json()["state"] == "hidden"
    assert client_of("olga").get(address("entry", attempt.entry.slug)).status_code == 200
