"""The grid of a board: all of its ranked entries by all of its tasks."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from leaderboard.attempts.services import record_attempt
from leaderboard.core.figures import refresh_figures
from leaderboard.entries.editing import unaccept_entry
from leaderboard.models import Attempt
from tests.comparing.cast import NAMES, eight_tasks, reported
from tests.people import person

pytestmark = pytest.mark.django_db
ADDRESS = reverse("grid", args=("super", "masked"))


def rows(client: Client) -> list[list[str]]:
    """The cells of each row, the head first."""
    page = client.get(ADDRESS).content.decode()
    found = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.DOTALL) for row in found]
    return [[" ".join(unescape(re.sub(r"<[^>]*>", " ", cell)).split()) for cell in row] for row in cells]


def test_it_has_every_ranked_entry_by_rank_and_every_task_the_hardest_first(client: Client) -> None:
    task_set = eight_tasks()
    reported(task_set, "Worse", [1.0, 0.5, 0.0, None, 1.0])
    reported(task_set, "Better", [1.0, 1.0, 0.0, 0.5, 1.0])
    claimed = reported(task_set, "Claimed", [1.0] * 8)
    unaccept_entry(claimed, user=person("olga"))

    head, *tasks = rows(client)

    assert head == ["Task", "# 1 Better gpt-4o", "# 2 Worse gpt-4o"]
    assert tasks[:4] == [
        [NAMES[2], "0.0", "0.0"],
        [NAMES[3], "50.0", "\N{EN DASH}"],
        [NAMES[1], "100.0", "50.0"],
        [NAMES[0], "100.0", "100.0"],
    ]
    assert len(tasks) == 8, "tasks that nobody attempted come last"


def test_a_value_opens_its_attempt_and_says_when_it_is_of_several(client: Client) -> None:
    task_set = eight_tasks()
    entry = reported(task_set, "One", [1.0])
    task = task_set.tasks.get(task_id=NAMES[0])
    record_attempt(entry=entry, task=task, number=2, reported={"accuracy": 0.0})
    refresh_figures(task_set, [entry])
    first = Attempt.objects.get(number=1)

    page = client.get(ADDRESS).content.decode()

    assert f'<a href="{first.get_absolute_url()}" title="The first of 2 attempts' in page
    assert rows(client)[1] == [NAMES[0], "50.0"]


def test_it_says_when_no_entry_has_a_rank_and_a_board_leads_to_it(client: Client) -> None:
    task_set = eight_tasks()
    assert "No entry of this task set has a rank yet." in client.get(ADDRESS).content.decode()

    reported(task_set, "One", [1.0])
    assert f'href="{ADDRESS}"' in client.get(task_set.get_absolute_url()).content.decode()


@pytest.mark.parametrize("count", [1, 4])
def test_it_runs_at_most_eight_queries_at_any_size(
    count: int, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    task_set = eight_tasks()
    for n in range(count):
        reported(task_set, f"Agent {n}", [n / 10] * 8)

    with django_assert_max_num_queries(8):
        assert client.get(ADDRESS).status_code == 200
