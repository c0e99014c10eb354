"""Suspicions: stored when an attempt is recorded, seen and judged by operators, and by nobody else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.attempts import services
from leaderboard.attempts.services import record_attempt, rewrite_scores
from leaderboard.catalogue.selectors import task_spec
from leaderboard.domain.suspicions import VERSION
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Attempt, AttemptSuspicions, AuditEvent, Benchmark, Entry
from leaderboard.operating import rescoring
from leaderboard.pipeline import prepare
from leaderboard.scoring.super import SCORING
from tests.access.crawl import STARTS, crawl
from tests.cast import CET, PET, attempt_at, history, make_set
from tests.formats.samples import as_bytes
from tests.people import client_of
from tests.uploads.cast import checked, described, packed

pytestmark = pytest.mark.django_db
SUSPICIONS = re.compile(r'<section class="suspicions".*?</section>', re.DOTALL)
TELLING = TaskSpec(task_id="tell", gold={"f1": 0.617461}, landmarks=("epoch",))
COPIED = history({"f1": 0.617461}, observation="epoch 1")
WORKED_OUT = history({"f1": 0.617461}, observation="epoch 1, f1 0.617461")


@pytest.fixture
def attempt(settings: Settings, tmp_path: Path) -> Attempt:
    """Of a draft of Alice's, which has the gold answer from nowhere."""
    settings.SUPERBOARD_UPLOADS, settings.SUPERBOARD_MIN_FREE_DISK_MB = tmp_path / "uploads", 0
    settings.SUPERBOARD_UPLOADS.mkdir()
    make_set(PET, CET, TELLING)
    entry = checked(packed(**{"tell/history.json": COPIED}), form=described(agent="Copier")).entry
    assert entry
    return entry.attempts.get()


def record(attempt: Attempt, document: Any, digest: str) -> None:
    prepared = prepare(
        as_bytes(document), name="history.json", task=task_spec(attempt.task), scoring=SCORING, title="tell"
    )
    record_attempt(
        entry=attempt.entry, task=attempt.task, number=attempt.number, digest=digest, prepared=prepared
    )


def judge(attempt: Attempt, action: str, reason: str = "Looked at it.", who: str = "olga") -> str:
    """Press a button of the attempt's page, and what comes then."""
    return press(attempt, seen(attempt), action, reason, who)


def seen(attempt: Attempt) -> str:
    """The suspicions that an operator's page of the attempt is about."""
    page = client_of("olga").get(attempt.get_absolute_url()).content.decode()
    (shown,) = re.findall(r'name="suspicions" value="(\d+)"', page)
    return str(shown)


def press(attempt: Attempt, shown: str, action: str, reason: str = "Looked.", who: str = "olga") -> str:
    address = reverse("judge-attempt", args=(attempt.pk,))
    sent = {"action": action, "reason": reason, "suspicions": shown}
    return client_of(who).post(address, sent, follow=True).content.decode()


def test_they_are_stored_with_their_version_when_an_attempt_is_recorded(attempt: Attempt) -> None:
    stored = AttemptSuspicions.objects.get()

    assert (stored.attempt, stored.verdict) == (attempt, "")
    assert Attempt.objects.get().suspicions_version == VERSION
    assert [(each.kind, each.step) for each in stored.reasons] == [("gold", 2)]


def test_an_attempt_that_worked_it_out_has_none(attempt: Attempt) -> None:
    record(attempt, WORKED_OUT, "another digest")

    assert not AttemptSuspicions.objects.exists()


def test_a_benchmark_says_what_its_own_data_is(attempt: Attempt) -> None:
    Benchmark.objects.update(sources=["allenai/super"])
    attempt.refresh_from_db()
    reading = history(1, observation="epoch 1")
    reading["history"][0]["action"]["content"] = "load_dataset('allenai/super')"

    record(Attempt.objects.get(), reading, "another digest")

    (found,) = AttemptSuspicions.objects.get().reasons
    assert (found.kind, found.step, found.source) == ("benchmark", 1, "allenai/super")


def test_a_verdict_stays_while_the_suspicions_do(attempt: Attempt) -> None:
    judge(attempt, "dismiss", "It prints it in a figure.")
    prepared = prepare(
        as_bytes(COPIED), name="history.json", task=task_spec(attempt.task), scoring=SCORING, title="tell"
    )

    rewrite_scores(Attempt.objects.get(), prepared)
    assert AttemptSuspicions.objects.get().verdict == "dismissed"

    twice = {**COPIED, "history": [COPIED["history"][0], *COPIED["history"]]}
    record(Attempt.objects.get(), twice, "another digest")
    assert AttemptSuspicions.objects.get().verdict == ""


def test_a_verdict_stays_when_a_later_version_finds_the_same(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(attempt, "dismiss", "It prints it in a figure.")
    for module in (services, rescoring):
        monkeypatch.setattr(module, "SUSPICIONS_VERSION", "later")
    assert list(rescoring.stale_attempts()) == [attempt]

    rescoring.rescore_attempt(Attempt.objects.get())

    assert AttemptSuspicions.objects.get().verdict == "dismissed"
    assert (Attempt.objects.get().suspicions_version, list(rescoring.stale_attempts())) == ("later", [])


def test_an_attempt_without_suspicions_is_looked_at_again_by_later_rules(tmp_path: Path) -> None:
    blameless = attempt_at(make_set(PET), tmp_path)
    assert not rescoring.stale_attempts()

    Attempt.objects.update(suspicions_version="earlier")

    assert list(rescoring.stale_attempts()) == [blameless]


def test_suspicions_that_an_operator_never_saw_are_not_judged(attempt: Attempt) -> None:
    shown = seen(attempt)
    twice = {**COPIED, "history": [COPIED["history"][0], *COPIED["history"]]}
    record(Attempt.objects.get(), twice, "another digest")

    for sent in (shown, "", "x"):
        assert "they are not those that you saw" in press(attempt, sent, "confirm")
    assert AttemptSuspicions.objects.get().verdict == ""

    shown = seen(attempt)
    record(Attempt.objects.get(), WORKED_OUT, "a third digest")
    assert "they are not those that you saw" in press(attempt, shown, "confirm")
    assert not AuditEvent.objects.filter(action="confirm suspicions").exists()


def test_operators_see_them_on_the_attempt_in_a_list_and_at_the_entry(attempt: Attempt) -> None:
    olga = client_of("olga")
    step, text = f'href="/a/{attempt.pk}/#step-2"', "The answer has a value of the gold answer"
    leads = f'href="{reverse("suspected")}'

    for address in (attempt.get_absolute_url(), reverse("suspected")):
        page = olga.get(address).content.decode()
        assert step in page
        assert text in page
        assert all("0.617" not in section for section in SUSPICIONS.findall(page))
    assert leads in olga.get(reverse("operate")).content.decode()
    assert "1 without a verdict" in olga.get(reverse("operate")).content.decode()
    assert (
        f"{leads}?entry={attempt.entry.slug}" in olga.get(attempt.entry.get_absolute_url()).content.decode()
    )
    assert text not in olga.get(reverse("suspected"), {"decided": 1}).content.decode()

    Entry.objects.update(state="superseded")
    assert "· replaced by a newer version" in olga.get(reverse("suspected")).content.decode()


@pytest.mark.parametrize("who", ["alice", "nobody", "bob"])
def test_nobody_else_reaches_a_word_of_them(who: str, attempt: Attempt) -> None:
    starts = [*STARTS, attempt.get_absolute_url(), attempt.entry.get_absolute_url(), f"/a/{attempt.pk}/?vs="]
    starts.append(f"/api/v1/attempts/{attempt.pk}")

    found = crawl(client_of(who), starts)

    assert (who == "alice") == (found[attempt.get_absolute_url()].status == 200)
    for address, answer in found.items():
        if not address.startswith("/docs/"):
            assert "suspic" not in answer.text.casefold(), address
            assert "suspected" not in answer.text, address


def test_an_operator_judges_with_a_reason_and_the_audit_has_it(attempt: Attempt) -> None:
    olga = client_of("olga")
    assert "the reason is empty" in judge(attempt, "confirm", "")
    assert AttemptSuspicions.objects.get().verdict == ""

    page = judge(attempt, "confirm", "It never ran.")

    stored = AttemptSuspicions.objects.get()
    assert stored.decided_by
    assert (stored.verdict, stored.why, stored.decided_by.username) == ("confirmed", "It never ran.", "olga")
    event = AuditEvent.objects.get(action="confirm suspicions")
    assert (event.entry, event.detail) == (attempt.entry, {"why": "It never ran."})
    assert "It never ran." in page
    assert "It never ran." in olga.get(reverse("suspected"), {"decided": 1}).content.decode()
    assert "0 without a verdict" in olga.get(reverse("operate")).content.decode()
    assert "suspected attempt" not in olga.get(attempt.entry.get_absolute_url()).content.decode()
    assert "No attempt is without a verdict." in olga.get(reverse("suspected")).content.decode()

    judge(attempt, "reopen")
    assert AttemptSuspicions.objects.get().verdict == ""
    assert "a suspicion has no such action" in judge(attempt, "nonsense")


def test_they_cost_an_operators_page_no_query(
    attempt: Attempt, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    olga = client_of("olga")

    with django_assert_max_num_queries(8):
        assert "Suspicions" in olga.get(attempt.get_absolute_url()).content.decode()
    with django_assert_max_num_queries(4):
        olga.get(reverse("suspected"))
