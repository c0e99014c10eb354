"""Outputs that are no text: stored with their attempt, and served so that none can harm."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.selectors import task_spec
from leaderboard.core import blobs
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Attempt
from leaderboard.operating.rescoring import rescore_attempt
from leaderboard.pipeline import prepare
from leaderboard.scoring.super import SCORING
from tests.cast import MODEL, PET, SOLVER, make_set, stored_blobs
from tests.formats.samples import as_bytes, notebook, step_cells
from tests.pictures import in_base64, png
from tests.uploads.test_secrets import SECRET

pytestmark = pytest.mark.django_db


def display(**data: Any) -> dict[str, Any]:
    named = {name.replace("__", "/"): value for name, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": named}


@pytest.fixture
def attempt() -> Attempt:
    return record(display(image__png=in_base64(png(30, 20))), display(text__html=f"<b>{SECRET}</b>"))


def record(*outputs: dict[str, Any]) -> Attempt:
    document = notebook(step_cells(1))
    document["cells"][-1]["outputs"] = list(outputs)
    entry = ensure_entry(task_set=make_set(PET), agent=SOLVER, model=MODEL)
    task = entry.task_set.tasks.get()
    prepared = prepare(
        as_bytes(document), name="pet/history.ipynb", task=task_spec(task), scoring=SCORING, title="pet"
    )
    record_attempt(entry=entry, task=task, number=1, digest="d", prepared=prepared)
    return Attempt.objects.get()


def test_a_page_shows_an_image_by_its_own_address(client: Client, attempt: Attempt) -> None:
    address = reverse("media", args=(attempt.pk, 1, 1))
    page = client.get(attempt.get_absolute_url()).content.decode()
    assert f'<img src="{address}" width="30" height="20" loading="lazy"' in page

    image = client.get(address)
    assert image.getvalue() == png(30, 20)
    assert (image["Content-Type"], image["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert image["Content-Disposition"] == 'inline; filename="pet-Solver-gpt-4o.step-1.1.png"'
    assert image["Content-Length"] == str(len(png(30, 20)))
    assert client.get(address, headers={"If-None-Match": image["ETag"]}).status_code == 304


def test_anything_else_is_a_download(client: Client, attempt: Attempt) -> None:
    other = client.get(reverse("media", args=(attempt.pk, 1, 2)))
    assert other["Content-Type"] == "application/octet-stream"
    assert other["Content-Disposition"] == 'attachment; filename="pet-Solver-gpt-4o.step-1.2.html"'
    assert client.get(reverse("media", args=(attempt.pk, 1, 3))).status_code == 404
    assert client.get(reverse("media", args=(attempt.pk, 2, 1))).status_code == 404


def test_its_secrets_are_masked_and_counted(client: Client, attempt: Attempt) -> None:
    html = client.get(reverse("media", args=(attempt.pk, 1, 2))).getvalue().decode()
    assert html == f"<b>{'•' * len(SECRET)}</b>"
    assert attempt.secrets == 1
    (said,) = attempt.warning_texts
    assert said.startswith("pet/history.ipynb, step 1, HTML: this looks like a secret (GitHub token)")
    made = attempt.files.filter(kind__in=("html", "notebook"))
    assert not [file.kind for file in made if SECRET in blobs.read(file.blob).decode()]


def test_the_api_lists_and_gives_each(client: Client, attempt: Attempt) -> None:
    files = client.get(reverse("api:attempt", args=(attempt.pk,))).json()["files"]
    first, second = [file for file in files if file["kind"] == "media"]
    assert (first["step"], first["number"], first["name"]) == (1, 1, "pet-Solver-gpt-4o.step-1.1.png")
    assert client.get(first["url"]).getvalue() == png(30, 20)
    assert client.get(second["url"])["Content-Type"] == "application/octet-stream"


def test_scoring_anew_keeps_each(attempt: Attempt) -> None:
    def kept() -> list[tuple[int, str]]:
        return list(attempt.files.filter(kind="media").values_list("number", "blob"))

    before = kept()
    rescore_attempt(attempt)
    assert kept() == before
    assert {f"{blob}.zst" for _, blob in before} <= stored_blobs()


def test_a_hostile_number_of_images_leaves_a_page_that_opens(client: Client) -> None:
    attempt = record(*[display(image__png=in_base64(png()))] * 5_000)
    page = client.get(attempt.get_absolute_url()).content.decode()
    assert page.count('<figure class="media">') == 200
    assert "4,800 more outputs that are no text, not shown" in page
    assert attempt.files.filter(kind="media").count() == 200
