"""The preview says what the board then shows, and two versions are compared figure by figure, exactly."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.boards.selectors import BoardQuery, read_board
from leaderboard.catalogue.selectors import set_categories
from leaderboard.entries.selectors import MetricPreview, compare_versions, previous_version, rank_preview
from leaderboard.models import Entry, TaskSet
from tests.cast import RIVAL, report
from tests.entries.cast import make_draft, masked, publish, record

pytestmark = pytest.mark.django_db
VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0, None])
RESULTS = st.dictionaries(st.sampled_from(["pet", "cet", "dpt"]), VALUES, min_size=1)


def preview(draft: Entry) -> MetricPreview:
    return rank_preview(draft, draft=False).leading


def rank_on_the_board(entry: Entry) -> tuple[int | None, int]:
    """An entry's rank by accuracy as its board shows it, and how many entries have one."""
    board = read_board(
        entry.task_set, BoardQuery(), categories=set_categories(entry.task_set), page_size=None
    )
    ranks = {row.entry.pk: row.rank for row in board.rows}
    return ranks[entry.pk], sum(rank is not None for rank in ranks.values())


def test_a_draft_stands_between_the_next_better_and_the_next_worse() -> None:
    task_set = masked()
    for name, value in (("Best", 1.0), ("Better", 0.9), ("Worse", 0.2), ("Worst", 0.1)):
        report(task_set, name, {"pet": value})

    found = rank_preview(make_draft(task_set, {"pet": 0.5}, trajectories=True), draft=False)

    first = found.leading
    assert (found.attempted, found.task_set_total, found.replaces) == (1, 3, None)
    assert (first.metric.key, first.rank, first.of, first.equal) == ("accuracy", 3, 5, 0)
    assert first.above is not None
    assert first.below is not None
    assert [each.entry.agent.name for each in (first.above, first.below)] == ["Better", "Worse"]
    assert [each.value for each in (first.above, first.below)] == [pytest.approx(0.3), pytest.approx(0.2 / 3)]


def test_a_draft_shares_its_rank_with_its_equals() -> None:
    task_set = masked()
    report(task_set, RIVAL, {"pet": 0.5})

    first = preview(make_draft(task_set, {"pet": 0.5}, trajectories=True))

    assert (first.rank, first.of, first.equal, first.above, first.below) == (1, 2, 1, None, None)


def test_a_draft_without_a_value_has_no_rank() -> None:
    task_set = masked()
    report(task_set, RIVAL, {"pet": 0.5})

    first = preview(make_draft(task_set, {"pet": None}, trajectories=True))

    assert (first.rank, first.of) == (None, 1)


def test_the_version_that_it_would_replace_is_not_counted() -> None:
    task_set = masked()
    former = publish(make_draft(task_set, {"pet": 1.0}, trajectories=True), user=None)

    found = rank_preview(make_draft(task_set, {"pet": 0.5}, trajectories=True), draft=False)

    assert found.replaces == former
    assert (found.leading.rank, found.leading.of) == (1, 1)


def test_looking_writes_nothing_and_moves_no_figure() -> None:
    draft = make_draft(masked(), {"pet": 1.0})

    rank_preview(draft, draft=False)

    assert not draft.figures.exclude(task_set=None).exists()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
@given(others=st.lists(RESULTS, max_size=4), mine=RESULTS, former=st.none() | RESULTS)
def test_the_preview_is_the_rank_after_publishing(
    others: list[dict[str, float | None]],
    mine: dict[str, float | None],
    former: dict[str, float | None] | None,
) -> None:
    Entry.objects.all().delete()
    task_set = masked()
    for number, accuracies in enumerate(others):
        report(task_set, f"Agent {number}", accuracies)
    if former is not None:
        publish(make_draft(task_set, former, trajectories=True), user=None)
    draft = make_draft(task_set, mine, trajectories=True)
    before = preview(draft)

    entry = publish(draft, user=None)

    rank, of = rank_on_the_board(entry)
    assert before.rank == rank
    assert before.of == of


def two_versions() -> tuple[TaskSet, Entry, Entry]:
    task_set = masked()
    first = publish(make_draft(task_set, {"pet": 0.25, "cet": 1.0}), user=None)
    draft = make_draft(task_set, {"pet": 1.0, "cet": 1.0, "dpt": 0.5})
    record(draft, {"pet": 0.5}, number=2)
    return task_set, first, draft


@pytest.mark.parametrize("published", [False, True])
def test_versions_are_compared_task_by_task_and_by_category(published: bool) -> None:
    _, first, second = two_versions()
    if published:
        second = publish(second, user=None)
    assert previous_version(second) == first

    found = compare_versions(second, first, draft=not published)

    by_task = {each.task.task_id: (each.changes[0].before, each.changes[0].after) for each in found.tasks}
    assert by_task == {"pet": (0.25, 0.75), "cet": (1.0, 1.0), "dpt": (None, 0.5)}
    assert {each.task.task_id for each in found.changed_tasks} == {"pet", "dpt"}
    assert [each.changes[0].difference for each in found.tasks] == [0.0, None, 0.5]
    totals = {category.slug if category else "": changes[0] for category, changes in found.totals}
    assert [totals[""].before, totals[""].after] == [pytest.approx(1.25 / 3), pytest.approx(2.25 / 3)]
    assert totals["data"].difference == pytest.approx((0.75 + 1.0) / 2 - (0.25 + 1.0) / 2)
    assert totals["cpu"].changed is False
    assert found.sources_differ == []


def test_an_entry_without_a_version_before_it_is_compared_with_nothing() -> None:
    assert previous_version(make_draft(masked(), {"pet": 1.0})) is None
    assert previous_version(report(masked(), RIVAL, {"pet": 1.0})) is None
