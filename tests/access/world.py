"""A site with something of every kind on it, all of it Alice's team's, and whoever asks for it.

The cast: Alice owns, Carol is a member of her team, Bob is another submitter, Olga operates, nobody is signed
in.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.teams import create_team
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.domain.drafts import Draft
from leaderboard.domain.suspicions import Suspicion, SuspicionKind
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.services import hide_entry, publish_entry, withdraw_entry
from leaderboard.models import (
    ApiToken,
    Attempt,
    AttemptFile,
    AttemptSuspicions,
    Entry,
    Invitation,
    Membership,
    Run,
    Team,
    Upload,
)
from leaderboard.operating.drafts import hold_draft
from leaderboard.runs.services import set_run_public
from tests.cast import CET, DPT, PET, history, make_set
from tests.people import client_of, email_of, person
from tests.runs.cast import claim, finish, make_run
from tests.uploads.cast import checked, described, packed, send, start, team_of

PEOPLE = {"owner": "alice", "member": "carol", "other": "bob", "operator": "olga", "nobody": "nobody"}
TOKENS = {
    "alice-read": ("alice", Scope.READ),
    "alice-submit": ("alice", Scope.SUBMIT),
    "bob-submit": ("bob", Scope.SUBMIT),
    "olga-submit": ("olga", Scope.SUBMIT),
    "olga-operate": ("olga", Scope.OPERATE),
}
EXPIRED = "expired"
CSRF = "a" * 32
UNCONFIRMED = "alice@example.com"
LONG = "\n".join(f"epoch {n} of many" for n in range(120))
"""An output of several pages."""


@dataclass(slots=True)
class World:
    """What there is, by the names that the table calls it."""

    entries: dict[str, Entry] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    teams: dict[str, Team] = field(default_factory=dict)
    invitations: dict[str, Invitation] = field(default_factory=dict)
    token: ApiToken | None = None
    sessions: dict[str, Client] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)

    def attempt(self, state: str) -> Attempt:
        return self.entries[state].attempts.get()

    def ask(self, who: str, *, csrf: bool = True) -> Client:
        """A client of a person, or one that sends a token; it can be used for one request."""
        if who in self.secrets:
            return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {self.secrets[who]}"})
        client = Client(enforce_csrf_checks=True, headers={"X-CSRFToken": CSRF} if csrf else {})
        for name, cookie in self.sessions[who].cookies.items():
            client.cookies[name] = cookie.value
        if csrf:
            client.cookies["csrftoken"] = CSRF
        return client


def make_world() -> World:
    """Build all of it, the ways that people build it."""
    world = World()
    make_set(PET, CET, DPT)
    team = team_of("alice")
    Membership.objects.create(team=team, user=person("carol"))
    _make_entries(world)
    _make_uploads(world)
    _make_runs(world)
    world.teams = {"own": team, "lab": create_team(name="Lab", user=person("alice"))}
    Membership.objects.create(team=world.teams["lab"], user=person("carol"))
    world.invitations["bob's"] = Invitation.objects.create(
        team=world.teams["lab"], email=email_of("bob"), expires=timezone.now() + timedelta(days=1)
    )
    world.sessions = {role: client_of(name) for role, name in PEOPLE.items()}
    EmailAddress.objects.create(user=person("alice"), email=UNCONFIRMED)
    _make_tokens(world)
    draft = Draft("Train", "Train it and report its loss.", "train.py", "python train.py")
    hold_draft(draft, [], repository="https://example.org/pet", commit="", name="pet", drafted_by="m")
    return world


def trajectory(agent: str) -> dict[str, Any]:
    """A form and files for an entry of ``agent`` with one attempt, whose output has pages."""
    return {
        "data": packed(**{"pet/history.json": history({"loss": 0.5}, observation=LONG, prompt=agent)}),
        "form": described(agent=agent),
    }


def make_entry(agent: str) -> Entry:
    """A draft that checking made of an upload."""
    entry = checked(**trajectory(agent)).entry
    assert entry
    _add_output(entry.attempts.get())
    return entry


def _make_entries(world: World) -> None:
    alice = person("alice")
    entries = {
        state: make_entry(state.title())
        for state in ("draft", "superseded", "withdrawn", "hidden", "published")
    }
    superseded = publish_entry(entries["superseded"], user=alice)
    for state in ("withdrawn", "hidden"):
        publish_entry(entries[state], user=alice)
    Upload.objects.filter(entry=entries["published"]).update(previous=entries["superseded"])
    publish_entry(entries["published"], user=alice, replaces=superseded.slug)
    withdraw_entry(entries["withdrawn"], user=alice, reason="A bug.")
    hide_entry(entries["hidden"], user=None, reason="Copied.")
    world.entries = {state: Entry.objects.get(pk=entry.pk) for state, entry in entries.items()}
    assert {state: entry.state for state, entry in world.entries.items()} == {each: each for each in entries}
    for state in ("draft", "published"):
        found = [asdict(Suspicion(SuspicionKind.GOLD, 1))]
        AttemptSuspicions.objects.create(attempt=world.attempt(state), found=found)


def _make_uploads(world: World) -> None:
    made = {
        "receiving": start(b"0123456789"),
        "queued": send(b"not checked"),
        "checked": Upload.objects.get(entry=world.entries["draft"]),
        "final": Upload.objects.get(entry=world.entries["published"]),
    }
    for state in (UploadState.INCOMPLETE, UploadState.REFUSED, UploadState.FAILED):
        made[state] = start(state.encode())
        Upload.objects.filter(pk=made[state].pk).update(state=state)
    world.uploads = {name: Upload.objects.get(pk=upload.pk) for name, upload in made.items()}


def _make_runs(world: World) -> None:
    task_set = world.entries["draft"].task_set
    tasks = list(task_set.tasks.filter(task_id="pet"))
    for name in ("private", "public"):
        world.runs[name] = make_run(task_set=task_set, tasks=tasks, scaffold=f"Runs {name}")
        _add_output(finish(claim()).attempt)
        world.entries[f"{name}-run"] = world.runs[name].entry
    set_run_public(world.runs["public"], True)


def _make_tokens(world: World) -> None:
    for name, (who, scope) in TOKENS.items():
        _token, world.secrets[name] = create_token(user=person(who), name=name, scopes=[scope], expires=None)
    world.token, world.secrets[EXPIRED] = create_token(
        user=person("alice"), name=EXPIRED, scopes=[Scope.SUBMIT], expires=timezone.now() + timedelta(days=1)
    )
    ApiToken.objects.filter(pk=world.token.pk).update(expires=timezone.now() - timedelta(seconds=1))


def _add_output(attempt: Attempt | None) -> None:
    """The whole output of a step, as a run keeps it, and one that is no text."""
    assert attempt
    blob = attempt.files.get(kind=AttemptFile.Kind.ORIGINAL).blob
    for kind, number in ((AttemptFile.Kind.OUTPUT, 0), (AttemptFile.Kind.MEDIA, 1)):
        AttemptFile.objects.create(
            attempt=attempt, kind=kind, step=1, number=number, name="out", blob=blob, size=1
        )
