"""What entries declare of openness, code and release: shown beside their figures, and filtered by."""

from __future__ import annotations

import csv
import io
from datetime import date
from importlib import import_module

import pytest
from django.apps import apps
from django.test import Client

from leaderboard.models import Entry, TaskSet
from tests.boards.test_history import dated
from tests.cast import NOVICE, RIVAL, SOLVER, report
from tests.entries.cast import masked

pytestmark = pytest.mark.django_db
BOARD = "/b/super/masked/"
API_BOARD = "/api/v1/benchmarks/super/masked/board"
CODE = "https://example.org/code"


@pytest.fixture
def task_set() -> TaskSet:
    """Solver is open in all, Novice has open weights alone, Rival an API; Silent declares nothing."""
    task_set = masked()
    declared = {
        SOLVER: ("open-weights-and-data", "open-source", CODE, date(2026, 4, 1)),
        NOVICE: ("open-weights", "closed-source", "", date(2026, 3, 31)),
        RIVAL: ("api-only", "open-source", "", None),
        "Silent": ("", "", "", None),
    }
    for place, (agent, words) in enumerate(declared.items()):
        entry = report(task_set, agent, {"pet": 1 - place / 4})
        names = ("model_openness", "scaffold_openness", "code", "released")
        Entry.objects.filter(pk=entry.pk).update(**dict(zip(names, words, strict=True)))
    return task_set


@pytest.mark.parametrize(
    ("query", "agents"),
    [
        ("model_openness=open-weights", [SOLVER, NOVICE]),
        ("model_openness=open-weights-and-data", [SOLVER]),
        ("model_openness=api-only", [RIVAL]),
        ("model_openness=not-public", []),
        ("scaffold_openness=open-source", [SOLVER, RIVAL]),
        ("scaffold_openness=closed-source", [NOVICE]),
        ("code=linked", [SOLVER]),
        ("released_since=2026-04-01", [SOLVER]),
        ("released_since=2026-03-31", [SOLVER, NOVICE]),
        ("scaffold_openness=open-source&agent=riv&evidence=ranked&sort=agent", [RIVAL]),
    ],
)
@pytest.mark.usefixtures("task_set")
def test_a_filter_leaves_the_entries_that_declare_it_on_page_in_files_and_in_the_api(
    query: str, agents: list[str], client: Client
) -> None:
    page = client.get(f"{BOARD}?{query}")
    assert [row.entry.agent.name for row in page.context["board"].rows] == agents
    assert "Only entries that declare:" in page.content.decode()
    for rows in (
        client.get(f"{BOARD}data.json?{query}").json()["entries"],
        client.get(f"{API_BOARD}?{query}").json()["items"],
        list(csv.DictReader(io.StringIO(client.get(f"{BOARD}data.csv?{query}").content.decode()))),
    ):
        assert [row["agent"] for row in rows] == agents
    if "agent=" not in query:
        listed = client.get(f"/api/v1/entries?{query}").json()["items"]
        assert sorted(entry["agent"] for entry in listed) == sorted(agents)


def test_a_filter_holds_on_the_board_of_a_past_day_and_keeps_the_ranks(
    task_set: TaskSet, client: Client
) -> None:
    for entry in task_set.entries.all():
        dated(entry, published="2026-06-01", accepted="2026-06-01")

    rows = client.get(f"{BOARD}data.json?at=2026-06-01&model_openness=api-only").json()["entries"]

    assert [(row["rank"], row["agent"]) for row in rows] == [(3, RIVAL)]
    assert client.get(f"{BOARD}data.json?at=2026-05-31&model_openness=api-only").json()["entries"] == []


@pytest.mark.parametrize("query", ["model_openness=half", "code=maybe", "released_since=soon"])
@pytest.mark.usefixtures("task_set")
def test_a_value_that_there_is_not_is_said_and_filters_nothing(query: str, client: Client) -> None:
    page = client.get(f"{BOARD}?{query}")

    assert page.content.decode().count('class="notice" role="alert"') == 1
    assert len(page.context["board"].rows) == 4
    assert client.get(f"{BOARD}data.json?{query}").status_code == 400
    assert client.get(f"{API_BOARD}?{query}").status_code == 422
    assert client.get(f"/api/v1/entries?{query}").status_code == 422


@pytest.mark.usefixtures("task_set")
def test_a_reader_sees_what_an_entry_declares_on_board_page_in_files_and_in_the_api(client: Client) -> None:
    entry = Entry.objects.get(agent__name=SOLVER)
    told = {"model_openness": "open-weights-and-data", "scaffold_openness": "open-source", "code": CODE}

    board, page = (" ".join(client.get(at).content.decode().split()) for at in (BOARD, f"/e/{entry.slug}/"))
    for words in ("open weights and data", "open source", f'<a href="{CODE}" rel="nofollow ugc noopener">'):
        assert words in board
        assert words in page
    assert "released 2026-04-01" in board
    line = next(csv.DictReader(io.StringIO(client.get(f"{BOARD}data.csv").content.decode())))
    for row in (
        line,
        client.get(f"{BOARD}data.json").json()["entries"][0],
        client.get(API_BOARD).json()["items"][0],
        client.get(f"/api/v1/entries/{entry.slug}").json(),
    ):
        assert {**told, "released": "2026-04-01"}.items() <= row.items()
    silent = client.get(f"{BOARD}data.json").json()["entries"][-1]
    assert (silent["model_openness"], silent["scaffold_openness"], silent["code"]) == (None, None, "")


@pytest.mark.usefixtures("task_set")
def test_links_that_were_labelled_code_became_the_address_of_the_code() -> None:
    paper = {"label": "Paper", "url": "https://example.org/paper"}
    links = [paper, {"label": "code", "url": "https://example.org/old"}]
    Entry.objects.filter(agent__name="Silent").update(links=links)
    migration = import_module("leaderboard.migrations.0021_openness")

    migration.take_code_from_links(apps, None)
    entry = Entry.objects.get(agent__name="Silent")
    assert (entry.code, entry.links) == ("https://example.org/old", [paper])

    migration.put_code_into_links(apps, None)
    assert Entry.objects.get(agent__name="Silent").links == [paper, {**links[1], "label": "Code"}]
