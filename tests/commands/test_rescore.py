"""manage.py rescore."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from leaderboard.catalogue.services import import_tasks
from leaderboard.models import Figure, Score
from runner.worker.app import app
from tests.cast import NOVICE, PET, SOLVER, all_rows, attempt_at, make_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def _changed_gold(tmp_path: Path) -> None:
    """Solver leads Novice by a gold answer that is no longer the gold answer."""
    task_set = make_set(PET)
    attempt_at(task_set, tmp_path / "solver", {"loss": 0.5}, SOLVER)
    attempt_at(task_set, tmp_path / "novice", {"loss": 0.75}, NOVICE)
    import_tasks(task_set, [replace(PET, gold={"loss": 0.75})])


def run(*options: str) -> list[str]:
    out = io.StringIO()
    call_command("rescore", "--set", "masked", *options, stdout=out)
    return out.getvalue().splitlines()


def leader() -> str:
    return Figure.objects.get(scorer="board", metric="accuracy", category="", value=1).entry.agent.name


@pytest.mark.usefixtures("_changed_gold")
def test_it_shows_the_ranks_that_would_change_and_writes_nothing() -> None:
    before = all_rows()

    said = run()

    assert sorted(said[:-1]) == [
        "Novice · gpt-4o on Masked: rank 2 becomes 1",
        "Solver · gpt-4o on Masked: rank 1 becomes 2",
    ]
    assert said[-1] == "Masked: 2 attempts to re-score, 2 ranks would change; --apply does it"
    assert all_rows() == before
    assert leader() == SOLVER


@pytest.mark.usefixtures("_changed_gold")
def test_applied_it_takes_effect() -> None:
    assert run("--apply") == ["Masked: 2 attempts re-scored"]

    assert leader() == NOVICE
    assert run() == ["Masked: no stale scores"]


@pytest.fixture
def _a_worker() -> Iterator[None]:
    app.loader.import_default_modules()
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.mark.usefixtures("_changed_gold", "_a_worker")
def test_in_the_background_each_attempt_is_a_message() -> None:
    assert run("--apply", "--background") == ["Masked: 2 attempts sent to the workers"]

    assert leader() == NOVICE
    assert not Score.objects.filter(stale=True).exists()


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(CommandError, match=r"“masked” is not a task set .*run manage.py load_fixtures"):
        run()
