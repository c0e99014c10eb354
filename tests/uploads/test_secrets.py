"""Text that looks like a secret is masked on all pages; only its team and operators get the original."""

from __future__ import annotations

import zlib

import pytest
from django.urls import reverse

from leaderboard.core import blobs
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import Problem
from leaderboard.domain.masking import Masking
from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import Step, StepKind, Trajectory
from leaderboard.models import Attempt, AttemptFile, Entry, LandmarkOutcome
from tests.cast import PET, history, make_set, unanswered
from tests.people import client_of
from tests.uploads.cast import checked, packed

pytestmark = pytest.mark.django_db
# Assembled here, so that nothing in the repository looks like a secret.
SECRET = "ghp_" + "".join(f"{zlib.crc32(bytes([n])):08x}" for n in range(5))[:36]


@pytest.fixture
def attempt(db: None) -> Attempt:
    make_set(PET)
    observation = f"token {SECRET}\nepoch 1\nloss 0.5"
    run = history({"loss": 0.5, "key": SECRET}, observation=observation)
    run["history"][0]["thought"] = f"I use {SECRET}."
    run["query"] = f"Log in with {SECRET}."
    upload = checked(packed(**{"pet/history.json": run}))
    assert upload.summary["secrets"] == 5
    return Attempt.objects.get()


def test_a_warning_of_the_format_does_not_quote_it() -> None:
    oddity = Problem("a.json", "line 1", f"“{SECRET}” is odd")
    masking = Masking()
    (shown,) = masking.trajectory(Trajectory((), "some", warnings=(oddity,))).warnings
    assert (masking.secrets, SECRET in str(shown.as_data())) == (1, False)
    assert (shown.reason, shown.place) == (f"“{'•' * len(SECRET)}” is odd", "line 1")


def test_what_a_tool_tells_of_its_run_does_not_quote_it() -> None:
    step = Step(1, StepKind.EXECUTE, "execute", "x", agent=f"reader {SECRET}")
    told = Trajectory(
        (step,), "some", agent=SECRET, model=SECRET, patch=f"+key {SECRET}", rewards=((SECRET, [SECRET]),)
    )
    masking = Masking()
    shown = masking.trajectory(told)
    assert (masking.secrets, SECRET in str(shown)) == (6, False)


@pytest.mark.parametrize("name", ["attempt", "find"])
def test_no_page_shows_it(attempt: Attempt, name: str) -> None:
    shown = client_of("alice").get(reverse(name, args=(attempt.pk,)), {"q": SECRET}).content.decode()
    # What the reader looked for stands in the form, and in the page's own address.
    for own in (f'="{SECRET}"', f"“{SECRET}”", f"?q={SECRET}"):
        shown = shown.replace(own, "")
    assert SECRET not in shown


@pytest.mark.parametrize(
    "media",
    [
        Media("image/png", b"\x89PNG\r\n\x1a\n" + SECRET.encode() + b"\xff", width=1, height=1),
        Media("text/html", b"<p>\xff" + SECRET.encode()),
    ],
)
def test_an_output_that_is_no_text_is_dropped_with_it(media: Media) -> None:
    masking = Masking()
    made = Trajectory((Step(1, StepKind.EXECUTE, "execute", "x", media=(media,)),), "some")

    (shown,) = masking.trajectory(made).steps[0].media

    assert (shown.content, shown.is_shown, masking.secrets) == (b"", False, 1)
    assert shown.reason == "something in it looks like a secret"


def test_no_stored_html_or_text_for_pages_has_it(attempt: Attempt) -> None:
    kept = [attempt.html, attempt.query, attempt.answer, str(attempt.warnings)]
    kept += [f"{step.thought}{step.action}{step.observation}" for step in attempt.steps.all()]
    made = attempt.files.exclude(kind=AttemptFile.Kind.ORIGINAL)
    kept += [blobs.read(file.blob).decode() for file in made]
    assert len(kept) > 6
    assert not [text for text in kept if SECRET in text]
    assert "•" * len(SECRET) in kept[0]


def test_an_answer_beside_the_trajectory_is_unmasked_for_its_owners_only() -> None:
    make_set(PET)
    answers = {"task_id": "pet", "answer": {"loss": 0.5, "key": SECRET}}
    checked(packed(**{"pet/history.json": unanswered(), "answers.json": answers}))
    attempt = Attempt.objects.get()
    assert SECRET not in attempt.answer
    Entry.objects.update(state=EntryState.PUBLISHED)
    address = reverse("download", args=(attempt.pk, "answer"))
    assert client_of("alice").get(address).status_code == 200
    assert client_of("bob").get(address).status_code == 404


def test_landmark_matches_keep_their_positions(attempt: Attempt) -> None:
    (_step, ((start, end),), _more) = LandmarkOutcome.objects.get(number=1).hits[0]
    observation = attempt.steps.get(number=1).observation
    assert observation[start:end] == "epoch 1"


def test_an_answer_with_a_secret_is_scored_unmasked(attempt: Attempt) -> None:
    assert attempt.scores.get(scorer="super-strict", metric="accuracy").value == 1


def test_each_place_is_among_the_attempt_s_warnings(attempt: Attempt) -> None:
    assert attempt.secrets == 5
    assert len([each for each in attempt.warnings if "secret" in str(each)]) == 5


def test_the_page_says_that_the_original_is_withheld_why_and_what_to_do(attempt: Attempt) -> None:
    Entry.objects.update(state=EntryState.PUBLISHED)
    page = attempt.get_absolute_url()

    for_bob, for_alice = (
        " ".join(client_of(who).get(page).content.decode().split()) for who in ("bob", "alice")
    )

    assert (
        "the original is withheld, because something in it looks like a secret; its team can upload"
        in for_bob
    )
    assert "readers do not get the original, because something in it looks like a secret" in for_alice
    api = f"/api/v1/attempts/{attempt.pk}"
    assert client_of("bob").get(api).json()["withheld"] == ["original"]
    assert client_of("alice").get(api).json()["withheld"] == []
    refused = client_of("bob").get(f"{api}/files/original")
    assert (refused.status_code, "looks like a secret" in refused.json()["detail"]) == (404, True)


def test_the_parameter_of_a_public_link_withholds_nothing() -> None:
    make_set(PET)
    link = "https://www.sciencedirect.com/a/S1?casa_token=9VJi9ZHbwDYAAAAA%3AVgmUTd3TN7q9YTvoXyTO4gb1KApVX"
    checked(packed(**{"pet/history.json": history({"loss": 0.5}, observation=f"[paper]({link})")}))
    attempt = Attempt.objects.get()
    Entry.objects.update(state=EntryState.PUBLISHED)
    assert attempt.secrets == 0
    assert client_of("bob").get(reverse("download", args=(attempt.pk, "original"))).status_code == 200


@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("olga", 200), ("bob", 404), ("nobody", 404)])
def test_only_its_team_and_operators_get_the_original(attempt: Attempt, who: str, status: int) -> None:
    Entry.objects.update(state=EntryState.PUBLISHED)
    answer = client_of(who).get(reverse("download", args=(attempt.pk, "original")))
    assert answer.status_code == status
    if status == 200:
        assert SECRET in b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert client_of(who).get(reverse("download", args=(attempt.pk, "notebook"))).status_code == 200


def test_a_stranger_s_draft_with_the_same_file_takes_nothing_from_readers() -> None:
    make_set(PET)
    history_alone = packed(**{"pet/history.json": unanswered()})
    entry = checked(history_alone).entry
    Entry.objects.update(state=EntryState.PUBLISHED)
    answers = {"task_id": "pet", "answer": SECRET}
    checked(packed(**{"pet/history.json": unanswered(), "answers.json": answers}), who="bob")
    assert entry

    original = reverse("download", args=(entry.attempts.get().pk, "original"))

    assert client_of("nobody").get(original).status_code == 200
