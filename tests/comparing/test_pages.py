"""What a comparison of entries says and shows, for whom, and what it answers where it can't compare."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from leaderboard.entries.services import withdraw_entry
from leaderboard.models import Attempt, Entry
from tests.cast import PET, attempt_at, make_set, report
from tests.comparing.cast import NAMES, eight_tasks, reported, two_papers
from tests.entries.cast import make_draft
from tests.people import client_of, person

pytestmark = pytest.mark.django_db
RIGHT, WRONG = [1.0] * 8, [0.0] * 8


def address(*entries: Entry | str, name: str = "compare", **query: str) -> str:
    slugs = [f"e={each if isinstance(each, str) else each.slug}" for each in entries]
    return f"{reverse(name)}?{'&'.join(slugs + [f'{key}={value}' for key, value in query.items()])}"


def text(client: Client, where: str, status: int = 200) -> str:
    """A page as its reader has it, in one line."""
    response = client.get(where)
    assert response.status_code == status, where
    return " ".join(unescape(strip_tags(response.content.decode())).split())


def data(*entries: Entry, client: Client | None = None, **query: str) -> Any:
    response = (client or Client()).get(address(*entries, name="api:compare", **query))
    assert response.status_code == 200, response.content
    return response.json()


def tasks_shown(*entries: Entry, **query: str) -> list[str]:
    found = Client().get(address(*entries, name="api:compare", **query)).json()
    return [task["task_id"] for task in found["tasks"]]


def test_it_says_which_is_better_by_how_much_and_on_how_many_tasks(client: Client) -> None:
    task_set = eight_tasks()
    better = reported(task_set, "Right", [1.0] * 7 + [0.5])
    worse = reported(task_set, "Wrong", [*WRONG[:-1], None])

    Entry.objects.filter(pk=worse.pk).update(evidence="self-reported")

    page = text(client, address(worse, better))

    assert "Wrong self-reported Right Overall" in page
    assert "Right is better than Wrong by 100.0 points (100.0 to 100.0) on 7 tasks." in page
    assert "{0}100.0 {0}100.0 to {0}100.0 0.016 7".format("\N{MINUS SIGN}") in page


def test_a_task_that_one_did_not_attempt_is_in_no_difference_though_a_board_counts_it_as_failed() -> None:
    task_set = eight_tasks()
    found = data(reported(task_set, "All", RIGHT), reported(task_set, "Half", RIGHT[:4]))

    (pair,) = found["differences"]
    assert (pair["difference"], pair["tasks"]) == (0.0, 4)
    assert [figure["value"] for figure in found["groups"][0]["figures"]] == [1.0, 0.5]


def test_it_says_when_two_can_not_be_told_apart_and_never_more(client: Client) -> None:
    task_set = eight_tasks()
    one = reported(task_set, "One", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    other = reported(task_set, "Other", [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    few = reported(task_set, "Few", RIGHT[:3])

    page = text(client, address(one, other, few))

    assert "One and Other can't be told apart on these 8 tasks." in page
    assert "on these 3 tasks: an interval needs 5 repositories, these are of 3." in page
    assert "is better than" not in page


def test_more_pairs_ask_for_more_evidence() -> None:
    task_set = eight_tasks()
    right, wrong = reported(task_set, "Right", RIGHT[:6]), reported(task_set, "Wrong", WRONG[:6])
    (alone,) = data(right, wrong)["differences"]
    among = data(right, wrong, reported(task_set, "Too", WRONG[:6]))["differences"][0]

    assert (alone["p"], alone["told_apart"]) == (2 / 2**6, True)
    assert (among["p"], among["p_adjusted"], among["told_apart"]) == (2 / 2**6, 6 / 2**6, False)


def test_of_several_attempts_each_metric_has_its_own_value_and_papers_are_drawn_whole(client: Client) -> None:
    task_set, often, seldom = two_papers()
    once, five = (data(often, seldom, metric=key) for key in ("pass_1", "pass_5"))

    assert [cell["value"] for cell in once["tasks"][0]["cells"]] == [0.8, 0.2]
    assert [cell["value"] for cell in five["tasks"][0]["cells"]] == [1.0, 1.0]
    assert (once["differences"][0]["tasks"], once["differences"][0]["clusters"]) == (4, 2)
    page = text(client, address(often, seldom))
    assert "needs 5 papers, these are of 2" in page
    assert "#1 #2 #3 #4 #5" in page
    assert Attempt.objects.filter(entry__task_set=task_set).count() == 40


def test_what_attempts_used_is_compared_as_higher_or_lower(client: Client) -> None:
    task_set = eight_tasks()
    cheap, dear = reported(task_set, "Cheap", RIGHT), reported(task_set, "Dear", RIGHT)
    Attempt.objects.update(has_trajectory=True)
    for entry, cost in ((cheap, 0.25), (dear, 1.5)):
        entry.attempts.update(cost=cost)

    page = text(client, address(dear, cheap, metric="cost"))

    assert "The cost of Cheap is lower than that of Dear by $1.25 ($1.25 to $1.25) on 8 tasks." in page


@pytest.mark.parametrize(
    ("show", "tasks"),
    [
        ("all", NAMES[:5]),
        ("differ", [NAMES[1], NAMES[4]]),
        ("one-solved", [NAMES[1], NAMES[3]]),
        ("all-solved", NAMES[:1]),
        ("none-solved", [NAMES[2], NAMES[4]]),
    ],
)
def test_tasks_are_narrowed_to_those_that_only_one_all_or_none_solved(show: str, tasks: list[str]) -> None:
    task_set = eight_tasks()
    one = reported(task_set, "One", [1.0, 0.0, 0.5, None, 0.25])
    other = reported(task_set, "Other", [1.0, 1.0, 0.5, 1.0, 0.5])

    assert tasks_shown(one, other, show=show, order="name") == tasks


def test_the_hardest_task_comes_first_for_the_entries_shown_and_one_without_a_value_last() -> None:
    task_set = eight_tasks()
    one, other = reported(task_set, "One", [1.0, 0.5, 0.0]), reported(task_set, "Other", [1.0, 0.0, 0.25])
    Attempt.objects.filter(entry=one, task__task_id=NAMES[1]).get().scores.all().delete()
    Attempt.objects.filter(entry=other, task__task_id=NAMES[1]).get().scores.all().delete()

    assert tasks_shown(one, other) == [NAMES[2], NAMES[0], NAMES[1]]
    assert tasks_shown(one, other, order="name") == NAMES[:3]


def test_a_cell_opens_its_attempt_and_shows_landmarks_and_why_it_failed(
    client: Client, tmp_path: Path
) -> None:
    task_set = make_set(PET)
    solved = attempt_at(task_set, tmp_path / "a", agent="Solver")
    failed = attempt_at(task_set, tmp_path / "b", agent="Novice", answer={"loss": 7})
    Attempt.objects.update(finding="missing-module")

    page = client.get(address(solved.entry, failed.entry)).content.decode()
    cells = re.findall(r'<td class="num"><a href="(/a/\d+/)">([\d.]+)</a>(.*?)</td>', page)

    assert [cell[:2] for cell in cells] == [
        (solved.get_absolute_url(), "100.0"),
        (failed.get_absolute_url(), "0.0"),
    ]
    assert [strip_tags(cell[2]) for cell in cells] == ["1/2 · submitted", "1/2 · missing module"]
    assert "A module or program that is not installed" in cells[1][2]


def test_the_grid_is_there_as_csv_in_the_order_of_the_page(client: Client) -> None:
    task_set = eight_tasks()
    one, other = reported(task_set, "One", [1.0, 0.5]), reported(task_set, "Other", [1.0, 0.0, 0.25])

    response = client.get(address(one, other, name="compare-csv", show="differ"))
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert [row["task_id"] for row in rows] == tasks_shown(one, other, show="differ") == [NAMES[1]]
    assert (rows[0][f"{one.slug} accuracy"], rows[0][f"{other.slug} accuracy"]) == ("0.5", "0")
    assert rows[0][f"{one.slug} kind"] == "reported"


def test_a_comparison_says_how_open_its_entries_are(client: Client) -> None:
    task_set = eight_tasks()
    one, other = reported(task_set, "One", RIGHT), reported(task_set, "Other", RIGHT)
    Entry.objects.filter(pk=one.pk).update(model_openness="api-only", scaffold_openness="open-source")

    page = text(client, address(one, other))
    assert "model API only" in page
    assert page.count("scaffold open source") == 1
    assert [each["model_openness"] for each in data(one, other)["entries"]] == ["api-only", None]


def test_csv_has_no_task_that_a_spreadsheet_runs(client: Client) -> None:
    task_set = eight_tasks()
    task_set.tasks.filter(task_id=NAMES[0]).update(task_id="=1+1")
    one, other = (report(task_set, name, {"=1+1": 1.0}) for name in ("One", "Other"))

    found = client.get(address(one, other, name="compare-csv")).content.decode()

    assert "\n'=1+1," in found


def test_a_teams_draft_is_compared_for_the_team_alone_and_its_scores_stay_withheld(client: Client) -> None:
    task_set = eight_tasks()
    public = reported(task_set, "Public", RIGHT)
    draft = make_draft(task_set, dict.fromkeys(NAMES, 1.0), agent="Draft", trajectories=True)
    team, operator = client_of("alice"), client_of("olga")

    page = text(team, address(draft, public))
    assert "Accuracy of Draft is withheld by task until it is published." in page
    assert {
        cell["value"] for task in data(draft, public, client=team)["tasks"] for cell in task["cells"][:1]
    } == {None}
    assert data(draft, public, client=team, show="all-solved")["tasks"] == []
    assert data(draft, public, client=operator)["differences"][0]["tasks"] == 8
    assert f"There is no entry “{draft.slug}”" in text(client, address(draft, public), status=404)
    assert client.get(address(draft, public, name="api:compare")).status_code == 404


def test_entries_of_two_sets_are_not_compared_and_it_says_which_are_where(client: Client) -> None:
    masked = reported(eight_tasks(), "One", RIGHT)
    expert = report(make_set(PET, slug="expert"), "Two", {"pet": 1.0})

    page = text(client, address(masked, expert), status=400)

    assert "Only entries of one task set can be compared, and these are of 2:" in page
    assert "super/masked: One · gpt-4o; super/expert: Two · gpt-4o" in page
    assert client.get(address(masked, expert, name="api:compare")).status_code == 422
    assert client.get(address(masked, expert, name="compare-csv")).status_code == 400


def test_one_entry_and_none_lead_to_a_form_of_those_that_can_be_chosen(client: Client) -> None:
    task_set = eight_tasks()
    one, other = reported(task_set, "One", RIGHT), reported(task_set, "Other", RIGHT)

    offered = client.get(reverse("compare")).content.decode()
    begun = client.get(address(one)).content.decode()

    for entry in (one, other):
        assert f'name="e" value="{entry.slug}"' in offered
    assert f'value="{one.slug}" checked' in begun
    assert f'value="{other.slug}" checked' not in begun
    assert client.get(address(one, name="compare-csv")).status_code == 400
    assert client.get(address(one, name="api:compare")).status_code == 422


def test_what_is_withdrawn_unknown_or_too_much_is_said_with_what_to_do(client: Client) -> None:
    task_set = eight_tasks()
    one, gone = reported(task_set, "One", RIGHT), make_draft(task_set, {NAMES[0]: 1.0}, agent="Gone")
    gone.state = "published"
    gone.save()
    withdraw_entry(gone, user=person("alice"), reason="A bug.")

    page = text(client, address(one, gone, "nobody"), status=404)
    many = text(client, address(*(f"e{n}" for n in range(7))), status=400)

    assert "was withdrawn: A bug." in page
    assert "There is no entry “nobody”. Please leave it out." in page
    assert "7 entries are too many to compare. Please choose at most 6." in many


def test_a_metric_that_there_is_not_is_said_and_the_leading_one_shown(client: Client) -> None:
    task_set = eight_tasks()
    one, other = reported(task_set, "One", RIGHT), reported(task_set, "Other", WRONG)

    page = text(client, address(one, other, metric="nonsense"))

    assert "nonsense is not one of the available choices" in page
    assert "One is better than Other" in page
    assert client.get(address(one, other, name="api:compare", metric="nonsense")).status_code == 422


def test_entries_of_one_agent_have_names_that_tell_them_apart() -> None:
    task_set = eight_tasks()
    one, other = reported(task_set, "Same", RIGHT, "a"), reported(task_set, "Same", WRONG, "b")

    (pair,) = data(one, other)["differences"]

    assert pair["conclusion"].startswith("Same · a is better than Same · b by")


def test_names_are_escaped(client: Client) -> None:
    task_set = eight_tasks()
    hostile = reported(task_set, "<script>alert(1)</script>", RIGHT)

    page = client.get(address(hostile, reported(task_set, "Other", WRONG))).content.decode()

    assert "<script>alert" not in page


@pytest.mark.parametrize("count", [2, 6])
def test_a_comparison_runs_at_most_eight_queries_at_any_size(
    count: int, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    task_set = eight_tasks()
    entries = [reported(task_set, f"Agent {n}", [n / 10] * 8) for n in range(count + 1)]

    for name in ("compare", "compare-csv", "api:compare"):
        with django_assert_max_num_queries(8):
            assert client.get(address(*entries[:count], name=name)).status_code == 200


def test_a_board_and_an_entrys_page_lead_to_it(client: Client) -> None:
    task_set = eight_tasks()
    entry = reported(task_set, "One", RIGHT)

    board = client.get(task_set.get_absolute_url()).content.decode()

    assert f'<form id="compare" method="get" action="{reverse("compare")}">' in board
    assert f'name="e" value="{entry.slug}" form="compare"' in board
    assert f'href="{address(entry)}"' in client.get(entry.get_absolute_url()).content.decode()
