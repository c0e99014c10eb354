"""Downloads: their names, and what is filled in when they are served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from leaderboard.core import blobs
from leaderboard.domain.entries import EntryState
from leaderboard.entries.names import draft_slug
from leaderboard.models import Agent, Attempt, AttemptFile, Entry, Figure, Score, TaskSet
from leaderboard.pipeline import pack
from tests.cast import PET, attempt_at, make_set
from tests.entries.cast import team_of
from tests.people import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET)


@pytest.fixture
def attempt(task_set: TaskSet, tmp_path: Path) -> Attempt:
    return attempt_at(task_set, tmp_path / "run")


def download(client: Client, attempt: Attempt, kind: str) -> tuple[Any, bytes]:
    response = client.get(reverse("download", args=(attempt.pk, kind)))
    content: bytes = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert response["Content-Length"] == str(len(content))
    return response, content


def facts_of(notebook: bytes) -> str:
    text: str = json.loads(notebook)["cells"][0]["source"]
    return text


def test_a_page_and_a_notebook_say_where_they_are_from_the_scores_and_the_ending(
    client: Client, attempt: Attempt
) -> None:
    address = f"{settings.SUPERBOARD_URL.rstrip('/')}{attempt.get_absolute_url()}"

    page = download(client, attempt, "html")[1].decode()
    notebook = download(client, attempt, "notebook")[1]

    assert f'<a href="{address}">{address}</a>' in page
    assert '<tr><th scope="row">Accuracy</th><td>100.0</td><td>100.0</td></tr>' in page
    assert "Submitted an answer" in page
    nbformat.validate(nbformat.reads(notebook.decode(), as_version=4))  # type: ignore[no-untyped-call]
    text = facts_of(notebook)
    assert text.startswith(f"# pet · Solver · gpt-4o\n\nDownloaded from <{address}>\n")
    assert "| Accuracy | 100.0 | 100.0 |" in text
    assert text.endswith("Submitted an answer")


@pytest.mark.parametrize("kind", ["html", "notebook"])
def test_a_score_that_changes_later_is_in_the_next_download(
    kind: str, client: Client, attempt: Attempt
) -> None:
    before = download(client, attempt, kind)[1]
    tag = client.get(reverse("api:file", args=(attempt.pk, kind)))["ETag"]

    Score.objects.filter(attempt=attempt, metric="accuracy").update(value=0.25)

    after = download(client, attempt, kind)[1]
    assert after == before.replace(b"100.0", b"25.0", 2) != before
    again = client.get(reverse("api:file", args=(attempt.pk, kind)), headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert again.getvalue() == after


@pytest.mark.parametrize("kind", ["html", "notebook"])
def test_an_accuracy_that_a_drafts_page_withholds_is_in_no_download(
    kind: str, client: Client, attempt: Attempt
) -> None:
    Entry.objects.update(state=EntryState.DRAFT, team=team_of("alice"), slug=draft_slug())
    Figure.objects.all().delete()

    theirs = download(client_of("alice"), attempt, kind)[1]
    operators = download(client_of("olga"), attempt, kind)[1]

    assert (theirs.count(b"withheld"), operators.count(b"withheld")) == (2, 0)
    assert client.get(reverse("download", args=(attempt.pk, kind))).status_code == 404


def test_an_agent_that_writes_a_marker_gets_no_facts_into_its_text(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    attempt = attempt_at(task_set, tmp_path / "run", observation="<!--facts-->")

    cells = json.loads(download(client, attempt, "notebook")[1])["cells"]

    (output,) = next(cell for cell in cells if cell["id"] == "step-1")["outputs"]
    assert output["text"] == "<!--facts-->"
    assert "<!--facts-->" not in cells[0]["source"]


@pytest.mark.parametrize("size", [10, 500_000])
def test_a_file_without_a_marker_is_served_as_it_is(size: int, client: Client, attempt: Attempt) -> None:
    stored = pack(b"<p>made by an older release" + b"x" * size)
    blobs.store(stored)
    AttemptFile.objects.filter(attempt=attempt, kind="html").update(blob=stored.digest, size=stored.size)

    assert download(client, attempt, "html")[1] == blobs.read(stored.digest)


@pytest.mark.parametrize(
    ("original", "downloaded"),
    [
        ("history.json", "pet-Solver-gpt-4o.json"),
        ("run.traj.json", "pet-Solver-gpt-4o.traj.json"),
        ("history.ipynb", "pet-Solver-gpt-4o.original.ipynb"),
        ("logs.tar.gz", "pet-Solver-gpt-4o.tar.gz"),
        ("trajectory", "pet-Solver-gpt-4o"),
        ('a"b;\r\nSet-Cookie: x=1', "pet-Solver-gpt-4o"),
        ("../../etc/passwd", "pet-Solver-gpt-4o"),
    ],
)
def test_an_original_keeps_its_extension_under_a_name_that_says_what_it_is(
    original: str, downloaded: str, client: Client, attempt: Attempt
) -> None:
    AttemptFile.objects.filter(attempt=attempt, kind="original").update(name=original)

    response = download(client, attempt, "original")[0]

    assert response["Content-Disposition"] == f'attachment; filename="{downloaded}"'


@pytest.mark.parametrize(
    "name", ['a"b;\r\nSet-Cookie: x=1', "中文", "../../etc/passwd", "\u202e<b>|[x](y)", "…"]
)
def test_odd_names_of_agents_do_no_harm_in_headers_and_notebooks(
    name: str, client: Client, attempt: Attempt
) -> None:
    Agent.objects.update(name=name)

    response, notebook = download(client, attempt, "notebook")

    assert response["Content-Disposition"].startswith("attachment; filename")
    assert "Set-Cookie" not in response.headers
    assert not set("\r\n/\u202e") & set(response["Content-Disposition"])
    title = facts_of(notebook).partition("\n")[0]
    assert title.startswith("# pet · ")
    assert not set("<[|!\u202e") & set(title)
