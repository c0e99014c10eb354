"""Intervals and standings as they are stored and shown, against a plain script over raw scores."""

from __future__ import annotations

import csv
import io
import random
import re
from html import unescape
from itertools import combinations
from math import comb
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from leaderboard.attempts.services import record_attempt
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.editing import accept_entry, unaccept_entry
from leaderboard.entries.services import hide_entry, publish_entry, show_entry, withdraw_entry
from leaderboard.models import Entry, Figure, Score, Standing, Task, TaskSet
from leaderboard.scoring.values import percent
from tests.cast import all_rows, make_set, report
from tests.entries.cast import make_draft
from tests.people import person

pytestmark = pytest.mark.django_db
BOARD = "/b/super/masked/"
NAMES = [f"task-{n:02}" for n in range(16)]
RIGHT, MOSTLY, HALF, WRONG = ([1.0] * 16, [1.0] * 13 + [0.0] * 3, [1.0, 0.0] * 8, [0.0] * 16)


@pytest.fixture
def task_set() -> TaskSet:
    """Sixteen tasks of twelve repositories, the first ten of one category; a repository may be unknown."""
    return make_set(
        *(
            TaskSpec(
                name,
                repository=f"https://example.org/{n // 2}" if n < 8 else "",
                categories=("data",) if n < 10 else ("cpu",),
            )
            for n, name in enumerate(NAMES)
        )
    )


def reported(task_set: TaskSet, agent: str, values: list[float]) -> Entry:
    return report(task_set, agent, dict(zip(NAMES, values, strict=False)))


def leading(entry: Entry) -> Figure:
    return Figure.objects.get(entry=entry, scorer="board", metric="accuracy", category="")


def tier(entry: Entry) -> tuple[int, int | None] | None:
    standing = Standing.objects.filter(figure=leading(entry)).first()
    return (standing.first, standing.last) if standing else None


def values_of(entry: Entry) -> dict[str, float]:
    """What each task counts as, from the rows of scores: the mean of its attempts, 0 without an attempt."""
    by_task: dict[str, list[float]] = {name: [] for name in NAMES}
    scores = Score.objects.filter(attempt__entry=entry, scorer="reported", metric="accuracy")
    for name, value in scores.values_list("attempt__task__task_id", "value"):
        by_task[name].append(value or 0.0)
    return {name: sum(found) / len(found) if found else 0.0 for name, found in by_task.items()}


def repositories() -> dict[str, str]:
    return {task.task_id: task.repository or task.task_id for task in Task.objects.all()}


def interval(values: dict[str, float]) -> tuple[float, float]:
    clusters: dict[str, list[float]] = {}
    repository = repositories()
    for name in sorted(values):
        clusters.setdefault(repository[name], []).append(values[name])
    drawing, groups, means = random.Random(20_241_101), list(clusters.values()), []  # noqa: S311
    for _ in range(2_000):
        drawn = [value for at in drawing.choices(range(len(groups)), k=len(groups)) for value in groups[at]]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    return means[50], means[-51]


def mcnemar(ours: dict[str, float], theirs: dict[str, float]) -> float:
    only = [sum(a[name] > b[name] for name in NAMES) for a, b in ((ours, theirs), (theirs, ours))]
    p: float = min(1.0, 2 * sum(comb(sum(only), few) for few in range(min(only) + 1)) / 2 ** sum(only))
    return p


def test_each_interval_is_that_of_a_plain_bootstrap_of_whole_repositories(task_set: TaskSet) -> None:
    entry = reported(task_set, "Partly", [1.0, 0.5, 0.0, 0.25, 1.0, 0.0, 0.75, 1.0, 0.0, 1.0, 0.5])
    values, data = values_of(entry), set(NAMES[:10])

    figures = Figure.objects.filter(scorer="board", metric="accuracy")
    by_category = dict(figures.values_list("category", "low"))
    assert (leading(entry).low, leading(entry).high) == pytest.approx(interval(values))
    assert by_category["data"] == pytest.approx(interval({n: v for n, v in values.items() if n in data})[0])


def test_each_tier_is_that_of_plain_tests_of_every_two_entries(task_set: TaskSet) -> None:
    entries = [
        reported(task_set, name, values)
        for name, values in (("Right", RIGHT), ("Mostly", MOSTLY), ("Half", HALF), ("Wrong", WRONG))
    ]
    values = [values_of(entry) for entry in entries]
    pairs = sorted(combinations(range(4), 2), key=lambda pair: mcnemar(values[pair[0]], values[pair[1]]))
    apart, highest = set(), 0.0
    for at, (one, other) in enumerate(pairs):
        highest = max(highest, (len(pairs) - at) * mcnemar(values[one], values[other]))
        low, high = interval({name: values[one][name] - values[other][name] for name in NAMES})
        if highest < 0.05 and not low <= 0 <= high:
            apart.add((one, other))

    for at, entry in enumerate(entries):
        close = [n for n in range(4) if (min(at, n), max(at, n)) not in apart]
        assert tier(entry) == (min(close) + 1, max(close) + 1)
    assert [tier(entry) for entry in entries] == [(1, 2), (1, 3), (2, 3), (4, 4)]


def test_tasks_are_the_units_so_that_more_attempts_of_the_same_kind_make_nothing_more_certain(
    task_set: TaskSet,
) -> None:
    entry = reported(task_set, "Half", HALF)
    before = leading(entry).interval
    for name, value in zip(NAMES, HALF, strict=True):
        for number in (2, 3):
            task = task_set.tasks.get(task_id=name)
            record_attempt(entry=entry, task=task, number=number, reported={"accuracy": value})
    refresh_figures(task_set, [entry])

    assert leading(entry).attempts == 48
    assert leading(entry).interval == before


def test_a_share_of_0_is_not_called_certain_and_few_repositories_give_no_interval(task_set: TaskSet) -> None:
    entry = reported(task_set, "Wrong", WRONG)
    task_set.tasks.update(repository="https://example.org/one")
    few = reported(task_set, "Half", HALF)

    low, high = leading(entry).interval or (1, 0)
    # Wilson's for 0 of 12 repositories.
    assert low == 0
    assert high == pytest.approx(1.96**2 / (12 + 1.96**2), abs=1e-4)
    assert leading(few).interval is None


def test_a_drafts_interval_is_withheld_where_its_values_are_rounded(task_set: TaskSet) -> None:
    draft = make_draft(task_set, dict(zip(NAMES, HALF, strict=True)), agent="Draft", trajectories=True)
    Score.objects.filter(attempt__entry=draft).update(scorer="super-strict")
    refresh_figures(task_set, [draft])
    client = Client()
    client.force_login(person("alice"))

    assert leading(draft).interval
    shown = client.get(f"/api/v1/entries/{draft.slug}").json()["figures"]
    assert {(each["low"], each["high"]) for each in shown if each["metric"] == "accuracy"} == {(None, None)}


def test_standings_follow_every_change_of_what_is_on_the_board(task_set: TaskSet) -> None:
    right, wrong = reported(task_set, "Right", RIGHT), reported(task_set, "Wrong", WRONG)
    olga = person("olga")
    assert (tier(right), tier(wrong)) == ((1, 1), (2, 2))

    draft = make_draft(task_set, dict(zip(NAMES, MOSTLY, strict=True)), agent="New", trajectories=True)
    assert tier(draft) is None
    publish_entry(draft, user=person("alice"))
    assert (tier(right), tier(draft), tier(wrong)) == ((1, 2), (1, 2), (3, 3))

    unaccept_entry(right, user=olga)
    assert (tier(right), tier(draft), tier(wrong)) == (None, (1, 1), (2, 2)), (
        "self-reported: no rank, no tier"
    )
    accept_entry(right, user=olga, why="Checked.")
    hide_entry(draft, user=olga, reason="Wrong data.")
    assert (tier(right), tier(draft), tier(wrong)) == ((1, 1), None, (2, 2))
    show_entry(draft, user=olga)
    assert tier(draft) == (1, 2)
    withdraw_entry(draft, user=person("alice"), reason="A bug.")
    assert (tier(right), tier(draft)) == ((1, 1), None)


def test_only_the_first_entries_are_tested_and_a_range_may_then_go_on(
    task_set: TaskSet, settings: Settings
) -> None:
    settings.SUPERBOARD_TIER_ENTRIES = 2
    agents = {"A": RIGHT, "B": MOSTLY, "C": HALF}
    entries = [reported(task_set, name, values) for name, values in agents.items()]

    assert [tier(entry) for entry in entries] == [(1, None), (1, None), None]


def test_figures_of_before_are_refreshed_by_a_command_that_changes_nothing_the_second_time(
    task_set: TaskSet,
) -> None:
    reported(task_set, "Right", RIGHT), reported(task_set, "Half", HALF)
    whole = all_rows()
    Figure.objects.update(low=None, high=None)
    Standing.objects.all().delete()

    call_command("refresh_figures", set="masked", verbosity=0, stdout=io.StringIO())
    assert all_rows() == whole


def board(client: Client, query: str = "") -> str:
    page = client.get(BOARD + query).content.decode()
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_a_board_says_what_can_be_concluded_beside_each_rank_and_figure(
    task_set: TaskSet, client: Client
) -> None:
    half = reported(task_set, "Half", HALF)
    for name, values in (("Right", RIGHT), ("Mostly", MOSTLY)):
        reported(task_set, name, values)
    low, high = map(percent, leading(half).interval or (None, None))

    page, text = client.get(BOARD).content.decode(), board(client)
    margin = percent(((leading(half).high or 0) - (leading(half).low or 0)) / 2)

    assert "Rank 1 can't be told apart from rank 2 on these 16 tasks; about" in text
    assert "more tasks would tell it from rank 2." in text
    assert re.search(r'title="Ranks 1 to 2 can&#x27;t be told apart from it[^"]*">1\N{EN DASH}2</span>', page)
    assert f'<span class="margin" title="95 % interval {low} to {high}">±{margin}</span>' in page
    assert re.search(r'<td class="num cat first" title="95 % interval [\d.]+ to [\d.]+">', page)
    assert "can't be told apart from rank" not in board(client, "?agent=Half"), "the first is not shown"


def test_data_of_a_board_and_an_entry_carry_intervals_and_tiers(task_set: TaskSet, client: Client) -> None:
    right, half = reported(task_set, "Right", RIGHT), reported(task_set, "Half", HALF)
    low, high = leading(half).interval or (0, 0)

    rows: list[dict[str, Any]] = client.get("/api/v1/benchmarks/super/masked/board").json()["items"]
    lines = list(csv.DictReader(io.StringIO(client.get(BOARD + "data.csv").content.decode())))
    figures = client.get(f"/api/v1/entries/{right.slug}").json()["figures"]

    assert [row["tier"] for row in rows] == [
        {"first": 1, "last": 1, "more_tasks": None},
        {"first": 2, "last": 2, "more_tasks": None},
    ]
    assert (rows[1]["figures"]["accuracy"]["low"], rows[1]["figures"]["accuracy"]["high"]) == (low, high)
    ranks = ("rank", "first_rank", "last_rank")
    assert [[line[key] for key in ranks] for line in lines] == [["1"] * 3, ["2"] * 3]
    assert (lines[1]["accuracy low"], lines[1]["accuracy high"]) == (percent(low), percent(high))
    assert [each["tier"] for each in figures if each["tier"]] == [rows[0]["tier"]] * 2, "board and reported"
