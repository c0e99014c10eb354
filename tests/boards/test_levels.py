"""A benchmark's page, /b/<benchmark>/: its sets side by side, each figure with what is behind it."""

from __future__ import annotations

import csv
import io
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Entry, TaskSet
from leaderboard.scoring import all_scorings
from leaderboard.scoring.contract import Layout, Metric, Scoring
from tests.cast import MODEL, NOVICE, PET, SOLVER, make_set, report

pytestmark = pytest.mark.django_db
RIGHT = Metric(key="right", label="Right", about="Whether the attempt is right.")
MADE = Scoring(
    name="made",
    version="1",
    metrics=(
        RIGHT,
        Metric(key="pass_1", label="pass@1", about="One attempt is right.", of="right", pass_at=1),
        Metric(key="pass_2", label="pass@2", about="One of two is right.", of="right", pass_at=2),
    ),
    scorers=(),
    layout=Layout(overall=("pass_1",), by_level=("pass_1", "pass_2"), levels="functions masked"),
    ranked_by="pass_1",
)
PAGE = "/b/papers/"


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> dict[int, TaskSet]:
    """Levels 0, 1 and 3 with four tasks each, stored out of order."""
    monkeypatch.setitem(cast("dict[str, Scoring]", all_scorings()), "made", MADE)
    benchmark = save_benchmark(
        {
            "slug": "papers",
            "name": "Papers",
            "summary": "",
            "url": "",
            "position": 1,
            "scoring": "made",
            "categories": [],
            "task_sets": [
                {"slug": f"n{n}", "name": f"n = {n}", "summary": "", "level": n} for n in (3, 0, 1)
            ],
        }
    )
    sets = {each.level or 0: each for each in benchmark.task_sets.all()}
    for task_set in sets.values():
        import_tasks(task_set, [TaskSpec(task_id=f"t{n}") for n in range(4)])
    return sets


def attempts(task_set: TaskSet, agent: str, *right: tuple[float, ...], accepted: bool = True) -> Entry:
    """An entry with attempts at its first tasks, each right or not."""
    entry = ensure_entry(task_set=task_set, agent=agent, model=MODEL)
    if not accepted:
        Entry.objects.filter(pk=entry.pk).update(accepted=None)
    for task, values in zip(task_set.tasks.all(), right, strict=False):
        for number, value in enumerate(values, 1):
            record_attempt(entry=entry, task=task, number=number, reported={"right": value})
    refresh_figures(task_set, [entry])
    return entry


@pytest.fixture
def entries(sets: dict[int, TaskSet]) -> dict[str, Entry]:
    """Solver falls from 3 of 4 to 1 of 4; Novice tried level 1 alone; Claimer leads, and has no rank."""
    return {
        "solver-0": attempts(sets[0], SOLVER, (1, 1), (1, 1), (1, 1), (0, 0)),
        "solver-3": attempts(sets[3], SOLVER, (0, 1), (0, 0), (0, 1), (0, 0)),
        "novice-1": attempts(sets[1], NOVICE, (0, 1)),
        "claimer-0": attempts(sets[0], "Claimer", (1, 1), (1, 1), (1, 1), (1, 1), accepted=False),
    }


def lines(client: Client) -> dict[tuple[str, str, str], dict[str, str]]:
    """The lines of the page's CSV by agent, set and metric."""
    text = client.get(f"{PAGE}data.csv").content.decode()
    rows = csv.DictReader(io.StringIO(text))
    return {(row["agent"], row["task_set"], row["metric"]): row for row in rows}


@pytest.mark.usefixtures("entries")
def test_sets_are_columns_in_the_order_of_their_levels_and_agents_rows_in_that_of_the_first(
    client: Client,
) -> None:
    levels = client.get(PAGE).context["levels"]

    assert [each.level for each in levels.task_sets] == [0, 1, 3]
    assert [(row.agent.name, row.ranked) for row in levels.rows] == [
        (SOLVER, True),
        (NOVICE, True),
        ("Claimer", False),
    ]


def test_each_figure_has_its_k_its_attempts_and_a_link_to_the_entry_behind_it(
    client: Client, entries: dict[str, Entry]
) -> None:
    text = " ".join(client.get(PAGE).content.decode().split())

    assert "pass@2</span>, k = 2 by functions masked" in text
    assert f'<a href="{entries["solver-3"].get_absolute_url()}">25.0</a>' in text
    assert '<span class="sub">8 attempts</span>' in text
    assert 'href="/b/papers/n3/?sort=-pass_2"' in text
    assert "Self-reported" in text


@pytest.mark.usefixtures("entries")
def test_pass_at_k_is_unbiased_and_levels_are_never_mixed(client: Client) -> None:
    found = lines(client)

    # Of two attempts one is right at two of four tasks: one of them 1/2, both together 1.
    assert found[SOLVER, "n3", "pass_1"]["value"] == "25.0"
    assert found[SOLVER, "n3", "pass_2"]["value"] == "50.0"
    assert found[SOLVER, "n0", "pass_1"]["value"] == "75.0"
    assert (SOLVER, "n1", "pass_1") not in found
    assert {row["kind"] for row in found.values() if row["value"]} == {"reported"}
    assert {row["task_set"] for row in found.values()} == {"n0", "n1", "n3"}


def test_too_few_attempts_for_pass_at_k_give_a_dash_that_says_why(
    client: Client, sets: dict[int, TaskSet]
) -> None:
    entry = attempts(sets[0], SOLVER, (1,))
    text = client.get(PAGE).content.decode()

    assert lines(client)[SOLVER, "n0", "pass_2"]["value"] == ""
    assert (
        f'href="{entry.get_absolute_url()}" title="No task has 2 attempts with a score">\N{EN DASH}</a>'
        in text
    )


@pytest.mark.usefixtures("entries")
def test_data_says_k_tasks_attempts_and_the_interval_over_tasks(client: Client) -> None:
    row = lines(client)[SOLVER, "n0", "pass_1"]
    data = client.get(f"{PAGE}data.json").json()
    read = client.get("/api/v1/benchmarks/papers").json()

    assert (row["k"], row["tasks"], row["attempts"], row["level"]) == ("1", "4", "8", "0")
    # Wilson, 3 of 4.
    assert (row["value"], row["low"], row["high"], row["unit"]) == ("75.0", "30.1", "95.4", "percent")
    figure = data["agents"][0]["figures"][0]
    assert figure["interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)
    assert (figure["task_set"], figure["entry"]) == ("n0", "solver-gpt-4o-n0")
    assert [metric["k"] for metric in data["metrics"]] == [1, 2]
    assert (read["items"], read["levels"], read["next"]) == (data["agents"], "functions masked", None)
    assert [each["level"] for each in read["task_sets"]] == [0, 1, 3]


@pytest.mark.usefixtures("entries")
def test_the_curve_has_a_line_for_each_ranked_agent_with_its_interval_as_whiskers(client: Client) -> None:
    charts = client.get(reverse("benchmark-charts", args=("papers",))).json()
    page = client.get(PAGE).content.decode()

    assert list(charts) == ["pass_1", "pass_2"]
    solver, novice = charts["pass_1"]["data"]
    assert (solver["y"], novice["y"]) == ([75.0, None, 25.0], [None, 12.5, None])
    assert solver["error_y"]["arrayminus"][0] == pytest.approx(75 - 30.06, abs=0.01)
    assert solver["error_y"]["array"][0] == pytest.approx(95.44 - 75, abs=0.01)
    assert charts["pass_1"]["layout"]["xaxis"]["tickvals"] == [0, 1, 3]
    assert 'data-plot="pass_2"' in page
    assert "30.1 to 95.4" in " ".join(page.split())


@pytest.mark.usefixtures("entries")
def test_the_navigation_has_one_link_for_all_levels_and_each_board_leads_back(client: Client) -> None:
    board = client.get("/b/papers/n1/").content.decode()
    page = client.get(PAGE).content.decode()

    assert f'<a href="{PAGE}">All levels</a>' in board
    for text in (board, page):
        assert text.count('aria-current="true"') == 1
        assert "<span>n = 0</span></a>" not in text


def test_sets_without_an_order_stand_beside_each_other_without_a_line(client: Client) -> None:
    report(make_set(PET), SOLVER, {"pet": 1.0})
    report(make_set(PET, slug="expert"), SOLVER, {"pet": 0.5})

    page = client.get("/b/super/")
    chart = client.get("/b/super/charts.json").json()["accuracy"]

    assert "All sets" in client.get("/b/super/masked/").content.decode()
    assert [each.slug for each in page.context["levels"].task_sets] == ["masked", "expert"]
    assert (chart["data"][0]["mode"], chart["data"][0]["y"]) == ("markers", [100.0, 50.0])
    assert chart["layout"]["xaxis"]["ticktext"] == ["Masked", "Expert"]


def test_the_scorer_is_chosen_in_the_address_and_one_that_there_is_not_is_refused(client: Client) -> None:
    report(make_set(PET), SOLVER, {"pet": 1.0})

    def values(scorer: str) -> Any:
        (agent,) = client.get(f"/b/super/data.json?scorer={scorer}").json()["agents"]
        return [figure["value"] for figure in agent["figures"]]

    assert (values("reported"), values("super-strict")) == ([1.0], [None])
    assert client.get("/b/super/data.json?scorer=nobody").status_code == 400
    assert client.get("/api/v1/benchmarks/super?scorer=nobody").status_code == 422
    assert "Select a valid choice" in client.get("/b/super/?scorer=nobody").content.decode()


@pytest.mark.parametrize("address", ["/b/lost/", "/b/lost/data.json", "/b/lost/charts.json"])
def test_a_benchmark_that_there_is_not_is_a_404(address: str, client: Client) -> None:
    make_set(PET)

    assert client.get(address).status_code == 404


def test_a_benchmark_without_entries_says_so(client: Client) -> None:
    make_set(PET)

    assert "No agent has attempted this benchmark yet" in client.get("/b/super/").content.decode()


def test_many_agents_come_in_pages_with_the_same_few_queries(
    client: Client,
    sets: dict[int, TaskSet],
    settings: Settings,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        attempts(sets[0], f"Agent {number}", (1, 0))
    settings.SUPERBOARD_PAGE_SIZE = 2

    with django_assert_max_num_queries(4):
        page = client.get(f"{PAGE}?page=99")
    assert [row.agent.name for row in page.context["levels"].rows] == ["Agent 4"]
    assert "Page 3 of 3" in page.content.decode()
    first = client.get("/api/v1/benchmarks/papers?limit=3").json()
    assert len(first["items"] + client.get(first["next"]).json()["items"]) == 5
