"""A site on which every text that an upload, its owner or an operator can give is a payload of the corpus.

The archive comes in as any other: announced, sent, checked, a draft. The crowd is made by the services that
forms call: for each payload that can be a name an entry in a team, a token, an upload, all called so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from leaderboard.accounts.invitations import invite
from leaderboard.accounts.services import set_operator
from leaderboard.accounts.teams import create_team
from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.core.teams import personal_team
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.drafts import write_draft
from leaderboard.entries.editing import MOST_LINKS, accept_entry, edit_entry
from leaderboard.entries.names import check_names
from leaderboard.entries.services import REASON_LENGTH, hide_entry, publish_entry, withdraw_entry
from leaderboard.intake.description import Description
from leaderboard.models import Entry, TaskSet, Team, Upload
from leaderboard.uploads.check_writes import claim_upload
from leaderboard.uploads.checking import check_upload
from leaderboard.uploads.services import append_chunk, start_upload
from tests.browser.xss.archive import STORED, TASKS, address, agent_name, archive
from tests.browser.xss.corpus import TEXTS
from tests.people import email_of, person

INVITATIONS: Final = 12


def tasks() -> Iterator[TaskSpec]:
    for task_id, text in zip(TASKS, TEXTS, strict=False):
        yield TaskSpec(
            task_id, title=text[:200], query=STORED, landmarks=(r"canary\(\d+\)", "<script>.*?</script>")
        )


def make_set(slug: str, specs: Sequence[TaskSpec]) -> TaskSet:
    record = {"slug": slug, "name": slug.title(), "position": 9, "scoring": "super"}
    sets = [{"slug": "all", "name": "All", "summary": "", "is_default": False}]
    task_set = save_benchmark({**record, "categories": [], "task_sets": sets}).task_sets.get()
    import_tasks(task_set, specs)
    return task_set


def upload_archive(user: User) -> Upload:
    """Send the archive the real way and have it checked."""
    data = archive()
    team = create_team(name=agent_name()[:60], user=user)
    upload = start_upload(team=team, user=user, name="<svg onload=canary(0)>.zip", size=len(data), form={})
    append_chunk(upload, offset=0, chunks=[data])
    claim = claim_upload()
    assert claim
    check_upload(claim, isolated=False)
    upload.refresh_from_db()
    return upload


def usable(texts: Sequence[str], use: Callable[[str], object]) -> list[str]:
    """Those texts that ``use`` takes; the others it must refuse, not fail at."""
    taken = []
    for text in texts:
        try:
            use(text)
        except InputError:
            continue
        taken.append(text)
    return taken


def crowd(user: User) -> dict[str, list[str]]:
    """Entries, teams, tokens, uploads and reasons; returns the payloads that each kind of name takes."""
    task_set = make_set("crowd", [TaskSpec("pet")])
    task = task_set.tasks.get()
    entries: list[Entry] = []
    teams: list[Team] = []

    def enter(text: str) -> None:
        check_names(text, text)
        team = teams[len(entries) % len(teams)]
        entry = write_draft(
            None, team=team, task_set=task_set, description=Description(agent=text, model=text)
        )
        reported = {"accuracy": len(entries) / 1000, "landmarks": len(entries) / 1000}
        record_attempt(entry=entry, task=task, number=1, reported=reported)
        entries.append(entry)

    taken = {
        "team": usable(TEXTS, lambda text: teams.append(create_team(name=text, user=user))),
        "token": usable(
            TEXTS, lambda text: create_token(user=user, name=text, scopes=[Scope.READ], expires=None)
        ),
        "agent": usable(TEXTS, enter),
        "upload": usable(
            TEXTS, lambda text: start_upload(team=teams[0], user=user, name=text, size=1, form={})
        ),
    }
    groups = batches()
    first, last, between = (
        entries[: len(groups)],
        entries[-len(groups) :],
        entries[len(groups) : -len(groups)],
    )
    # What `publish_entry` does to each of the first and last, without its time.
    Entry.objects.filter(pk__in=[entry.pk for entry in between]).update(
        state=EntryState.PUBLISHED, published=timezone.now()
    )
    # Only what is ranked is in charts.
    Entry.objects.filter(pk__in=[entry.pk for entry in entries]).update(accepted=timezone.now())
    refresh_figures(task_set, entries)
    for entry in (*first, *last):
        publish_entry(entry, user=user)
    for number, batch in enumerate(groups):
        say_everything(batch, shown=first[number], gone=last[number], user=user)
    for team in teams[:INVITATIONS]:
        invite(team, email=email_of("bob"), role="member", user=user, link="")
    return taken


def batches() -> list[list[str]]:
    """The corpus in groups that fit into a reason, and are no more than an entry has links."""
    groups: list[list[str]] = [[]]
    for text in TEXTS:
        if len(groups[-1]) == MOST_LINKS or len("\n".join([*groups[-1], text])) > REASON_LENGTH:
            groups.append([])
        groups[-1].append(text)
    return groups


def say_everything(batch: Sequence[str], *, shown: Entry, gone: Entry, user: User) -> None:
    """Each payload as a note, a label, an address and a badge of one entry, and as why another is gone."""
    said = "\n".join(batch)
    edit_entry(
        shown, user=user, notes=said, links=[{"label": text[:100], "url": address(text)} for text in batch]
    )
    accept_entry(shown, user=user, why=said)
    end = withdraw_entry if gone.pk % 2 else hide_entry
    end(gone, user=user, reason=said)


def build() -> dict[str, list[str]]:
    """Fill the database: the archive as a draft of Alice's, who operates too, and the crowd."""
    alice = person("alice")
    person("bob")
    set_operator("alice", True)
    make_set("hostile", list(tasks()))
    upload = upload_archive(alice)
    assert upload.state == "checked", upload.problems
    personal_team(alice)
    return crowd(alice)
