"""What readers without an account see has a revision: each committed write of it moves it, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from leaderboard.accounts.services import delete_account
from leaderboard.accounts.teams import rename_team
from leaderboard.attempts.services import record_attempt
from leaderboard.core.figures import refresh_figures
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.editing import accept_entry, edit_entry, unaccept_entry
from leaderboard.entries.names import merge_agents
from leaderboard.entries.services import discard_draft, hide_entry, show_entry, withdraw_entry
from leaderboard.models import Agent, Attempt, Benchmark, Entry, Job, Revision, Task
from leaderboard.models.revisions import WATCHED, current_revision, start_revisions, stop_revisions
from leaderboard.operating.rescoring import preview_rescore, rescore_attempt
from leaderboard.runs.claims import note_step, note_worker, renew_lease
from leaderboard.runs.services import publish_run, set_run_public
from tests.cast import NOVICE, PET, SOLVER, attempt_at, make_set, report
from tests.entries.cast import make_draft, masked, publish
from tests.people import client_of, person
from tests.runs.cast import claim, finish, make_run
from tests.uploads.cast import start

pytestmark = pytest.mark.django_db
READ = re.compile(r'(?:FROM|JOIN) "(\w+)"')


@pytest.fixture(autouse=True)
def _uploads(settings: Settings, tmp_path: Path) -> None:
    settings.SUPERBOARD_UPLOADS, settings.SUPERBOARD_MIN_FREE_DISK_MB = tmp_path / "uploads", 0
    settings.SUPERBOARD_UPLOADS.mkdir()


@pytest.fixture
def kept(settings: Settings, tmp_path: Path) -> None:
    settings.VAR, settings.SUPERBOARD_PAGE_CACHE_MB = tmp_path / "var", 8


@contextmanager
def moves(expected: bool = True) -> Iterator[None]:
    before = current_revision()
    assert before is not None
    yield
    assert (current_revision() != before) is expected


def read(client: Client, address: str) -> tuple[int, bytes]:
    response = client.get(address)
    return response.status_code, response.content


def shows(write: Callable[[], object], *addresses: str) -> None:
    """The write is on each of these pages, which are those that are made without kept ones."""
    reader = Client()
    before = {address: read(reader, address) for address in addresses}
    write()
    for address in addresses:
        now = read(reader, address)
        assert now != before[address], address
        # What names a caller is never answered from kept pages.
        assert read(Client(headers={"Authorization": "none"}), address) == now


@pytest.mark.usefixtures("kept")
def test_what_a_service_writes_is_on_the_next_page_that_is_asked_for(tmp_path: Path) -> None:
    """Each write is followed by the pages that it changes; they are those that are made without kept ones."""
    task_set = masked()
    alice, olga = person("alice"), person("olga")
    draft = make_draft(task_set, {"pet": 0.25}, agent=NOVICE)
    report(task_set, SOLVER, {"cet": 0.5})
    task: Task = task_set.tasks.get(task_id="pet")
    board, tasks = task_set.get_absolute_url(), f"{task_set.get_absolute_url()}t/"
    data, page = f"{board}data.csv", draft.get_absolute_url

    def record(number: int) -> None:
        record_attempt(entry=draft, task=task, number=number, reported={"accuracy": 1.0})

    shows(lambda: publish(draft, user=alice), board, data, tasks, task.get_absolute_url())
    draft.refresh_from_db()
    attempt = draft.attempts.get()
    shows(lambda: record(2), page(), task.get_absolute_url(), tasks)
    shows(lambda: refresh_figures(task_set, [draft]), page(), board, data)
    shows(lambda: edit_entry(draft, user=alice, notes="Noted."), page())
    shows(lambda: accept_entry(draft, user=olga, why="I ran it."), page(), board)
    shows(lambda: unaccept_entry(draft, user=olga), page(), board)
    assert draft.team
    shows(lambda: rename_team(draft.team, name="Lab", user=alice), page(), data)  # type: ignore[arg-type]
    shows(lambda: attempt_at(task_set, tmp_path / "run"), board, task.get_absolute_url())
    solved = Attempt.objects.get(entry__agent__name=SOLVER, task=task)
    shows(lambda: make_set(TaskSpec("new"), PET), board, tasks)
    its_page = f"/a/{solved.pk}/"
    shows(lambda: Attempt.objects.filter(pk=solved.pk).update(diagnosis={}, ending="unknown"), its_page)
    shows(lambda: rescore_attempt(Attempt.objects.get(pk=solved.pk)), its_page)
    other = make_set(PET, slug="expert")
    same = Agent.objects.get(name=report(other, "solver", {"pet": 1.0}).agent.name)
    shows(
        lambda: merge_agents(keep=Agent.objects.get(name=SOLVER), merge=same, user=olga),
        other.get_absolute_url(),
    )
    shows(lambda: hide_entry(draft, user=olga, reason="Copied."), page(), f"/a/{attempt.pk}/", board)
    shows(lambda: show_entry(draft, user=olga), page(), f"/a/{attempt.pk}/", board)
    shows(lambda: delete_account(alice), page())
    shows(lambda: withdraw_entry(draft, user=None, reason="A bug."), page(), f"/a/{attempt.pk}/", board)
    run = make_run(task_set=task_set, tasks=[task], scaffold="Run")
    finish(claim())
    shows(lambda: publish_run(run, user=olga), board, data)
    run.entry.refresh_from_db()
    shows(lambda: Job.objects.filter(run=run).update(state="failed"), run.entry.get_absolute_url())


def test_what_readers_do_not_see_moves_nothing() -> None:
    task_set = masked()
    report(task_set, NOVICE, {"pet": 1.0})
    people = {name: person(name) for name in ("alice", "olga")}
    with moves(False):
        draft = make_draft(task_set, {"pet": 1.0, "cet": 0.5})
        edit_entry(draft, user=people["alice"], name="Resolver", notes="Mine.")
        Attempt.objects.filter(entry=draft).update(diagnosis={})
        discard_draft(draft, user=people["alice"])
        run = make_run(task_set=task_set)
        set_run_public(run, True)
        held = claim()
        renew_lease(held)
        note_step(held, number=1, html="<p>", landmarks=[], used={})
        note_worker("here")
        finish(held)
        start(b"an upload")
        create_token(user=people["alice"], name="t", scopes=[Scope.READ], expires=None)
        client_of("alice").get("/account/")
        people["olga"].last_login = timezone.now() - timedelta(days=1)
        people["olga"].save()


def test_a_write_that_is_rolled_back_moves_nothing(tmp_path: Path) -> None:
    attempt = attempt_at(masked(), tmp_path / "run")
    with moves(False):
        preview_rescore(attempt.task.task_set, [attempt])
    with moves(False), transaction.atomic():
        Benchmark.objects.update(name="Other")
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    "write",
    [
        lambda: Entry.objects.update(notes="x"),
        lambda: Attempt.objects.all().delete(),
        lambda: Benchmark.objects.bulk_create([Benchmark(slug="x", name="X")]),
        lambda: connection.cursor().execute("DELETE FROM leaderboard_figure"),
        lambda: connection.cursor().execute("UPDATE leaderboard_score SET value = 0"),
    ],
)
def test_no_way_to_write_gets_past_it(write: Callable[[], Any]) -> None:
    report(masked(), SOLVER, {"pet": 1.0})
    with moves():
        write()


def test_a_row_that_is_no_longer_a_drafts_counts_as_it_was_and_as_it_is() -> None:
    entry = report(masked(), SOLVER, {"pet": 1.0})
    with moves():
        Entry.objects.filter(pk=entry.pk).update(state="draft")
    with moves():
        Entry.objects.filter(pk=entry.pk).update(state="published")


def test_all_that_kept_pages_read_is_watched(tmp_path: Path) -> None:
    """A page that reads another table has to have it watched, or would not change with it."""
    task_set = masked()
    attempt = attempt_at(task_set, tmp_path / "run")
    run = make_run(task_set=task_set, scaffold="Run")
    for _ in range(task_set.tasks.count()):
        finish(claim())
    run.entry = publish_run(run, user=person("olga"))
    own = publish(make_draft(task_set, {"pet": 1.0}, agent=NOVICE), user=person("alice"))
    accept_entry(own, user=person("olga"), why="I ran it.")
    board, other = task_set.get_absolute_url(), run.entry.attempts.get(task=attempt.task)
    with CaptureQueriesContext(connection) as queries:
        for address in (
            *("/", board, f"{board}?sort=agent&q=solver", f"{board}data.json", f"{board}charts.json"),
            *(f"{board}t/", "/b/super/", "/b/super/data.csv", "/b/super/charts.json"),
            *(attempt.task.get_absolute_url(), attempt.get_absolute_url(), f"/a/{attempt.pk}/?vs={other.pk}"),
            *(f"/a/{attempt.pk}/?vs=", f"/a/{attempt.pk}/1/output/1/", other.get_absolute_url()),
            *(entry.get_absolute_url() for entry in (attempt.entry, run.entry, own)),
            f"{own.get_absolute_url()}versions/",
            f"/compare/?e={run.entry.slug}&e={own.slug}",
        ):
            assert Client().get(address).status_code in (200, 404), address
    tables = {table for query in queries for table in READ.findall(query["sql"])}

    assert "leaderboard_figure" in tables
    assert tables <= {watched.table for watched in WATCHED}


def test_migrating_makes_another_revision_and_what_moves_it() -> None:
    report(masked(), SOLVER, {"pet": 1.0})
    with moves():
        call_command("migrate", verbosity=0)
    with moves():
        Benchmark.objects.update(name="Other")


def test_nothing_is_kept_while_nothing_moves_the_revision() -> None:
    stop_revisions(connection)
    assert current_revision() is None
    Revision.objects.all().delete()
    masked()
    assert current_revision() is None
    start_revisions(connection)
    assert current_revision() is not None


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_writers_do_not_wait_for_each_other_and_each_commit_moves_it() -> None:
    task_set = masked()
    first, second = (report(task_set, name, {"pet": 1.0}) for name in (SOLVER, NOVICE))

    def write() -> None:
        Entry.objects.filter(pk=second.pk).update(notes="x")
        connection.close()

    other = Thread(target=write)
    with moves(), transaction.atomic():
        Entry.objects.filter(pk=first.pk).update(notes="x")
        with moves():
            other.start()
            other.join(timeout=30)
            assert not other.is_alive()
    assert Revision.objects.count() == 2
