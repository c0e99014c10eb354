"""Requests to a row of the table: where it is, what is sent so that whoever may is not refused for that."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

from leaderboard.api.site import api
from leaderboard.models import Agent, TaskDraft, TaskSet
from tests.access.world import UNCONFIRMED, World
from tests.people import PASSWORD, person
from tests.uploads.cast import team_of

SET = ("super", "masked")
API = "api:"
NEW_PASSWORD = "another secret of some length"
ENTRY_PAGES = {"badge", "entry", "entry-archive", "entry-picture", "versions", "edit-entry", "act-on-entry"}
UPLOAD_PAGES = {"upload", "upload-report", "act-on-upload"}
RUN_PAGES = {"run", "act-on-run"}
COMPARISONS = {"compare", "compare-csv", "api:compare"}
SET_PAGES = {
    "board",
    "board-archive",
    "board-picture",
    "board-charts",
    "board-feed",
    "board-history",
    "failures",
    "grid",
    "tasks",
}
ATTEMPT_PAGES: Mapping[str, tuple[object, ...]] = {
    "attempt": (),
    "find": (),
    "judge-attempt": (),
    "output": (1, "output", 1),
    "line": (1, "output"),
    "text": (1, "output"),
    "step-markdown": (1,),
    "download": ("original",),
    "download-output": (1,),
    "media": (1, 1),
}
QUERIES = {
    "find": "?q=epoch",
    "line": "?line=1",
    "search": "?q=epoch",
    "api:search": "?q=epoch",
    "new-run": "?agent=react&set=masked",
}
RUN = {
    "tasks": ["pet"],
    "attempts": 1,
    "max_parallel": 1,
    "scaffold": "react",
    "model": "m",
    "sandbox": "docker",
}
CREDENTIALS = {"login": "alice", "password": PASSWORD}
NEW_ADDRESS = {"email": "new@example.org", "action_add": ""}
CHANGE = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
FORMS: Mapping[str, Callable[[World], Mapping[str, Any]]] = {
    "submit": lambda world: {
        "team": team_of("alice").slug,
        "files": SimpleUploadedFile("a.zip", b"new bytes"),
    },
    "edit-entry": lambda world: {"notes": "Changed.", "name": "New", "model": "m"},
    "new-run": lambda world: {**RUN, "setting-model": "some-model"},
    "ask-for-re-score": lambda world: {
        "task_set": TaskSet.objects.get(slug="masked").pk,
        "action": "preview",
    },
    "operate-benchmarks": lambda world: {
        "text": "slug: new\nname: New\nscoring: super\ntask_sets: [{slug: s, name: S}]\n",
        "task_set": "super/masked",
        "file": SimpleUploadedFile("tasks.jsonl", b'{"task_id": "new"}\n'),
    },
    "task-draft": lambda world: {"query": "Train it.", "version": 1},
    "admit-team": lambda world: {"team": team_of("alice").pk},
    "merge-agents": lambda world: dict(
        zip(("keep", "merge"), Agent.objects.values_list("pk", flat=True), strict=False)
    ),
    "teams": lambda world: {"name": "New team"},
    "team": lambda world: {"name": "New name", "email": "dora@example.org", "role": "member"},
    "tokens": lambda world: {"name": "new", "scopes": ["read"], "lifetime": "30"},
    "delete-account": lambda world: {"password": PASSWORD},
    "sign-in": lambda world: CREDENTIALS,
    "account_login": lambda world: CREDENTIALS,
    "account_signup": lambda world: {"username": "dora", "email": "d@example.org", "password1": PASSWORD},
    "account_email": lambda world: NEW_ADDRESS,
    "account_reauthenticate": lambda world: {"password": PASSWORD},
    "account_change_password": lambda world: CHANGE,
    "account_set_password": lambda world: CHANGE,
    "account_reset_password": lambda world: {"email": "alice@example.org"},
}
"""What the forms of pages send beside ``action``, which the table says."""
BODIES: Mapping[str, Mapping[str, Any]] = {
    "start": {"name": "run.zip", "size": 10},
    "describe": {"form": {"notes": "Changed."}},
    "publish": {},
    "withdraw": {"reason": "A bug."},
    "accept": {"why": "Ran it again."},
    "create": {**RUN, "task_set": "super/masked", "agent": "react", "settings": {"model": "some-model"}},
    "change": {"public": True},
    "retry": {},
    "cancel": {},
    "publish_results": {"without_unfinished": True},
}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: ``thing`` and ``action`` are ``-`` where there is none."""

    method: str
    name: str
    thing: str
    action: str

    @property
    def is_api(self) -> bool:
        return self.name.startswith(API)


@cache
def operations() -> dict[str, tuple[str, str]]:
    """Every operation of the API's document: its method, and its address with holes."""
    return {
        operation["operationId"]: (method.upper(), path)
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method, operation in methods.items()
    }


def where(row: Row, world: World) -> str:
    """The address that a row asks."""
    if row.is_api:
        _method, path = operations()[row.name.removeprefix(API)]
        keys = _keys(path, row, world)
        address = path.format(benchmark="super", task_set="masked", task_id="pet", kind="original", **keys)
        if path.endswith("/alignment"):
            return f"{address}?vs={_another(row, world)}"
    else:
        address = reverse(row.name, args=_arguments(row.name, row.thing, world))
    if row.name == "task-parting":
        pk = world.attempt(row.thing).pk
        return f"{address}?one={pk}&other={pk}"
    if row.name in COMPARISONS:
        other = "superseded" if row.thing == "published" else "published"
        return f"{address}?e={world.entries[row.thing].slug}&e={world.entries[other].slug}"
    return address + QUERIES.get(row.name, "")


def outcome(row: Row, world: World, who: str, *, csrf: bool = True) -> str:
    """What becomes of a row's request by somebody, in the table's words; nothing of it lasts."""
    address = where(row, world)
    with transaction.atomic():
        client = world.ask(who, csrf=csrf)
        response = client.generic(row.method, address, **_content(row, world))
        if response.streaming:
            # Read to its end, which closes the file.
            b"".join(response)
        transaction.set_rollback(True)
    status = str(response.status_code)
    page, then, _next = response.get("Location", "").partition("?next=")
    pages = {reverse("sign-in"): "in", reverse("account_reauthenticate"): "again"}
    return pages.get(page, status) if then else status


def _content(row: Row, world: World) -> dict[str, Any]:
    if row.method in ("GET", "HEAD"):
        return {}
    if row.name == "api:send":
        chunk = {"data": b"0123456789", "content_type": "application/offset+octet-stream"}
        return {**chunk, "headers": {"Upload-Offset": "0"}}
    if row.is_api:
        body = BODIES.get(row.name.removeprefix(API), {})
        return {"data": json.dumps(body), "content_type": "application/json"}
    form = FORMS[row.name](world) if row.name in FORMS else {}
    sent = encode_multipart(BOUNDARY, {"action": row.action, "reason": "A bug.", **form})
    return {"data": sent, "content_type": MULTIPART_CONTENT}


def _keys(path: str, row: Row, world: World) -> dict[str, object]:
    if row.name in COMPARISONS:
        return {}
    if "/teams/" in path:
        return {"slug": team_of("alice").slug}
    if row.thing == "-":
        return {}
    if "/entries/" in path:
        return {"slug": world.entries[row.thing].slug}
    if "/attempts/" in path:
        return {"pk": world.attempt(row.thing).pk}
    return {"pk": (world.uploads if "/uploads/" in path else world.runs)[row.thing].pk}


def _another(row: Row, world: World) -> int:
    """An attempt at the same task that everybody may see."""
    return world.attempt("superseded" if row.thing == "published" else "published").pk


def _arguments(name: str, thing: str, world: World) -> tuple[object, ...]:
    """What stands in a page's address."""
    if name in ENTRY_PAGES:
        return (world.entries[thing].slug,)
    if name in ATTEMPT_PAGES:
        return (world.attempt(thing).pk, *ATTEMPT_PAGES[name])
    if name in UPLOAD_PAGES:
        return (world.uploads[thing].pk,)
    if name in RUN_PAGES:
        return (world.runs[thing].pk,)
    if name in SET_PAGES:
        return SET
    alice = person("alice")
    others: dict[str, Callable[[], tuple[object, ...]]] = {
        "board-data": lambda: (*SET, thing),
        "sitemap": lambda: ("entries",),
        "benchmark": lambda: SET[:1],
        "benchmark-data": lambda: (*SET[:1], thing),
        "benchmark-charts": lambda: SET[:1],
        "task": lambda: (*SET, thing),
        "task-parting": lambda: (*SET, "pet"),
        "guide": lambda: (thing,),
        "job": lambda: (world.runs[thing].pk, world.runs[thing].jobs.get().pk),
        "team": lambda: (world.teams[thing].slug,),
        "answer-invitation": lambda: (world.invitations[thing].pk,),
        "task-draft": lambda: (TaskDraft.objects.get().pk,),
        "revoke-token": lambda: (world.token and world.token.pk,),
        "account_confirm_email": lambda: (
            EmailConfirmationHMAC(EmailAddress.objects.get(email=UNCONFIRMED)).key,
        ),
        "openid_connect_login": lambda: ("openid_connect",),
        "openid_connect_callback": lambda: ("openid_connect",),
        "account_reset_password_from_key": lambda: (
            user_pk_to_url_str(alice),
            default_token_generator.make_token(alice),
        ),
    }
    return others[name]() if name in others else ()
