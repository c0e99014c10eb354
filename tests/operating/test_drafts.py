"""Drafted tasks wait for an operator, who reads, edits, approves or rejects them."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from leaderboard.domain.drafts import Draft
from leaderboard.models import AuditEvent, Task, TaskDraft
from leaderboard.operating import drafts
from leaderboard.operating.drafts import LONGEST_REASON, hold_draft
from tests.cast import PET, make_set
from tests.operating.cast import hold
from tests.people import client_of

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture(autouse=True)
def _a_site() -> None:
    make_set(PET)


def page(draft: TaskDraft | None = None, query: str = "") -> str:
    address = draft.get_absolute_url() if draft else reverse("task-drafts")
    return client_of("olga").get(address + query).content.decode()


def press(draft: TaskDraft, action: str, **fields: Any) -> str:
    sent = {"action": action, "query": draft.query, "reason": "Ran it.", "version": draft.version, **fields}
    return client_of("olga").post(draft.get_absolute_url(), sent, follow=True).content.decode()


def test_the_list_has_what_waits_with_its_doubts(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    first, second = hold(), hold("python train.py --all")

    assert "2 to review" in client_of("olga").get(reverse("operate")).content.decode()
    listed = page()
    assert all(draft.get_absolute_url() in listed for draft in (first, second))

    press(first, "approve")

    assert first.get_absolute_url() not in page()
    decided = page(query="?decided=1")
    assert first.get_absolute_url() in decided
    assert "olga: Ran it." in decided
    assert second.get_absolute_url() not in decided


def test_a_draft_s_page_has_each_check_with_its_place() -> None:
    shown = page(hold())

    assert "GPU, doubt" in shown
    assert "train.py, line 1,234" in shown
    assert "apex is made for a GPU" in shown


def test_a_draft_gets_no_id_of_a_task_which_an_import_would_replace() -> None:
    Task.objects.update(task_id="pet-1")

    assert [hold().task_id, hold("python other.py").task_id] == ["pet-2", "pet-3"]


@pytest.mark.parametrize(("rival", "held"), [("python train.py", None), ("python other.py", "pet-2")])
def test_of_two_commands_at_once_each_command_is_held_once(
    monkeypatch: pytest.MonkeyPatch, rival: str, held: str | None
) -> None:
    free_id = drafts.free_id

    def another_is_faster(name: str) -> str:
        found = free_id(name)
        monkeypatch.setattr(drafts, "free_id", free_id)
        hold(rival)
        return found

    monkeypatch.setattr(drafts, "free_id", another_is_faster)
    kept = hold_draft(
        Draft("Train", "Train it.", "train.py", "python train.py"), [],
        repository="https://example.org/pet", commit="", name="pet", drafted_by="tiny",
    )  # fmt: skip

    assert (kept and kept.task_id) == held
    assert TaskDraft.objects.filter(command="python train.py").count() == 1


def test_what_a_stranger_wrote_is_text_on_the_pages() -> None:
    names = ("title", "query", "command", "dataset", "model", "entrypoint")
    draft = hold(**{name: f"{name} {HOSTILE}" for name in names}, landmarks=(HOSTILE,))

    for shown in (page(), page(draft)):
        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert(1)" in shown


@pytest.mark.parametrize(("action", "state"), [("approve", "approved"), ("reject", "rejected")])
def test_a_decision_is_stored_with_its_reason_and_in_the_audit(action: str, state: str) -> None:
    draft = hold()

    press(draft, action)

    decided = TaskDraft.objects.get()
    assert (decided.state, decided.why, decided.decided_by and decided.decided_by.username) == (
        state,
        "Ran it.",
        "olga",
    )
    event = AuditEvent.objects.get(action=f"{action} draft")
    assert (event.target, event.actor and event.actor.username, event.detail) == (
        "draft pet-1",
        "olga",
        {"why": "Ran it."},
    )


def test_a_decision_can_be_changed() -> None:
    draft = hold()
    press(draft, "approve")
    press(TaskDraft.objects.get(), "reject", reason="It needs a key after all.")

    assert (TaskDraft.objects.get().state, TaskDraft.objects.get().why) == (
        "rejected",
        "It needs a key after all.",
    )


def test_a_query_is_saved_without_a_decision() -> None:
    draft = hold()

    press(draft, "save", query="Train it\r\nfor 2 epochs.", reason="")

    saved = TaskDraft.objects.get()
    assert (saved.query, saved.state, saved.version) == ("Train it\nfor 2 epochs.", "held", 2)
    assert list(AuditEvent.objects.filter(action__endswith=" draft").values_list("action", flat=True)) == [
        "edit draft"
    ]


@pytest.mark.parametrize(
    ("action", "fields", "reason"),
    [
        ("approve", {"reason": " "}, "the reason is empty"),
        ("reject", {"reason": "x" * (LONGEST_REASON + 1)}, "at most 2000 characters"),
        ("approve", {"query": " "}, "This field is required"),
        ("publish", {}, "a draft has no such action"),
        ("approve", {"version": "7"}, "somebody else has changed it meanwhile"),
        ("approve", {"version": "9" * 30}, "Please look at"),
        ("approve", {"version": ""}, "Please look at"),
    ],
)
def test_what_is_refused_changes_nothing_and_keeps_what_was_typed(
    action: str, fields: dict[str, str], reason: str
) -> None:
    draft = hold()

    shown = press(draft, action, **{"query": "My own words.", **fields})

    assert reason in shown
    assert "My own words." in shown or "query" in fields
    assert (TaskDraft.objects.get().state, TaskDraft.objects.get().query) == ("held", draft.query)
