"""Columns to choose, and the axes of the chart: all of it in the address."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.boards import selectors
from leaderboard.catalogue.services import import_tasks
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Category, Entry, TaskSet
from tests.cast import CET, NOVICE, PET, RIVAL, SOLVER, attempt_at, make_set, report

pytestmark = pytest.mark.django_db
BOARD = "/b/super/masked/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def task_set(tmp_path: Path) -> TaskSet:
    """Solver's attempt cost 2.5 dollars, Novice's 0.5; Rival has no trajectory, so its cost is unknown."""
    task_set = make_set(PET)
    for agent, cost, answer in ((SOLVER, 2.5, {"loss": 0.5}), (NOVICE, 0.5, "nothing")):
        attempt = attempt_at(task_set, tmp_path / agent, answer, agent)
        attempt.cost = cost
        attempt.save()
    report(task_set, RIVAL, {"pet": 0.75})
    refresh_figures(task_set, task_set.entries.all())
    return task_set


@pytest.fixture(autouse=True)
def _one_point_makes_a_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 1)


def agents(client: Client, query: str) -> list[str]:
    return [row["agent"] for row in client.get(f"{BOARD}data.json?{query}").json()["entries"]]


def labels(page: Any) -> list[str]:
    return [heading.label for heading in page.context["head"].overall]


@pytest.mark.usefixtures("task_set")
def test_a_chosen_column_is_shown_in_its_unit_and_stays_through_sorting_and_paging(client: Client) -> None:
    page = client.get(f"{BOARD}?columns=cost&columns=steps")
    text = page.content.decode()

    assert labels(page)[-2:] == ["Cost", "Steps"]
    assert "$2.50" in text
    assert (
        'id="column-cost" type="checkbox" name="columns" value="cost"\n                     checked' in text
    )
    assert "columns=cost&columns=steps" in page.context["head"].agent.link
    assert "Cost" not in labels(client.get(BOARD))


@pytest.mark.usefixtures("task_set")
def test_the_legend_says_which_figures_are_no_percentages_and_what_t_is(client: Client) -> None:
    plain, chosen = (
        " ".join(client.get(f"{BOARD}{query}").content.decode().split()) for query in ("", "?columns=cost")
    )

    assert "In percent, except cost;" in chosen
    assert "Cost: US dollars that an attempt" in chosen
    assert "as the trajectories say, over the tasks where they do" in chosen
    assert "except" not in plain
    assert "over the tasks where they do" not in plain


@pytest.mark.usefixtures("task_set")
def test_what_is_better_when_less_sorts_ascending_first_and_a_missing_one_is_last_both_ways(
    client: Client,
) -> None:
    head = client.get(f"{BOARD}?columns=cost").context["head"]

    assert next(each for each in head.overall if each.key == "cost").link.endswith("sort=cost")
    assert agents(client, "sort=cost") == [NOVICE, SOLVER, RIVAL]
    assert agents(client, "sort=-cost") == [SOLVER, NOVICE, RIVAL]


@pytest.mark.usefixtures("task_set")
def test_sorting_by_a_column_that_is_not_shown_shows_it_and_ticks_its_box(client: Client) -> None:
    page = client.get(f"{BOARD}?sort=-steps")
    part = client.get(f"{BOARD}?sort=-steps", headers=HTMX).content.decode()

    assert labels(page)[-1] == "Steps"
    assert [each.metric.key for each in page.context["choices"].columns if each.chosen] == ["steps"]
    assert 'hx-swap-oob="innerHTML:#board-columns"' in part
    assert part.count('value="steps"\n                     checked') == 1


@pytest.mark.usefixtures("task_set")
def test_data_carries_the_chosen_columns_with_their_unit(client: Client) -> None:
    data = client.get(f"{BOARD}data.json?columns=cost").json()
    rows = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}data.csv?columns=cost").content.decode())))
    read = client.get("/api/v1/benchmarks/super/masked/board?columns=cost").json()

    assert [(each["key"], each["unit"]) for each in data["columns"]][-1] == ("cost", "dollars")
    assert data["entries"][0]["figures"]["cost"]["value"] == 2.5
    assert (rows[0]["cost"], rows[0]["cost unit"], rows[0]["cost source"]) == ("2.5", "dollars", "recorded")
    assert "accuracy unit" not in rows[0]
    assert read["columns"] == data["columns"]


def test_the_csv_says_of_every_figure_whether_it_is_reported_or_computed(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    import_tasks(task_set, [PET, CET])
    # Beside a trajectory at one task, Solver has a report alone at the other.
    report(task_set, SOLVER, {"cet": 0.75})
    text = client.get(f"{BOARD}data.csv?columns=cost").content.decode()
    found = {row["agent"]: row for row in csv.DictReader(io.StringIO(text))}

    assert {agent: row["accuracy kind"] for agent, row in found.items()} == {
        SOLVER: "partly reported",
        NOVICE: "computed",
        RIVAL: "reported",
    }
    assert (found[SOLVER]["cost kind"], found[RIVAL]["cost kind"]) == ("as the trajectories say", "")
    # Of the tasks on CPUs Novice tried none, which counts as failed.
    assert (found[NOVICE]["accuracy:cpu"], found[NOVICE]["accuracy:cpu kind"]) == ("0.0", "not tried")
    for row in found.values():
        figures = [name.removesuffix(" kind") for name in row if name.endswith(" kind")]
        assert len(figures) > 5
        assert all(bool(row[name]) == bool(row[f"{name} kind"]) for name in figures)


@pytest.mark.usefixtures("task_set")
def test_the_axes_of_the_chart_are_in_the_address_and_its_table_follows(client: Client) -> None:
    query = "?x=cost&y=steps&sort=agent"
    page = client.get(f"{BOARD}{query}")
    chart = client.get(f"{BOARD}charts.json{query}").json()["scatter"]

    assert "<h2>Steps against cost</h2>" in page.content.decode()
    assert [[cell.value for cell in cells] for _, cells in page.context["points"]] == [
        [0.5, 2.0],
        [None, None],
        [2.5, 2.0],
    ]
    assert chart["data"][0]["x"] == [0.5, 2.5]
    assert chart["layout"]["xaxis"]["tickprefix"] == "$"
    assert "x=cost&y=steps" in page.context["head"].model.link
    assert page.context["rest_of_query"] == [("sort", "agent")]
    assert [field.name for field in page.context["form"].kept] == ["sort", "x", "y"]


@pytest.mark.usefixtures("task_set")
def test_an_axis_that_there_is_not_is_named_and_the_layouts_stands(client: Client) -> None:
    page = client.get(f"{BOARD}?x=speed")

    assert "speed is not one of the available choices" in page.content.decode()
    assert "<h2>Accuracy against landmarks</h2>" in page.content.decode()


@pytest.mark.usefixtures("task_set")
def test_a_chart_that_would_be_empty_says_so(client: Client) -> None:
    assert (
        "No ranked entry on this page has both"
        in client.get(f"{BOARD}?x=cost&agent={RIVAL}").content.decode()
    )
    assert "No ranked entry on this page has both" not in client.get(f"{BOARD}?x=cost").content.decode()


def test_many_groups_have_a_table_of_their_own_with_a_row_each(client: Client, task_set: TaskSet) -> None:
    for number in range(6, 20):
        Category.objects.create(
            benchmark=task_set.benchmark, slug=f"p{number}", name=f"Paper {number}", position=number
        )
    specs = [TaskSpec(task_id=f"t{n}", gold=n, categories=(f"p{n}",)) for n in range(6, 20)]
    import_tasks(task_set, specs)
    report(task_set, "Reader", {"t6": 1.0, "t7": 0.0})

    page = client.get(BOARD)
    first, _landmarks = page.context["group_tables"]

    assert first.title == "Accuracy by category"
    assert [heading.label for heading, _ in first.rows][:3] == ["Data", "Paper 6", "Paper 7"]
    at = [row.entry.agent.name for row in page.context["board"].rows].index("Reader")
    assert [cells[at].value for _, cells in first.rows][:3] == [0.0, 1.0, 0.0]
    assert page.content.decode().count('colspan="15"') == 0
    assert client.get(f"{BOARD}?sort=accuracy:p6").content.decode().count("aria-sort=") == 1
    assert Entry.objects.count() == 4


@pytest.mark.usefixtures("task_set")
def test_three_entries_make_no_scatter_chart(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 4)

    assert 'data-plot="scatter"' not in client.get(BOARD).content.decode()
    assert "scatter" not in client.get(f"{BOARD}charts.json").json()
