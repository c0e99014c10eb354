"""What a file tells of its run beside the steps: stored, on the page, in the API."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.selectors import task_spec
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Attempt
from leaderboard.pipeline import Original, pack, prepare_sample
from leaderboard.scoring.super import SCORING
from tests.cast import MODEL, PET, SOLVER, make_set
from tests.rendering.helpers import XSS, step, trajectory

pytestmark = pytest.mark.django_db

PATCH = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-old\n+new\n"


def record(**told: Any) -> Attempt:
    from_agent = step("1", prompt_tokens=900, cached_tokens=400, response_tokens=50, reasoning_tokens=30)
    made = trajectory(from_agent, step("2", number=2, agent="reader <b>"))
    for name, value in told.items():
        object.__setattr__(made, name, value)
    entry = ensure_entry(task_set=make_set(PET), agent=SOLVER, model=MODEL)
    task = entry.task_set.tasks.get()
    file = cast("Any", SimpleNamespace(read=lambda sample: made, is_bundle=False))
    original = Original("pet/run.json", file, pack(b"{}"))
    prepared = prepare_sample(original, "", task=task_spec(task), scoring=SCORING, title="pet")
    record_attempt(entry=entry, task=task, number=1, digest="d", prepared=prepared)
    return Attempt.objects.get()


def page(client: Client, attempt: Attempt) -> str:
    return " ".join(client.get(attempt.get_absolute_url()).content.decode().split())


def test_a_page_shows_all_that_the_file_tells(client: Client) -> None:
    attempt = record(
        agent="terminus-2 2.0",
        model="anthropic/claude",
        prompt_tokens=3000,
        cached_tokens=1800,
        response_tokens=200,
        reasoning_tokens=120,
        elapsed=3600.0,
        rewards=(("verifier", 0.5), ("<i>", {"a": float("nan")})),
        patch=PATCH,
    )

    shown = page(client, attempt)

    assert "terminus-2 2.0, anthropic/claude" in shown
    assert '<span class="quiet">1,800 from a cache</span>' in shown
    assert '<span class="quiet">120 reasoning</span>' in shown
    assert "<dt>Wall time</dt> <dd> 1 h 0 min" in shown
    assert "<dt>verifier</dt> <dd>0.5 " in shown
    assert "&lt;i&gt;" in shown
    assert "<del>-old" in shown
    assert "<ins>+new" in shown
    assert "tokens: 900 sent (400 from a cache), 50 received (30 reasoning)" in shown
    assert '<span class="agent">reader &lt;b&gt;</span>' in shown


def test_the_api_has_it_too(client: Client) -> None:
    attempt = record(agent="a 1", model="m", cached_tokens=5, rewards=(("verifier", 1),), patch=PATCH)

    detail = client.get(f"/api/v1/attempts/{attempt.pk}").json()
    steps = client.get(f"/api/v1/attempts/{attempt.pk}/steps").json()["items"]

    assert (detail["named_agent"], detail["named_model"], detail["cached_tokens"]) == ("a 1", "m", 5)
    assert detail["rewards"] == [{"name": "verifier", "value": "1"}]
    assert detail["patch"] == PATCH
    assert [each["agent"] for each in steps] == ["", "reader <b>"]
    assert (steps[0]["cached_tokens"], steps[0]["reasoning_tokens"]) == (400, 30)


def test_hostile_words_stay_text(client: Client) -> None:
    shown = page(client, record(agent=XSS, model=XSS, rewards=((XSS, XSS),), patch=XSS + PATCH))

    assert "<script>alert" not in shown
    assert "<img src=x" not in shown


def test_words_without_an_end_are_cut_on_the_page(client: Client) -> None:
    attempt = record(agent="a" * 100_000, model="m" * 100_000, rewards=(("r" * 100_000, "v" * 100_000),))

    assert len(page(client, attempt)) < 60_000


def test_the_notebook_says_whose_a_step_is(client: Client) -> None:
    attempt = record()
    notebook = b"".join(client.get(reverse("download", args=(attempt.pk, "notebook"))))
    assert b"Step 2 \xc2\xb7 execute \xc2\xb7 reader" in notebook
