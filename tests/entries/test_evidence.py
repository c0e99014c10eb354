"""A rank needs evidence: trajectories for every attempt, or an operator who has accepted the entry."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from leaderboard.core.figures import refresh_figures
from leaderboard.domain.entries import EntryState, Evidence, Provenance, evidence_of
from leaderboard.entries.drafts import keep_attempts
from leaderboard.entries.editing import accept_entry, unaccept_entry
from leaderboard.entries.forms import EntryForm
from leaderboard.entries.services import publish_entry
from leaderboard.models import AuditEvent, Entry
from tests.cast import RIVAL, SOLVER, add_attempt, attempt_at, bring_in, history, metrics, report
from tests.entries.cast import make_draft, masked, page_of, published, record
from tests.people import NOBODY, client_of, person

pytestmark = pytest.mark.django_db
BOARD = "/b/super/masked/"
FORGED = "Forged"


@pytest.fixture
def forged() -> Entry:
    """Bob's entry with nothing but scores of 100, on a board where Solver has 50 and Rival 25."""
    report(masked(), RIVAL, {"pet": 0.25, "cet": 0.25, "dpt": 0.25})
    good = make_draft(masked(), {"pet": 0.5, "cet": 0.5, "dpt": 0.5}, agent=SOLVER, trajectories=True)
    publish_entry(good, user=None)
    claimed = {"pet": 1.0, "cet": 1.0, "dpt": 1.0}
    return publish_entry(make_draft(masked(), claimed, agent=FORGED, owner="bob"), user=None)


def rows(address: str = BOARD + "data.json", **query: str) -> list[tuple[int | None, str]]:
    found = client_of(NOBODY).get(address, query).json()
    return [(row["rank"], row["agent"]) for row in found.get("entries") or found["items"]]


@pytest.mark.parametrize(
    ("attempts", "without", "accepted", "evidence"),
    [
        (3, 0, False, Evidence.TRAJECTORIES),
        (3, 0, True, Evidence.TRAJECTORIES),
        (3, 1, True, Evidence.ACCEPTED),
        (3, 1, False, Evidence.SELF_REPORTED),
        (0, 0, False, Evidence.SELF_REPORTED),
    ],
)
def test_one_attempt_without_a_trajectory_takes_the_rank_unless_an_operator_accepts(
    attempts: int, without: int, accepted: bool, evidence: Evidence
) -> None:
    assert evidence_of(attempts=attempts, without_trajectory=without, accepted=accepted) == evidence


@pytest.mark.usefixtures("forged")
def test_what_is_only_claimed_has_no_rank_and_stands_below_however_high_it_is() -> None:
    assert rows() == [(1, SOLVER), (2, RIVAL), (None, FORGED)]
    assert rows("/api/v1/benchmarks/super/masked/board") == rows()
    for column in ("accuracy", "landmarks", "accuracy:cpu", "agent", "model", "coverage"):
        for sort in (column, f"-{column}"):
            assert rows(sort=sort)[-1] == (None, FORGED), sort


@pytest.mark.usefixtures("forged")
def test_the_page_says_that_it_is_not_ranked_and_no_chart_has_it() -> None:
    page = client_of(NOBODY).get(BOARD).content.decode()

    assert page.index(RIVAL) < page.index('id="self-reported"') < page.index(FORGED)
    assert FORGED not in page.partition('class="charts"')[2]
    charts = client_of(NOBODY).get(reverse("board-charts", args=("super", "masked"))).json()
    assert SOLVER in str(charts)
    assert FORGED not in str(charts)


@pytest.mark.usefixtures("forged")
@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        ("ranked", [(1, SOLVER), (2, RIVAL)]),
        ("trajectories", [(1, SOLVER)]),
        ("accepted", [(2, RIVAL)]),
        ("self-reported", [(None, FORGED)]),
    ],
)
def test_evidence_is_a_filter_that_address_and_page_state(
    evidence: str, found: list[tuple[int | None, str]]
) -> None:
    assert rows(evidence=evidence) == found
    assert (
        "Only entries with this evidence"
        in client_of(NOBODY).get(BOARD, {"evidence": evidence}).content.decode()
    )


@pytest.mark.usefixtures("forged")
def test_among_reported_scores_only_accepted_entries_are_ranked() -> None:
    """A trajectory says nothing about what was reported beside it."""
    assert rows(scorer="reported") == [(1, RIVAL), (None, FORGED), (None, SOLVER)]
    assert rows(scorer="reported", evidence="ranked") == [(1, RIVAL)]
    assert rows(scorer="reported", sort="agent", evidence="self-reported") == [(None, FORGED), (None, SOLVER)]


@pytest.mark.usefixtures("forged")
def test_csv_and_json_say_what_supports_a_row_and_who_scored_each_figure() -> None:
    lines = csv.DictReader(io.StringIO(client_of(NOBODY).get(BOARD + "data.csv").content.decode()))
    columns = ("agent", "evidence", "source", "accuracy source", "accuracy kind")
    assert [tuple(row[column] for column in columns) for row in lines] == [
        (SOLVER, "trajectories", "submitted by the team “alice”", "super-strict 1", "computed"),
        (RIVAL, "accepted", "imported by an operator", "reported", "reported"),
        (FORGED, "self-reported", "submitted by the team “bob”", "reported", "reported"),
    ]
    first = client_of(NOBODY).get(BOARD + "data.json").json()["entries"][0]
    figure = first["figures"]["accuracy"]
    assert (first["provenance"], first["evidence"]) == ("submitted", "trajectories")
    assert (figure["source"], figure["version"], figure["evidence"]) == ("super-strict", "1", "trajectories")


def test_a_task_shows_what_is_only_claimed_last_and_leaves_it_out_of_the_mean(forged: Entry) -> None:
    page = client_of(NOBODY).get(BOARD + "t/pet/").content.decode()
    assert page.index(RIVAL) < page.index(SOLVER) < page.index(FORGED) < page.index("self-reported")

    listed = client_of(NOBODY).get(reverse("tasks", args=("super", "masked"))).context["listed"].tasks
    assert next(task for task in listed if task.task_id == "pet").mean_score == 0.5


def test_an_operator_accepts_and_takes_back_and_everybody_reads_who_when_and_why(forged: Entry) -> None:
    entry = accept_entry(forged, user=person("olga"), why="Ran it again.")

    assert rows()[0] == (1, FORGED)
    assert "olga, " in page_of(entry)
    assert "Ran it again." in page_of(entry)
    told = client_of(NOBODY).get(f"/api/v1/entries/{entry.slug}").json()
    assert (told["evidence"], told["accepted"]["by"], told["accepted"]["why"]) == (
        "accepted",
        "olga",
        "Ran it again.",
    )
    assert unaccept_entry(entry, user=person("olga")).evidence == Evidence.SELF_REPORTED
    assert rows()[-1] == (None, FORGED)
    events = AuditEvent.objects.filter(action__in=("accept entry", "unaccept entry")).order_by("pk")
    assert [(event.action, event.actor) for event in events] == [
        ("accept entry", person("olga")),
        ("unaccept entry", person("olga")),
    ]


def test_programs_accept_and_take_back(forged: Entry) -> None:
    address = f"/api/v1/entries/{forged.slug}"

    accepted = client_of("olga").post(
        f"{address}/accept", {"why": "Ran it again."}, content_type="application/json"
    )
    assert accepted.json()["evidence"] == "accepted"
    assert client_of("olga").post(f"{address}/unaccept").json()["accepted"] is None


def test_evidence_follows_every_attempt_that_comes_and_goes() -> None:
    draft = make_draft(masked(), {"pet": 1.0, "cet": 1.0}, trajectories=True)
    assert draft.evidence == Evidence.TRAJECTORIES

    record(draft, {"dpt": 1.0})
    draft.refresh_from_db()
    assert draft.evidence == Evidence.SELF_REPORTED

    keep_attempts(draft, {("pet", 1), ("cet", 1)})
    refresh_figures(draft.task_set, [draft])
    draft.refresh_from_db()
    assert draft.evidence == Evidence.TRAJECTORIES


def test_a_draft_is_told_that_it_would_have_no_rank_and_what_to_do() -> None:
    draft = make_draft(masked(), {"pet": 1.0, "cet": 1.0})

    page = " ".join(page_of(draft, "alice").split())

    assert "It would have no rank: 2 attempts have no trajectory" in page
    preview = client_of("alice").get(f"/api/v1/entries/{draft.slug}/preview").json()
    assert {metric["rank"] for metric in preview["metrics"]} == {None}
    assert preview["evidence"] == "self-reported"


def test_a_trajectory_from_a_run_here_needs_no_step() -> None:
    draft = make_draft(masked(), {"pet": 0.0})
    Entry.objects.filter(pk=draft.pk).update(provenance=Provenance.RUN_HERE)

    refresh_figures(draft.task_set, [draft])

    assert Entry.objects.get(pk=draft.pk).evidence == Evidence.TRAJECTORIES


def test_an_import_counts_as_accepted_and_says_where_it_is_from_and_when_it_was_imported(
    tmp_path: Path,
) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1.0, 1.0, 1.0, 1))
    bring_in(tmp_path, masked(), origin="the paper's release")

    entry = Entry.objects.get()
    assert (entry.evidence, entry.accepted_by, entry.is_ranked) == (Evidence.ACCEPTED, None, True)
    page = page_of(entry)
    assert "imported by an operator from the paper&#x27;s release" in page
    assert "imported on" in page
    assert "published" not in page.partition('class="facts"')[2].partition("</header>")[0]
    told = client_of(NOBODY).get(f"/api/v1/entries/{entry.slug}").json()
    assert (told["published"], told["imported"] is None) == (None, False)


def test_an_import_without_a_source_names_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "react-masked"
    attempt_at(masked(), folder)

    assert Entry.objects.get().source == "imported by an operator from react-masked"


def test_what_an_operator_took_back_is_not_accepted_by_importing_it_again(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1.0, 1.0, 1.0, 1))
    bring_in(tmp_path, masked())
    unaccept_entry(Entry.objects.get(), user=None)

    bring_in(tmp_path, masked())

    assert Entry.objects.get().evidence == Evidence.SELF_REPORTED


def test_an_import_into_a_teams_entry_does_not_accept_what_the_team_claims(tmp_path: Path) -> None:
    entry = published()
    add_attempt(tmp_path, "cet", history=history({"f1": 0.25}))
    bring_in(tmp_path, entry.task_set)

    entry.refresh_from_db()
    assert entry.attempts.count() == 2
    assert (entry.provenance, entry.evidence) == (Provenance.SUBMITTED, Evidence.SELF_REPORTED)


def test_nothing_that_a_team_writes_is_shown_as_where_its_entry_is_from() -> None:
    draft = make_draft(masked(), {"pet": 1.0}, trajectories=True)

    assert not {"source", "source_url", "origin", "provenance"} & EntryForm(entry=draft).fields.keys()
    Entry.objects.filter(pk=draft.pk).update(notes="run here", state=EntryState.PUBLISHED)
    page = page_of(Entry.objects.get())
    assert "submitted by the team “alice”" in page
    assert page.partition('class="facts"')[2].partition("</p>")[0].count("run here") == 0


@pytest.mark.parametrize("answer", [None, "", "  ", [], {}])
def test_a_null_or_empty_answer_is_not_said_to_be_an_answer(answer: Any, tmp_path: Path) -> None:
    told = history(answer)
    told["history"][-1]["action"]["content"] = answer
    add_attempt(tmp_path, "pet", history=told)
    bring_in(tmp_path, masked())

    page = page_of(Entry.objects.get())
    assert "Submitted no answer" in page
    assert "Submitted an answer" not in page


def test_dates_of_evaluation_release_and_publication_are_told_apart() -> None:
    entry = published()
    Entry.objects.update(evaluated="2026-05-31", released="2026-04-01")

    page = page_of(entry)
    for words in ("published ", "attempts made on May 31, 2026", "agent released on April 1, 2026"):
        assert words in page
    told = client_of(NOBODY).get(f"/api/v1/entries/{entry.slug}").json()
    assert (told["evaluated"], told["released"]) == ("2026-05-31", "2026-04-01")
    assert told["imported"] is None
    row = client_of(NOBODY).get(BOARD + "data.json").json()["entries"][0]
    assert (row["evaluated"], row["released"]) == ("2026-05-31", "2026-04-01")
    assert row["published"] is not None
