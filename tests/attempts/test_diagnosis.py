"""Why an attempt failed: on its page and in the API, stored when it is recorded."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import Attempt, TaskSet
from tests.cast import LONG_ENOUGH, PET, add_attempt, attempt_at, bring_in, make_set

pytestmark = pytest.mark.django_db
MISSING = "ModuleNotFoundError: No module named 'apex<b>'"
SAID = "A module or program that is not installed, or not found, stopped it"


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET)


def stuck(task_set: TaskSet, run: Path, observation: str = MISSING) -> Attempt:
    """An attempt that runs into one error until it ends."""
    steps = [
        {"thought": "", "action": {"type": "execute", "content": f"!python train.py {n}"}, **LONG_ENOUGH}
        for n in range(4)
    ]
    told = {"query": PET.query, "history": [{**step, "observation": observation} for step in steps]}
    add_attempt(run, "pet", history=told)
    assert bring_in(run, task_set).problems == []
    return Attempt.objects.get()


def page(client: Client, attempt: Attempt) -> str:
    return client.get(reverse("attempt", args=(attempt.pk,))).content.decode()


def api(client: Client, attempt: Attempt) -> Any:
    return client.get(f"/api/v1/attempts/{attempt.pk}").json()


def test_its_page_says_why_it_failed_with_the_step_the_evidence_and_how_sure(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    shown = page(client, stuck(task_set, tmp_path))

    why = shown.partition("Why it failed")[2].partition("What the agent was asked")[0]
    assert SAID in why
    assert '<a href="#step-4">Step 4</a>' in why
    assert "No module named &#x27;apex&lt;b&gt;&#x27;" in why
    assert "missing module · high confidence" in " ".join(why.split())


def test_the_api_gives_findings_and_facts_with_steps_and_the_version(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    found = api(client, stuck(task_set, tmp_path))

    (finding,) = found["findings"]
    assert (finding["kind"], finding["first_step"], finding["last_step"]) == ("missing-module", 1, 4)
    assert (finding["evidence"], finding["evidence_step"], finding["confidence"]) == (MISSING, 4, "high")
    assert "last-error" in {fact["kind"] for fact in found["facts"]}
    assert found["diagnosis_version"]


def test_of_a_solved_attempt_nothing_is_said_but_facts(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    attempt = attempt_at(task_set, tmp_path, query="Use bert-base-uncased and report the loss.")
    assert attempt.finding == "misread-task"

    assert "Why it" not in page(client, attempt)
    assert (api(client, attempt)["findings"], bool(api(client, attempt)["facts"])) == ([], True)


def test_a_secret_in_an_error_is_masked(client: Client, task_set: TaskSet, tmp_path: Path) -> None:
    secret = "ghp_" + "".join(f"{zlib.crc32(bytes([n])):08x}" for n in range(5))[:36]
    attempt = stuck(task_set, tmp_path, f"KeyError: 'OPENAI_API_KEY={secret}'")

    assert "KeyError" in page(client, attempt)
    assert secret not in page(client, attempt)
    assert secret not in str(api(client, attempt))


def test_an_attempt_recorded_without_a_diagnosis_says_so(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    attempt = attempt_at(task_set, tmp_path, {"loss": 0.9})
    Attempt.objects.update(diagnosis={}, diagnosis_version="", finding="")

    assert "It has not been diagnosed yet." in page(client, attempt)
    assert api(client, attempt)["findings"] == []
