"""What is done with drafts of tasks: held for review, edited, approved or rejected."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.drafts import Check, Draft
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import storable
from leaderboard.models import Task, TaskDraft

SAVE = "save"
DECISIONS = {"approve": TaskDraft.State.APPROVED, "reject": TaskDraft.State.REJECTED}
LONGEST_REASON = 2_000
LONGEST_QUERY = 20_000


@transaction.atomic
def hold_draft(
    draft: Draft, checks: Sequence[Check], *, repository: str, commit: str, name: str, drafted_by: str
) -> TaskDraft | None:
    """Keep a draft for review; None if there is one for its repository, entry point and command already.

    ``name`` is the repository's, for the task's id.
    """
    digest = hashlib.sha256("\0".join((repository, draft.entrypoint, draft.command)).encode()).hexdigest()
    if TaskDraft.objects.filter(digest=digest).exists():
        return None
    # A reader of the task has to know where the repository is.
    query = draft.query if repository in draft.query else f"{draft.query}\n\nGit repository: {repository}"
    own = TaskDraft(
        title=draft.title,
        query=query,
        repository=repository,
        commit=commit,
        entrypoint=draft.entrypoint,
        command=draft.command,
        dataset=draft.dataset,
        model=draft.model,
        landmarks=list(draft.landmarks),
        checks=[check.as_data() for check in checks],
        digest=digest,
        drafted_by=drafted_by[:200],
    )
    if (held := _stored(own, name)) is None:
        return None
    record_event("draft task", held, drafted_by=held.drafted_by, repository=repository)
    return held


@transaction.atomic
def review_draft(draft: TaskDraft, action: str, *, query: str, why: str, seen: int, user: User) -> None:
    """Save a draft's query, and approve or reject the draft if ``action`` says so; either can be changed.

    ``seen`` is the version of the draft that the operator saw.

    Raises:
        InputError: there is no such action, the query is empty or long, a decision has no reason, or somebody
            else changed the draft meanwhile.
    """
    query, why = storable(query.replace("\r\n", "\n")).strip(), storable(why).strip()
    _check(draft, action, query=query, why=why)
    changed = TaskDraft.objects.select_for_update().filter(pk=draft.pk, version=seen).first()
    if changed is None:
        reason = "somebody else has changed it meanwhile"
        raise InputError(Problem(str(draft), "", reason, "look at it again"))
    edited = query != changed.query
    changed.query, changed.version = query, seen + 1
    if action in DECISIONS:
        changed.state, changed.why = DECISIONS[action], why
        changed.decided, changed.decided_by = timezone.now(), user
    changed.save()
    if edited:
        record_event("edit draft", changed, actor=user)
    if action in DECISIONS:
        record_event(f"{action} draft", changed, actor=user, why=why)


def _check(draft: TaskDraft, action: str, *, query: str, why: str) -> None:
    problems = []
    if action != SAVE and action not in DECISIONS:
        remedy = f"choose one of {', '.join((SAVE, *DECISIONS))}"
        problems.append(Problem(str(draft), "action", "a draft has no such action", remedy))
    if not 0 < len(query) <= LONGEST_QUERY:
        reason = f"the query has more than {LONGEST_QUERY:,} characters" if query else "the query is empty"
        problems.append(Problem(str(draft), "query", reason, "write what the agent is asked"))
    if action in DECISIONS and not 0 < len(why) <= LONGEST_REASON:
        reason = f"the reason has more than {LONGEST_REASON:,} characters" if why else "the reason is empty"
        problems.append(Problem(str(draft), "reason", reason, "say in a few words what you looked at"))
    if problems:
        raise InputError(*problems)


def _stored(draft: TaskDraft, name: str) -> TaskDraft | None:
    """The draft with a free id; None if another command has just stored one of the same digest."""
    while True:
        draft.task_id = free_id(name)
        try:
            with transaction.atomic():
                draft.save(force_insert=True)
        except IntegrityError:
            if TaskDraft.objects.filter(digest=draft.digest).exists():
                return None
            if not TaskDraft.objects.filter(task_id=draft.task_id).exists():
                raise
        else:
            return draft


def free_id(name: str) -> str:
    """An id that no draft has, nor any task: an import would replace it."""
    taken = {
        task_id
        for model in (TaskDraft, Task)
        for task_id in model.objects.filter(task_id__startswith=name[:180]).values_list("task_id", flat=True)
    }
    ids = (f"{name[:180]}-{number}" for number in count(1))
    return next(task_id for task_id in ids if task_id not in taken)
