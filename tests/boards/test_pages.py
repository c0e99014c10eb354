"""The board: /, /b/<benchmark>/<set>/, and what is shown there as data."""

from __future__ import annotations

import csv
import io
from itertools import chain
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.boards import selectors
from leaderboard.formats.task_records import CATEGORIES
from leaderboard.models import Entry, TaskSet
from tests.cast import CET, DPT, MODEL, NOVICE, PET, RIVAL, SOLVER, make_set, report

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
BOARD = "/b/super/masked/"


@pytest.fixture
def task_set() -> TaskSet:
    """Solver leads; Rival has no score on the task about CPUs, Novice no attempt at the one about goals.

    Rival has no figure for CPUs; Novice has 0 for goals, as a task that was not tried counts 0.
    """
    task_set = make_set(PET, CET, DPT)
    report(task_set, NOVICE, {"pet": 0.0, "cet": 0.25}, model="llama-3")
    report(task_set, SOLVER, {"pet": 1.0, "cet": 0.75, "dpt": 1.0})
    report(task_set, RIVAL, {"pet": 0.5, "cet": None, "dpt": 0.5}, model="a-model")
    return task_set


def rows(client: Client, **query: str) -> list[tuple[int | None, str]]:
    """Rank and agent of each row, in order."""
    found = client.get(reverse("board-data", args=("super", "masked", "json")), query)
    assert found.status_code == 200, found.content
    return [(row["rank"], row["agent"]) for row in found.json()["entries"]]


def agents(client: Client, **query: str) -> list[str]:
    return [agent for _, agent in rows(client, **query)]


@pytest.mark.usefixtures("task_set")
def test_home_is_the_default_set_and_each_set_has_its_address(client: Client) -> None:
    home, board = client.get(reverse("home")), client.get(reverse("board", args=("super", "masked")))

    assert home.status_code == board.status_code == 200
    for page in (home, board):
        assert [row.entry.agent.name for row in page.context["board"].rows] == [SOLVER, RIVAL, NOVICE]
    assert "91.7" in home.content.decode()


@pytest.mark.usefixtures("task_set")
def test_entries_are_ranked_by_accuracy(client: Client) -> None:
    assert rows(client) == [(1, SOLVER), (2, RIVAL), (3, NOVICE)]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("accuracy", [NOVICE, RIVAL, SOLVER]),
        ("-accuracy", [SOLVER, RIVAL, NOVICE]),
        ("accuracy:cpu", [NOVICE, SOLVER, RIVAL]),
        ("-accuracy:cpu", [SOLVER, NOVICE, RIVAL]),
        ("accuracy:goal", [NOVICE, RIVAL, SOLVER]),
        ("agent", [NOVICE, RIVAL, SOLVER]),
        ("-agent", [SOLVER, RIVAL, NOVICE]),
        ("model", [RIVAL, SOLVER, NOVICE]),
        ("-model", [NOVICE, SOLVER, RIVAL]),
        ("coverage", [NOVICE, SOLVER, RIVAL]),
        ("-coverage", [SOLVER, RIVAL, NOVICE]),
    ],
)
@pytest.mark.usefixtures("task_set")
def test_every_column_sorts_both_ways_with_missing_figures_last(
    sort: str, order: list[str], client: Client
) -> None:
    assert agents(client, sort=sort) == order


@pytest.mark.usefixtures("task_set")
def test_each_sort_link_on_the_page_works_and_is_marked(client: Client) -> None:
    head = client.get(BOARD).context["head"]
    by_category = chain.from_iterable(head.by_category)
    links = [heading.link for heading in (head.agent, head.model, *head.overall, head.coverage, *by_category)]

    assert len(links) == 2 + 4 + 1 + 2 * 3
    for link in links:
        page = client.get(BOARD + link)
        assert not page.context["form"].errors
        assert page.content.decode().count("aria-sort=") == 1


@pytest.mark.usefixtures("task_set")
def test_an_unknown_column_is_named_and_the_default_order_stands(client: Client) -> None:
    page = client.get(BOARD, {"sort": "speed"})
    assert "There is no column “speed” to sort by." in page.content.decode()
    assert [row.entry.agent.name for row in page.context["board"].rows] == [SOLVER, RIVAL, NOVICE]

    data = client.get(BOARD + "data.json", {"sort": "speed"})
    assert data.status_code == 400
    assert data.json()["problems"] == {"sort": ["There is no column “speed” to sort by."]}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"agent": "solv"}, [SOLVER]),
        ({"model": "LLAMA"}, [NOVICE]),
        ({"q": "rival a-mod"}, [RIVAL]),
        ({"q": "gpt"}, [SOLVER]),
        ({"agent": "solv", "model": "llama"}, []),
        ({"q": "100%"}, []),
    ],
)
@pytest.mark.usefixtures("task_set")
def test_filters_leave_what_fits(query: dict[str, str], found: list[str], client: Client) -> None:
    assert agents(client, **query) == found


@pytest.mark.usefixtures("task_set")
def test_text_is_looked_for_in_sources_too(client: Client, task_set: TaskSet) -> None:
    Entry.objects.filter(agent__name=RIVAL).update(origin="The authors")

    assert agents(client, q="authors") == [RIVAL]


@pytest.mark.usefixtures("task_set")
def test_a_rank_is_among_all_entries_even_where_some_are_filtered_out(client: Client) -> None:
    assert rows(client, agent=NOVICE) == [(3, NOVICE)]


def test_an_agents_models_can_be_compared_with_one_click(client: Client, task_set: TaskSet) -> None:
    assert "Where a change of model helps" not in client.get(BOARD).content.decode()
    other = report(task_set, SOLVER, {"pet": 0.5}, model="another")
    (offered,) = client.get(BOARD).context["model_comparisons"]

    best = Entry.objects.get(agent__name=SOLVER, agent__model=MODEL)
    assert (offered.agent, offered.models) == (SOLVER, 2)
    assert offered.address == f"/compare/?e={best.slug}&e={other.slug}"
    assert client.get(offered.address).status_code == 200


def test_equal_figures_share_a_rank_and_a_missing_one_has_none(client: Client, task_set: TaskSet) -> None:
    report(task_set, "Twin", {"pet": 1.0, "cet": 0.75, "dpt": 1.0})
    report(task_set, "Unscored", {"pet": None})

    assert rows(client) == [(1, SOLVER), (1, "Twin"), (3, RIVAL), (4, NOVICE), (None, "Unscored")]
    assert rows(client, sort="accuracy")[-1] == (None, "Unscored")


def test_long_boards_come_in_pages(client: Client, task_set: TaskSet, settings: Settings) -> None:
    settings.SUPERBOARD_PAGE_SIZE = 2

    assert agents(client, page="2") == [NOVICE]
    assert agents(client, page="99") == [NOVICE]
    assert client.get(BOARD, {"page": "first"}).context["board"].page == 1
    page = client.get(BOARD, {"sort": "agent", "page": "2"}).content.decode()
    assert "Page 2 of 2" in page
    assert "?sort=agent&amp;page=1" in page


@pytest.mark.usefixtures("task_set")
def test_htmx_gets_the_table_alone_and_caches_are_told(client: Client) -> None:
    whole, part = client.get(BOARD), client.get(BOARD, headers=HTMX)

    assert "<html" in whole.content.decode()
    assert part.content.decode().strip().startswith('<section id="board"')
    assert "<html" not in part.content.decode()
    for page in (whole, part, client.get("/")):
        assert "HX-Request" in page["Vary"]


@pytest.mark.parametrize("scorer", ["reported", "super-strict", "super-paper", "board"])
@pytest.mark.usefixtures("task_set")
def test_the_scorer_is_chosen_in_the_address(scorer: str, client: Client) -> None:
    expected = [SOLVER, RIVAL, NOVICE] if scorer in {"reported", "board"} else [NOVICE, SOLVER, RIVAL]

    assert agents(client, scorer=scorer) == expected


@pytest.mark.usefixtures("task_set")
def test_json_has_shares_and_the_tasks_behind_them(client: Client) -> None:
    best = client.get(BOARD + "data.json").json()["entries"][0]

    assert (best["entry"], best["attempted"]) == ("solver-gpt-4o-masked", 3)
    assert best["figures"]["accuracy"] == {
        "value": pytest.approx(11 / 12),
        "low": None,
        "high": None,
        "percent": "91.7",
        "tasks": 3,
        "scored": 3,
        "attempts": 3,
        "mean_of_scored": pytest.approx(11 / 12),
        "source": "reported",
        "version": "",
        "evidence": "accepted",
        "stale": False,
    }
    assert best["figures"]["landmarks"]["value"] is None


def test_csv_has_nothing_that_a_spreadsheet_runs(client: Client, task_set: TaskSet) -> None:
    report(task_set, '=HYPERLINK("http://x")', {"pet": 1.0}, model="@SUM(A1)")

    response = client.get(BOARD + "data.csv", {"q": "HYPERLINK"})

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="super-masked.csv"'
    (row,) = csv.DictReader(io.StringIO(response.content.decode()))
    assert (row["agent"], row["model"]) == ('\'=HYPERLINK("http://x")', "'@SUM(A1)")


@pytest.mark.usefixtures("task_set")
def test_charts_show_what_the_board_shows(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 1)
    charts = client.get(reverse("board-charts", args=("super", "masked")), {"agent": "solver"}).json()

    assert set(charts) == {"scatter", "categories"}
    assert SOLVER in str(charts["categories"])
    assert RIVAL not in str(charts)


def test_names_are_escaped(client: Client, task_set: TaskSet) -> None:
    report(task_set, "<script>alert(1)</script>", {"pet": 1.0})

    page = client.get(BOARD, {"q": '"><img src=x>'}).content.decode() + client.get(BOARD).content.decode()

    assert "<script>alert" not in page
    assert "<img src=x>" not in page


def add_entries(task_set: TaskSet, count: int) -> None:
    for number in range(count):
        report(task_set, f"Agent {number}", {"pet": number / count})


@pytest.mark.parametrize("entries", [0, 40])
@pytest.mark.parametrize(
    "address", [BOARD, f"{BOARD}?sort=-accuracy:cpu&q=agent&page=2", f"{BOARD}data.json"]
)
def test_a_board_runs_at_most_eight_queries_at_any_size(
    entries: int,
    address: str,
    client: Client,
    task_set: TaskSet,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    add_entries(task_set, entries)

    with django_assert_max_num_queries(8):
        assert client.get(address).status_code == 200


def test_nothing_loaded_yet_says_what_to_do(client: Client) -> None:
    assert "python manage.py load_fixtures" in client.get("/").content.decode()


def test_a_set_without_entries_says_how_to_add_a_run(client: Client) -> None:
    make_set(PET)

    page = client.get(BOARD).content.decode()

    assert "No agent has attempted this task set yet" in page
    assert "manage.py import_run DIR --set super/masked" in page


@pytest.mark.usefixtures("task_set")
def test_filters_that_fit_nobody_lead_back_to_all(client: Client) -> None:
    page = client.get(BOARD, {"agent": "nobody"}).content.decode()

    assert "No entry fits these filters" in page
    assert 'value="nobody"' in page


@pytest.mark.parametrize(
    "address", ["/b/super/lost/", "/b/lost/masked/", "/b/super/lost/data.json", "/nowhere/"]
)
@pytest.mark.usefixtures("task_set")
def test_what_there_is_not_is_a_404(address: str, client: Client) -> None:
    assert client.get(address).status_code == 404


def test_the_columns_are_the_categories_that_the_tasks_have(client: Client, task_set: TaskSet) -> None:
    board: Any = client.get(BOARD).context["board"]

    assert [category.slug for category in board.categories] == ["data", "cpu", "goal"]
    assert set(CATEGORIES) > {"data", "cpu", "goal"}
    assert str(board.rows[0].entry.agent) == f"{SOLVER} · {MODEL}"
