"""Rows of before sentences were plain text get the words that pages showed for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from leaderboard.models import (
    Attempt,
    AttemptStep,
    Entry,
    Job,
    JobStep,
    OutputPage,
    Run,
    Score,
    Team,
    Upload,
    UploadedFile,
    Worker,
)
from tests.databases import connected_to, copied, migrate, migrate_to_the_newest
from tests.search.test_index import check_index, found

KEPT: dict[type[Any], int] = {
    **{Attempt: 1, AttemptStep: 2, OutputPage: 1, Score: 1, Entry: 2, Team: 2, Upload: 1, UploadedFile: 1},
    **{Run: 1, Job: 1, JobStep: 1, Worker: 1},
}
"""How many rows there are in the end of what the last test puts into a database of the first release."""
BEFORE, AFTER = "0001_initial", "0002_plain_english"


@pytest.fixture(scope="module")
def first_release(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[str, Apps]]:
    """An empty database of the first release: in it every migration since has been undone, once for all."""
    with django_db_blocker.unblock(), copied("first") as name:
        with connected_to(name):
            apps = migrate(BEFORE)
        yield name, apps


@pytest.fixture
def before(transactional_db: None, first_release: tuple[str, Apps]) -> Iterator[Apps]:
    """The connection is to a copy of that database; these are its tables."""
    name, apps = first_release
    with connected_to(name), copied("case") as case, connected_to(case):
        yield apps


def table(apps: Apps, name: str) -> Any:
    return apps.get_model("leaderboard", name)


def make_attempt(apps: Apps, **fields: Any) -> Any:
    def make(table: str, **columns: Any) -> Any:
        return apps.get_model("leaderboard", table).objects.create(**columns)

    benchmark = make("Benchmark", slug="super", name="SUPER")
    task_set = make("TaskSet", benchmark=benchmark, slug="masked", name="Masked")
    task = make("Task", task_set=task_set, task_id="pet")
    agent = make("Agent", name="ReAct", model="m")
    entry = make("Entry", agent=agent, task_set=task_set, slug="react")
    return make("Attempt", entry=entry, task=task, number=1, **fields)


def test_a_sentence_becomes_what_a_page_said(before: Apps) -> None:
    attempt = make_attempt(before)
    stored: dict[str, Any] = {
        "accuracy": {
            "text": "landmark {numbers} timed out",
            "many": "landmarks {numbers} timed out",
            "values": {"n": 2, "numbers": "1, 2"},
        },
        "landmarks": {"text": "no {x} here: braces stand for themselves"},
        "script_executed": {"text": "{text}", "values": {"text": "100 % {of} it"}},
        "submitted": {},
    }
    scores = table(before, "Score").objects
    for metric, reason in stored.items():
        scores.create(attempt=attempt, scorer="reported", metric=metric, reason=reason)

    scores = table(migrate(AFTER), "Score").objects

    assert dict(scores.values_list("metric", "reason")) == {
        "accuracy": "landmarks 1, 2 timed out",
        "landmarks": "no {x} here: braces stand for themselves",
        "script_executed": "100 % {of} it",
        "submitted": "",
    }


def test_units_and_workers_say_why_as_before(before: Apps) -> None:
    attempt = make_attempt(before)
    now = timezone.now()
    run = table(before, "Run").objects.create(
        task_set=attempt.task.task_set, entry=attempt.entry, agent="react", sandbox="local"
    )
    why: Any = {"text": "so: {why}", "values": {"why": {"text": "{n} MB of disk", "values": {"n": 12000}}}}
    units = table(before, "Unit").objects
    units.create(run=run, task=attempt.task, queued=now, reason=why)
    table(before, "Worker").objects.create(name="w", seen=now, notice=why)

    after = migrate(AFTER)

    assert table(after, "Unit").objects.get().reason == "so: 12,000 MB of disk"
    assert table(after, "Worker").objects.get().notice == "so: 12,000 MB of disk"


def test_stored_problems_are_plain(before: Apps) -> None:
    stored = [
        {
            "severity": "error",
            "file": {"text": "the upload"},
            "place": "",
            "reason": {"text": "{n} file", "many": "{n} files", "values": {"n": 1200}},
            "remedy": {},
        }
    ]
    plain = [{"severity": "error", "file": "the upload", "reason": "1,200 files"}]
    make_attempt(before, warnings=stored)
    team = table(before, "Team").objects.create(name="Team", slug="team")
    uploads = table(before, "Upload").objects
    upload = uploads.create(team=team, name="a.zip", size=1, problems=stored)
    files = table(before, "UploadedFile").objects
    files.create(upload=upload, name="a.json", verdict="refused", problems=json.dumps(stored))

    after = migrate(AFTER)

    assert table(after, "Attempt").objects.get().warnings == plain
    assert table(after, "Upload").objects.get().problems == plain
    line = table(after, "UploadedFile").objects.get()
    assert json.loads(line.problems) == plain


def test_words_are_written_into_stored_html_and_addresses_stay_open(before: Apps) -> None:
    html = (
        '<a href="#step-1200"><!--t step 1200--></a><i><!--t kind-execute--></i>'
        '<a href="<!--t page-url 1200 output 2-->"><!--t hidden 1 20--></a>'
        '<a href="<!--t output-url 1200-->"><!--t whole-output 34.0--></a>&lt;!--t step 9--&gt;'
    )
    attempt = make_attempt(before, html=html)
    place = {"step": 1, "part": "output", "first_line": 1, "last_line": 1, "start": 0, "end": 1}
    pages = table(before, "OutputPage").objects
    for number in range(1, 260):
        pages.create(attempt=attempt, number=number, html="<!--t landmark--> 1", **place)

    after = migrate(AFTER)

    assert table(after, "Attempt").objects.get().html == (
        '<a href="#step-1200">Step 1,200</a><i>execute</i>'
        '<a href="<!--page-url 1200 output 2-->">1 line hidden, 20 characters</a>'
        '<a href="<!--output-url 1200-->">Whole output, 34.0 MB</a>&lt;!--t step 9--&gt;'
    )
    pages = table(after, "OutputPage").objects
    assert {page.html for page in pages.all()} == {"landmark 1"}


def test_units_with_their_takes_become_jobs_with_their_claims(before: Apps) -> None:
    attempt = make_attempt(before)
    run = table(before, "Run").objects.create(
        task_set=attempt.task.task_set, entry=attempt.entry, agent="react", sandbox="local"
    )
    unit = table(before, "Unit").objects.create(
        run=run, task=attempt.task, queued=timezone.now(), take=3, takes_left=1, attempt=attempt
    )
    table(before, "UnitStep").objects.create(unit=unit, take=2, number=7, html="<p>seven</p>")

    after = migrate("0003_jobs_and_claims")

    job = table(after, "Job").objects.get(pk=unit.pk)
    assert (job.claim_number, job.claims_left, job.attempt_id) == (3, 1, attempt.pk)
    step = job.steps.get()
    assert (step.claim_number, step.number, step.html) == (2, 7, "<p>seven</p>")


def test_names_get_keys_entries_what_was_said_of_their_agents_and_drafts_a_secret_address(
    before: Apps,
) -> None:
    entry = make_attempt(before).entry
    table(before, "Agent").objects.update(url="https://example.org/agent")
    drafted = table(before, "Entry").objects.create(
        agent=entry.agent, task_set=entry.task_set, slug="react-2", state="draft"
    )
    teams = table(before, "Team").objects
    for name in ("Lab", "L\N{CYRILLIC SMALL LETTER A}b"):
        teams.create(name=name, slug=str(len(name.encode())))

    after = migrate("0007_names")

    assert table(after, "Agent").objects.get().key == "react·rn"
    entries = table(after, "Entry").objects
    assert set(entries.values_list("agent_url", flat=True)) == {"https://example.org/agent"}
    assert entries.get(pk=entry.pk).slug == "react"
    moved = entries.get(pk=drafted.pk)
    assert (moved.slug[:6], moved.draft_slug) == ("draft-", "react-2")
    first, second = table(after, "Team").objects.order_by("pk")
    assert (first.key, second.key) == ("lab", f"lab {second.pk}")


def test_teams_with_entries_count_as_admitted_and_benchmarks_allow_ten_attempts(before: Apps) -> None:
    known, new = (table(before, "Team").objects.create(name=name, slug=name) for name in ("known", "new"))
    attempt = make_attempt(before)
    table(before, "Entry").objects.filter(pk=attempt.entry_id).update(team=known)

    after = migrate("0005_gold_budget")

    teams = table(after, "Team").objects
    assert (teams.get(pk=known.pk).admitted, teams.get(pk=new.pk).admitted) == (known.created, None)
    assert table(after, "Benchmark").objects.get().max_attempts == 10


def test_what_a_team_typed_as_a_source_becomes_its_own_words_and_imports_count_as_accepted(
    before: Apps,
) -> None:
    """`verified` is kept as `accepted`; a source that a team typed is shown beside no fact any more."""
    attempts = {"imported": make_attempt(before, answer="null", ending="submitted")}
    first = attempts["imported"].entry
    team = table(before, "Team").objects.create(name="Mallory", slug="mallory")
    typed = {"source": "verified by an operator", "source_url": "https://example.org/x", "state": "draft"}
    for slug, fields in {
        "typed": {"team": team, **typed},
        "uploaded": {"team": team, "source": "uploaded", "state": "draft"},
        "checked": {"team": team, "verified": timezone.now(), "verified_how": "Ran it.", "state": "draft"},
    }.items():
        table(before, "Entry").objects.create(
            agent=first.agent, task_set=first.task_set, slug=slug, **fields
        ).attempts.create(task=attempts["imported"].task, number=1)

    after = migrate("0004_evidence")

    entries = {entry.slug: entry for entry in table(after, "Entry").objects.all()}
    assert {slug: (entry.provenance, entry.evidence) for slug, entry in entries.items()} == {
        "react": ("imported", "accepted"),
        "typed": ("submitted", "self-reported"),
        "uploaded": ("submitted", "self-reported"),
        "checked": ("submitted", "accepted"),
    }
    assert (entries["react"].accepted_why, entries["checked"].accepted_why) == (
        "An operator imported it.",
        "Ran it.",
    )
    assert (entries["typed"].origin, entries["typed"].origin_url) == ("", "")
    assert entries["typed"].links == [{"label": "verified by an operator", "url": "https://example.org/x"}]
    assert (entries["uploaded"].notes, entries["uploaded"].links) == ("", [])
    assert table(after, "Attempt").objects.get(entry=entries["react"]).ending == "empty"


def test_figures_of_boards_get_their_rank_and_no_longer_count_what_is_only_reported(before: Apps) -> None:
    attempt = make_attempt(before, has_trajectory=True)
    table(before, "Task").objects.update(gold="1")
    for scorer, version, value in (("reported", "", 1.0), ("super-strict", "1", 0.25)):
        attempt.scores.create(scorer=scorer, version=version, metric="accuracy", value=value)
    shared = {"metric": "accuracy", "category": "", "attempted": 1.0, "scored": 1, "tasks": 1}
    for scorer in ("board", "reported"):
        table(before, "Figure").objects.create(
            entry=attempt.entry, scorer=scorer, source="reported", value=1.0, **shared
        )

    figures = table(migrate("0004_evidence"), "Figure").objects

    assert set(figures.values_list("scorer", "source", "version", "value", "ranked")) == {
        ("board", "super-strict", "1", 0.25, True),
        ("reported", "reported", "", 1.0, True),
    }


def test_figures_of_before_tell_their_attempts_and_what_these_used_and_back_again(before: Apps) -> None:
    make_attempt(before)
    apps = migrate("0013_suspicions_version")
    attempt = table(apps, "Attempt").objects.get()
    table(apps, "Attempt").objects.update(has_trajectory=True, cost=0.5, duration=60.0)
    for scorer, value in (("super-strict", 0.25), ("super-paper", None)):
        table(apps, "Score").objects.create(attempt=attempt, scorer=scorer, metric="submitted", value=value)
    shared = {"metric": "submitted", "category": "", "scored": 1, "tasks": 1, "entry": attempt.entry}
    for scorer, source in (("board", "mixed"), ("super-paper", "super-paper")):
        table(apps, "Figure").objects.create(scorer=scorer, source=source, value=0.25, **shared)

    for _again in range(2):
        figures = table(migrate("0014_scorings"), "Figure").objects
        on_board = figures.filter(scorer="board").exclude(value=None)
        assert set(on_board.values_list("metric", "source", "value", "attempts")) == {
            ("submitted", "mixed", 0.25, 1),
            ("cost", "recorded", 0.5, 1),
            ("execution_time", "recorded", 60.0, 1),
        }
        assert figures.get(scorer="super-paper", metric="submitted").attempts == 0
        assert migrate("0013_suspicions_version").get_model("leaderboard", "Figure").objects.count() == 2


def test_everything_of_the_first_release_is_carried_to_this_one_and_its_steps_are_found(before: Apps) -> None:
    problem = {"severity": "error", "file": {"text": "x"}, "place": "", "reason": {"text": "y"}, "remedy": {}}
    attempt = make_attempt(
        before, has_trajectory=True, warnings=[problem], html="<!--t step 12--> <!--page-url 12 output 2-->"
    )
    attempt.scores.create(scorer="reported", metric="accuracy", value=1.0, reason={"text": "so"})
    for number in range(1, 3):
        table(before, "AttemptStep").objects.create(
            attempt=attempt, number=number, kind="execute", observation="A zebra." * (number - 1)
        )
    shared = {"metric": "accuracy", "category": "", "attempted": 1.0, "scored": 1, "tasks": 1}
    table(before, "Figure").objects.create(
        entry=attempt.entry, scorer="board", source="reported", value=1.0, **shared
    )
    place = {"step": 1, "part": "output", "first_line": 1, "last_line": 1, "start": 0, "end": 1}
    table(before, "OutputPage").objects.create(attempt=attempt, number=1, html="<!--t landmark--> 1", **place)
    for name in ("Lab", "L\N{CYRILLIC SMALL LETTER A}b"):
        team = table(before, "Team").objects.create(name=name, slug=str(len(name.encode())))
    drafted = table(before, "Entry").objects.create(
        agent=attempt.entry.agent,
        task_set=attempt.entry.task_set,
        slug="react-2",
        state="draft",
        team=team,
        source="https://example.org/x",
    )
    upload = table(before, "Upload").objects.create(team=team, name="a.zip", size=1, problems=[problem])
    table(before, "UploadedFile").objects.create(
        upload=upload, name="a.json", verdict="refused", problems=json.dumps([problem])
    )
    run = table(before, "Run").objects.create(
        task_set=attempt.task.task_set, entry=drafted, agent="react", sandbox="local"
    )
    unit = table(before, "Unit").objects.create(
        run=run, task=attempt.task, queued=timezone.now(), take=3, takes_left=1, attempt=attempt
    )
    table(before, "UnitStep").objects.create(unit=unit, take=2, number=7, html="<p>seven</p>")
    table(before, "Worker").objects.create(name="w", seen=timezone.now(), notice={"text": "so"})

    migrate_to_the_newest()

    assert {model: model.objects.count() for model in KEPT} == KEPT
    assert Job.objects.get().attempt == Attempt.objects.get()
    assert found("zebra") == {2}
    check_index()
