"""The operators' pages: the queue, re-scores looked at before they take effect, merges, the audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.catalogue.services import import_tasks
from leaderboard.entries.services import hide_entry
from leaderboard.models import Agent, AuditEvent, TaskSet
from leaderboard.operating import selectors as operating
from leaderboard.operating.rescoring import record_preview, stale_attempts
from runner.worker import tasks
from tests.cast import NOVICE, PET, RIVAL, SOLVER, attempt_at, make_set, report
from tests.entries.cast import make_draft, masked, publish
from tests.people import client_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def stale(tmp_path: Path) -> TaskSet:
    """A set whose gold has changed: Solver was right and Novice wrong, and now it is the other way round."""
    task_set = make_set(PET)
    attempt_at(task_set, tmp_path / "solver")
    attempt_at(task_set, tmp_path / "novice", {"loss": 0.9}, NOVICE)
    import_tasks(task_set, [replace(PET, gold={"loss": 0.9})])
    return task_set


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[int, ...]]]:
    """What is sent to workers."""
    messages: list[tuple[str, tuple[int, ...]]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: messages.append((name, tuple(args))))
    return messages


def queue_page() -> str:
    return str(client_of("olga").get(reverse("operate")).content.decode())


def test_an_empty_queue_says_so() -> None:
    page = queue_page()

    for words in (
        "Every published entry is ranked",
        "No score is stale",
        "No two agents",
        "No entry is hidden",
    ):
        assert words in page


def test_the_queue_leads_to_what_waits() -> None:
    entry = publish(make_draft(masked(), {"pet": 1.0}), user=None)
    hidden = publish(make_draft(masked(), {"pet": 1.0}, agent="Faker"), user=None)
    hide_entry(hidden, user=None, reason="Copied answers.")

    page = queue_page()

    assert f'href="{entry.get_absolute_url()}"' in page
    assert f'href="{hidden.get_absolute_url()}"' in page
    assert "Copied answers." in page


def test_a_long_queue_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operating, "LISTED", 1)
    for name in ("A", "B"):
        publish(make_draft(masked(), {"pet": 1.0}, agent=name), user=None)

    assert "2 in all." in queue_page()


def test_the_ranks_that_would_change_are_shown_before_anything_does(
    stale: TaskSet,
    sent: list[Any],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client = client_of("olga")
    page = queue_page()
    assert "2 attempts would be scored or diagnosed differently now." in page
    assert "Re-score" not in page

    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("ask-for-re-score"), {"task_set": stale.pk, "action": "preview"})
    assert sent == [("runner.worker.tasks.preview", (stale.pk,))]
    tasks.preview(stale.pk)

    page = queue_page()
    assert "2 ranks would change" in page
    assert f"{SOLVER} · gpt-4o</a>: 1 → 2" in page
    assert f"{NOVICE} · gpt-4o</a>: 2 → 1" in page
    assert stale_attempts().count() == 2


def test_scoring_anew_hands_every_stale_attempt_to_the_workers(
    stale: TaskSet,
    sent: list[Any],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    record_preview(stale)
    attempts = list(stale_attempts().values_list("pk", flat=True))

    with django_capture_on_commit_callbacks(execute=True):
        client_of("olga").post(reverse("ask-for-re-score"), {"task_set": stale.pk, "action": "re-score"})

    assert sent == [("runner.worker.tasks.rescore", (attempt,)) for attempt in attempts]
    assert AuditEvent.objects.get(action="ask for re-score").detail == {"attempts": 2}
    for _, (attempt,) in sent:
        tasks.rescore(attempt)
    assert "No score is stale" in queue_page()


def test_a_preview_of_fewer_attempts_than_are_stale_is_no_preview(stale: TaskSet, tmp_path: Path) -> None:
    record_preview(stale)
    attempt_at(stale, tmp_path / "rival", {"loss": 0.9}, RIVAL)
    import_tasks(stale, [replace(PET, gold={"loss": 0.1})])

    assert operating.read_operator_queue().stale[0].preview is None


def test_a_preview_of_a_set_that_is_gone_is_left_alone() -> None:
    tasks.preview(999)

    assert not AuditEvent.objects.exists()


def test_names_that_are_alike_are_merged_from_the_queue() -> None:
    report(masked(), "SWE-Agent", {"pet": 1.0})
    report(make_set(PET, slug="expert"), "swe agent", {"pet": 1.0})
    keep, merge = Agent.objects.order_by("name")
    assert f'name="merge" value="{merge.pk}"' in queue_page()

    page = client_of("olga").post(reverse("merge-agents"), {"keep": keep.pk, "merge": merge.pk}, follow=True)

    assert "1 entry was moved." in page.content.decode()
    assert list(Agent.objects.all()) == [keep]


def test_a_merge_that_can_not_be_is_refused_with_the_boards() -> None:
    for name in ("SWE-Agent", "swe agent"):
        report(masked(), name, {"pet": 1.0})
    keep, merge = Agent.objects.order_by("name")

    page = client_of("olga").post(reverse("merge-agents"), {"keep": keep.pk, "merge": merge.pk}, follow=True)

    assert "both have an entry on: SUPER Masked" in page.content.decode()
    assert Agent.objects.count() == 2


@pytest.mark.parametrize("value", ["", "x", "-1", "999", "9" * 30])
def test_nonsense_is_not_found(value: str) -> None:
    client = client_of("olga")

    assert client.post(reverse("merge-agents"), {"keep": value, "merge": value}).status_code == 404
    assert client.post(reverse("ask-for-re-score"), {"task_set": value}).status_code == 404


def test_the_audit_has_every_write_the_latest_first_and_those_of_one_entry() -> None:
    entry = publish(make_draft(masked(), {"pet": 1.0}), user=person("alice"))
    report(masked(), RIVAL, {"pet": 1.0})
    client = client_of("olga")

    everything = client.get(reverse("audit"))
    actions = [event.action for event in everything.context["events"].items]
    assert actions[0] == "added attempt"
    assert "publish entry" in actions
    assert "alice" in everything.content.decode()

    of_entry = client.get(reverse("audit"), {"entry": entry.slug})
    assert {event.entry for event in of_entry.context["events"].items} == {entry}
    assert "version: <bdi>1</bdi>" in of_entry.content.decode()
    assert client.get(reverse("audit"), {"entry": "nobody"}).status_code == 404


def test_the_audit_comes_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operating, "EVENTS_A_PAGE", 2)
    report(masked(), RIVAL, {"pet": 1.0, "cet": 1.0})
    client = client_of("olga")

    first, second = (client.get(reverse("audit"), {"page": page}) for page in (1, 2))

    pages = [page.context["events"] for page in (first, second)]
    assert len(pages[0].items) == 2
    assert pages[0].more
    assert {event.pk for event in pages[0].items}.isdisjoint(event.pk for event in pages[1].items)
    assert "page=2" in first.content.decode()
