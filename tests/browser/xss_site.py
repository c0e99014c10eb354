"""A site on which every text that an upload, its owner or an operator can give is a payload of the corpus.

The archive comes in as any other: announced, sent, checked, a draft. The crowd is made by the services that
forms call: for each payload that can be a name an entry in a team, a token, an upload, all called so.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from django.contrib.auth.models import User

from leaderboard.checking.names import BadNameError, check_name
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputError
from leaderboard.domain.scores import Metric
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Entry, TaskSet, Team, Upload
from leaderboard.preparing import prepare_all
from leaderboard.services.attempts import record_attempt
from leaderboard.services.catalogue import import_tasks, save_benchmark
from leaderboard.services.checking import check_upload
from leaderboard.services.checks import claim_upload
from leaderboard.services.curation import edit_entry, verify_entry
from leaderboard.services.drafts import write_draft
from leaderboard.services.figures import refresh_figures
from leaderboard.services.invitations import invite
from leaderboard.services.names import check_names
from leaderboard.services.people import set_operator
from leaderboard.services.publishing import hide_entry, publish_entry, withdraw_entry
from leaderboard.services.teams import create_team, personal_team
from leaderboard.services.tokens import create_token
from leaderboard.services.uploads import append_chunk, start_upload
from tests.browser.xss_corpus import TEXTS
from tests.formats import frameworks as made
from tests.people import email_of, person

EVERYTHING: Final = "\n".join(TEXTS)
STORED: Final = EVERYTHING.replace("\0", "").encode("utf-8", "ignore").decode()
"""For what a form gives: it has no NUL and no lone surrogates."""
NOTES: Final = STORED[:10_000]
KINDS: Final = ("execute", "edit", "create", "submit", "open", "search_dir", "interrupt", "continue_wait", "exception")
BATCH: Final = 12
"""Payloads together in one text of an entry of the crowd."""
TASKS: Final = ("history", "edits", "types", "atif", "mini", "notebook", "astabench", "openhands-zero",
                "openhands-one", "inspect", "answer-alone")  # fmt: skip


def step(text: str, number: int) -> dict[str, Any]:
    """A step of history.json that is ``text`` all over."""
    kind = KINDS[number % len(KINDS)]
    return {"thought": text, "action": {"type": kind, "content": text}, "observation": text}


def edit(text: str, number: int) -> dict[str, Any]:
    """An edit, of either shape, of a file called ``text``."""
    shapes = (f"{text}\n<<<BEFORE_EDIT>>>\n{text}\n<<<AFTER_EDIT>>>\n{text} \n", f"edit 1:2\n{text}\nend_of_edit")
    return {"thought": "", "action": {"type": "edit", "content": shapes[number % 2]}, "observation": text}


def typed(text: str, _: int) -> dict[str, Any]:
    """A step whose kind and clock are ``text``."""
    return {
        "thought": "Go on.",
        "action": {"type": text, "content": text},
        "observation": "done",
        "execution_start_time": text,
        "execution_end_time": text,
    }


def history(make: Callable[[str, int], dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {"query": EVERYTHING, "history": [make(text, n) for n, text in enumerate(TEXTS)], **fields}


def ended(detail: str) -> dict[str, Any]:
    """The last step of a trajectory that ended with an exception."""
    return {"thought": "", "action": {"type": "exception", "content": detail}, "observation": ""}


def notebook() -> dict[str, Any]:
    """Each payload as a cell, as markdown and as output of SUPER's notebooks."""
    cells: list[dict[str, Any]] = []
    for number, text in enumerate(TEXTS, start=1):
        outputs = [{"output_type": "stream", "name": "stdout", "text": [text]}]
        heads = (f"### Step {number}", f"**Thought**: {text}", "**Action (execute)**:")
        cells += [{"cell_type": "markdown", "metadata": {}, "source": head} for head in heads]
        code = {"cell_type": "code", "metadata": {}, "source": text, "execution_count": None, "outputs": outputs}
        cells.append(code)
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def trajectories() -> dict[str, tuple[str, Any]]:
    """A file of each format by task: its name, and a document in which every text is a payload."""
    done = {"thought": "", "action": {"type": "submit", "content": dict.fromkeys(TEXTS, [EVERYTHING])}, "observation": ""}
    types = history(typed)
    types["history"].append(ended(EVERYTHING))
    whole = history(step)
    whole["history"] += [{**step(EVERYTHING, 0), "observation": EVERYTHING * 4}, done]
    turns = [made.mini_turn(text, content=text) for text in TEXTS]
    mini = [each for turn, text in zip(turns, TEXTS, strict=True) for each in (turn, made.mini_output(text))]
    asked = [(made.asks((f"c{n}", text, {"cmd": text}), content=text), made.tells(f"c{n}", text)) for n, text in enumerate(TEXTS)]
    one = [("terminal", {"kind": "TerminalAction", "command": text, "x": text}, text) for text in TEXTS]
    return {
        "history": ("history.json", whole),
        "edits": ("history.json", history(edit)),
        "types": ("history.json", types),
        "atif": ("trajectory.json", made.atif(*(made.atif_step((text, {text: text}, text), message=text) for text in TEXTS))),
        "mini": ("run.traj.json", made.mini(*mini, submission=EVERYTHING)),
        "notebook": ("trajectory.ipynb", notebook()),
        "astabench": ("history.json", made.astabench(*({"type": "execute", "content": text} for text in TEXTS))),
        "openhands-zero": ("trajectory.json", made.v0_events(*(made.run(text, text, thought=text) for text in TEXTS))),
        "openhands-one": ("trajectory.json", made.v1_events(*one)),
        "inspect": ("log.json", made.inspect_log(made.inspect_sample(*(m for turn in asked for m in turn), id="inspect"))),
    }  # fmt: skip


def file_names() -> list[str]:
    """The names for files that the corpus has: those that can be unpacked at all."""
    names = []
    for text in TEXTS:
        name = f"{text}.json"
        try:
            check_name(name, depth=32)
        except BadNameError:
            continue
        names.append(name)
    return names


def archive() -> bytes:
    """The upload: trajectories of every format, files of every name, answers to tasks of every name."""
    description = {
        "agent": {"name": agent_name(), "url": address(TEXTS[30])},
        "model": STORED[200:299].replace("\n", " "),
        "links": [{"label": text[:100], "url": address(text)} for text in TEXTS[30:40]],
        "notes": NOTES,
        "benchmark": "hostile",
        "set": "all",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("entry.json", json.dumps(description))
        for task_id, (name, document) in trajectories().items():
            packed.writestr(f"{task_id}/{name}", json.dumps(document))
        for name in file_names():
            packed.writestr(f"other/{name}", "{")
        lines = [{"task_id": text, "answer": text} for text in TEXTS]
        lines.append({"task_id": "answer-alone", "answer": {"all": [EVERYTHING, {EVERYTHING: TEXTS}]}})
        packed.writestr("answers.jsonl", "\n".join(json.dumps(line) for line in lines))
    return buffer.getvalue()


def agent_name() -> str:
    return "<img src=x onerror=canary(0)>\"'><script>canary(0)</script>"


def address(text: str) -> str:
    """A web address with a payload in it; no longer than one may be."""
    return f"https://evil.invalid/{''.join(text.split())}"[:200]


def tasks() -> Iterator[TaskSpec]:
    for task_id, text in zip(TASKS, TEXTS, strict=False):
        yield TaskSpec(task_id, title=text[:200], query=STORED, landmarks=(r"canary\(\d+\)", "<script>.*?</script>"))


def make_set(slug: str, specs: Sequence[TaskSpec]) -> TaskSet:
    record = {"slug": slug, "name": slug.title(), "summary": "", "url": "", "position": 9, "categories": []}
    sets = [{"slug": "all", "name": "All", "summary": "", "is_default": False}]
    task_set = save_benchmark({**record, "task_sets": sets}).task_sets.get()
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
    check_upload(claim, prepare=lambda jobs: prepare_all(jobs, 1))
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
        entry = write_draft(None, team=team, task_set=task_set, description={"agent": text, "model": text})
        reported = {Metric.ACCURACY: len(entries) / 1000, Metric.LANDMARKS: len(entries) / 1000}
        record_attempt(entry=entry, task=task, number=1, reported=reported)
        entries.append(entry)

    taken = {
        "team": usable(TEXTS, lambda text: teams.append(create_team(name=text, user=user))),
        "token": usable(TEXTS, lambda text: create_token(user=user, name=text, scopes=[Scope.READ], expires=None)),
        "agent": usable(TEXTS, enter),
        "upload": usable(TEXTS, lambda text: start_upload(team=teams[0], user=user, name=text, size=1, form={})),
    }
    refresh_figures(task_set, entries)
    for entry in entries:
        publish_entry(entry, user=user)
    say_everything(entries, user)
    for team in teams[:BATCH]:
        invite(team, email=email_of("bob"), role="member", user=user, link="")
    return taken


def say_everything(entries: Sequence[Entry], user: User) -> None:
    """Notes, labels, badges and reasons: each payload once, ``BATCH`` of them to an entry."""
    batches = [TEXTS[start : start + BATCH] for start in range(0, len(TEXTS), BATCH)]
    for number, batch in enumerate(batches):
        said = "\n".join(batch)[:2000]
        links = [{"label": text[:100], "url": address(text)} for text in batch]
        edit_entry(entries[number], user=user, notes=said, links=links)
        verify_entry(entries[number], user=user, how=said)
        end = withdraw_entry if number % 2 else hide_entry
        end(entries[-1 - number], user=user, reason=said)


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
