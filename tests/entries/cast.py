"""Drafts as checking leaves them: Alice's team owns them, Bob is in another, Olga operates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from leaderboard.attempts.services import record_attempt
from leaderboard.core.figures import refresh_figures
from leaderboard.core.teams import personal_team
from leaderboard.domain.entries import EntryState
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.names import draft_slug
from leaderboard.entries.selectors import rank_preview
from leaderboard.entries.services import publish_entry
from leaderboard.models import Agent, Entry, Figure, Score, TaskSet, Team, Upload
from leaderboard.scoring.super import SCORING
from tests.cast import CET, DPT, MODEL, PET, SOLVER, make_set
from tests.people import NOBODY, client_of, person

SET = ("super", "masked")


def masked() -> TaskSet:
    """The task set with pet, cet and dpt."""
    return make_set(PET, CET, DPT)


def team_of(name: str) -> Team:
    """The team of the person called ``name``."""
    return personal_team(person(name))


def make_draft(
    task_set: TaskSet,
    accuracies: Mapping[str, float | None],
    *,
    agent: str = SOLVER,
    model: str = MODEL,
    owner: str = "alice",
    secrets: int = 0,
    trajectories: bool = False,
    **upload: Any,
) -> Entry:
    """A draft with accuracies by task id, ``secrets`` in each attempt, and its upload.

    They are reported, or with ``trajectories`` computed from trajectories.
    """
    team = team_of(owner)
    draft = Entry.objects.create(
        agent=Agent.objects.get_or_create(name=agent, model=model)[0],
        task_set=task_set,
        slug=draft_slug(),
        state=EntryState.DRAFT,
        team=team,
    )
    record(draft, accuracies, trajectories=trajectories)
    draft.attempts.update(secrets=secrets)
    made: dict[str, Any] = {"state": UploadState.CHECKED, **upload}
    Upload.objects.create(team=team, name="results.zip", size=1, received=1, entry=draft, **made)
    draft.refresh_from_db()
    return draft


def publish(draft: Entry, *, user: User | None = None, **consents: bool) -> Entry:
    """Publish a draft, and agree to what it replaces."""
    replaced = rank_preview(draft, draft=True).replaces if draft.is_draft else None
    return publish_entry(draft, user=user, replaces=replaced.slug if replaced else "", **consents)


def published(**fields: Any) -> Entry:
    """An entry that Alice has published."""
    return publish(make_draft(masked(), {"pet": 1.0}, **fields), user=person("alice"))


def page_of(entry: Entry, who: str = NOBODY) -> str:
    """An entry's page as somebody sees it."""
    return client_of(who).get(entry.get_absolute_url()).content.decode()


def record(
    entry: Entry, accuracies: Mapping[str, float | None], *, number: int = 1, trajectories: bool = False
) -> None:
    """Accuracies by task id, each as an attempt of its own: reported, or computed from a trajectory."""
    tasks = {task.task_id: task for task in entry.task_set.tasks.all()}
    for task_id, value in accuracies.items():
        record_attempt(entry=entry, task=tasks[task_id], number=number, reported={"accuracy": value})
    if trajectories:
        entry.attempts.update(has_trajectory=True)
        Score.objects.filter(attempt__entry=entry).update(scorer=SCORING.default_scorer, version="1")
    refresh_figures(entry.task_set, [entry])


def on_a_board(entry: Entry) -> bool:
    """Whether any figure of an entry is on a board."""
    return Figure.objects.filter(entry=entry, task_set__isnull=False).exists()


def state_of(entry: Entry) -> str:
    """Where an entry stands now."""
    return Entry.objects.values_list("state", flat=True).get(pk=entry.pk)
