"""Published runs, imported for real, give the published figures; skipped where they are not at hand.

Those on Expert: that all of them give their figures on the same road is shown in tests/uploads.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from leaderboard.models import Attempt, Score
from tests.cast import all_rows
from tests.published import (
    BY_CATEGORY,
    FIGURES,
    FOLDERS,
    MODEL,
    NEEDS_THEM,
    OVERALL,
    PUBLISHED,
    REACT,
    boards,
    folders_of,
)

pytestmark = NEEDS_THEM


def import_runs() -> str:
    out = io.StringIO()
    for (agent, task_set), folder in folders_of("expert").items():
        options = ["--set", task_set, "--agent", agent, "--model", MODEL]
        call_command("import_run", str(PUBLISHED / folder), *options, stdout=out)
    return out.getvalue()


@pytest.fixture(scope="module")
def imported(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Any]]:
    """The fixtures' figures, and those after the import of two runs on top of them."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "MEDIA_ROOT", tmp_path_factory.mktemp("published"))
        call_command("load_fixtures", stdout=io.StringIO())
        before = boards()
        said = import_runs()
        yield {"before": before, "after": boards(), "said": said}
        call_command("flush", "--no-input", verbosity=0)


@pytest.mark.django_db
def test_attempts_are_imported_onto_the_entries_that_the_fixtures_made(imported: dict[str, Any]) -> None:
    assert imported["said"].splitlines() == [
        f"0 added, {changed} changed, {unchanged} unchanged, 0 not imported"
        for changed, unchanged in ((39, 6), (39, 6))
    ]
    assert Attempt.objects.filter(task__task_set__benchmark__slug="super").count() == 378
    assert Attempt.objects.filter(entry__agent__model=MODEL, has_trajectory=True).count() == 78


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("agent", "task_set"), FIGURES)
def test_the_published_figures_come_out(
    when: str, agent: str, task_set: str, imported: dict[str, Any]
) -> None:
    figures = imported[when][task_set][agent]

    found = [(figures[metric]["percent"], figures[metric]["tasks"]) for metric in OVERALL]
    assert found == FIGURES[agent, task_set]


@pytest.mark.parametrize("category", BY_CATEGORY)
def test_the_published_figures_come_out_by_category(category: str, imported: dict[str, Any]) -> None:
    tasks, by_agent = BY_CATEGORY[category]
    for agent, expected in by_agent.items():
        figures = imported["before"]["masked"][agent]
        cells = [figures[f"{metric}:{category}"] for metric in ("accuracy", "landmarks")]
        assert tuple(cell["percent"] for cell in cells) == expected
        assert {cell["tasks"] for cell in cells} == {tasks}


def test_what_was_reported_is_not_moved_by_the_trajectories(imported: dict[str, Any]) -> None:
    """Whether an answer was submitted is computed from the trajectories now, and is what was reported."""

    def figures(when: str) -> dict[str, Any]:
        return {
            f"{task_set} {agent} {column}": {
                name: value for name, value in figure.items() if name not in {"source", "version"}
            }
            for task_set, by_agent in imported[when].items()
            for agent, columns in by_agent.items()
            for column, figure in columns.items()
        }

    assert figures("after") == figures("before")
    assert {
        column: figure["source"]
        for column, figure in imported["after"]["expert"][REACT].items()
        if ":" not in column
    } == {
        "accuracy": "reported",
        "landmarks": "reported",
        "script_executed": "reported",
        "submitted": "mixed",
    }


@pytest.mark.django_db
@pytest.mark.usefixtures("imported")
def test_submitted_as_computed_agrees_with_what_was_reported() -> None:
    rows = Score.objects.filter(
        metric="submitted", attempt__has_trajectory=True, attempt__entry__agent__model=MODEL
    ).values_list("attempt", "scorer", "value")
    by_scorer: dict[str, dict[int, float | None]] = {}
    for attempt, scorer, value in rows:
        by_scorer.setdefault(scorer, {})[attempt] = value

    assert len(by_scorer["reported"]) == 78
    assert by_scorer["super-strict"] == by_scorer["reported"]


@pytest.mark.django_db
@pytest.mark.usefixtures("imported")
def test_importing_a_run_again_changes_nothing() -> None:
    before = all_rows()
    options = ["--set", "expert", "--agent", REACT, "--model", MODEL, "--workers", "1"]

    call_command("import_run", str(PUBLISHED / FOLDERS[REACT, "expert"]), *options, stdout=io.StringIO())

    assert all_rows() == before
