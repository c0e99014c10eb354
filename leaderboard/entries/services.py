"""State changes of an entry: publish, supersede, withdraw, hide, show again.

Each is one conditional update that `domain.entries` allows, and an entry's figures are on its board exactly
while it is published. `permissions` decides who may do it.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models.functions import Coalesce
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_standings
from leaderboard.domain.durations import DAY, room_again_at
from leaderboard.domain.entries import ENTRY_MACHINE, STATE_REASONS, EntryState
from leaderboard.domain.errors import InputError, Problem, QuotaExceeded
from leaderboard.domain.state_machine import IllegalTransition
from leaderboard.domain.text import plural, storable
from leaderboard.domain.uploads import UNCHECKED, UploadState
from leaderboard.entries.drafts import remove_attempts
from leaderboard.entries.names import (
    check_name_is_free,
    check_names,
    forget_agent,
    name_holder,
    published_slug,
)
from leaderboard.entries.selectors import (
    acknowledgements,
    history_to_continue,
    overall_changes,
    published_version,
    version_history,
)
from leaderboard.models import Agent, Entry, Run, Team

REASON_LENGTH = 2000
"""Characters of the public reason for withdrawing, hiding or accepting an entry."""


@transaction.atomic
def publish_entry(
    entry: Entry,
    *,
    user: User | None,
    leaving_out: bool = False,
    secrets_acknowledged: bool = False,
    replaces: str = "",
) -> Entry:
    """Put a draft on its board, at an address of its name; a new version replaces the previous one there.

    Idempotent: two simultaneous calls publish the draft once, and both return the published entry. The draft
    of a run is published with its run.

    ``leaving_out`` publishes without the results of files that were refused, ``secrets_acknowledged``
    although something in its files or notes looks like a secret. ``replaces`` is the slug of the entry that
    it replaces, if it does: none is replaced unasked.

    Raises:
        InputError: it has no attempt, its upload is not checked, something is not acknowledged, another entry
            has its name, it would replace another entry than ``replaces``, it is withdrawn or hidden, or its
            team has reached the daily limit.
    """
    draft = lock_entry(entry)
    if draft.is_open:
        return draft
    _check_transition(draft, EntryState.PUBLISHED)
    _check_is_ready(draft)
    _check_is_acknowledged(draft, leaving_out=leaving_out, secrets_acknowledged=secrets_acknowledged)
    if draft.team:
        check_publication_quota(draft.team)
    return put_on_board(draft, user=user, replaces=replaces)


def put_on_board(draft: Entry, *, user: User | None, replaces: str = "") -> Entry:
    """Publish a draft that `lock_entry` returned, in the caller's transaction. All publications end here.

    Raises:
        InputError: another entry has its name, its name is invalid on a board, or it would replace another
            entry than ``replaces``.
    """
    agent = draft.agent
    # The locks serialise publications under one name, and under those that look like it.
    list(Agent.objects.select_for_update().filter(key=agent.key).order_by("pk").values_list("pk"))
    check_names(agent.name, agent.model)
    history = history_to_continue(draft)
    replaced = published_version(history)
    if replaced is None or replaced.agent.key != agent.key:
        # A new version of an entry keeps its name, though another team may have had one like it before.
        check_name_is_free(draft.task_set, agent.name, agent.model)
    if replaced and replaced.slug != replaces:
        raise _replacing_error(draft, replaced)
    if replaced:
        _move(lock_entry(replaced), EntryState.SUPERSEDED)
    previous = history[-1] if history else None
    version = previous.version + 1 if previous else 1
    address = {"slug": published_slug(draft), "draft_slug": draft.slug}
    _move(draft, EntryState.PUBLISHED, version=version, previous=previous, **address)
    if replaced:
        record_event("supersede entry", replaced, actor=user, by=draft.slug)
    record_event("publish entry", draft, actor=user, version=version)
    refresh_standings(draft.task_set)
    return draft


@transaction.atomic
def withdraw_entry(entry: Entry, *, user: User | None, reason: str) -> Entry:
    """Withdraw an entry for good. Its addresses show the reason, and the previous version is published again.

    Raises:
        InputError: the reason is empty or too long, or the entry is neither published nor superseded.
    """
    locked = lock_entry(entry)
    was_on_board = locked.is_published
    _move(locked, EntryState.WITHDRAWN, state_reason=checked_reason(locked, reason))
    record_event("withdraw entry", locked, actor=user, reason=locked.state_reason)
    if was_on_board:
        _republish_previous_version(locked, user=user)
        refresh_standings(locked.task_set)
    return locked


@transaction.atomic
def hide_entry(entry: Entry, *, user: User | None, reason: str) -> Entry:
    """Hide an entry from readers, who see the reason; for operators.

    Raises:
        InputError: the reason is empty or too long, or the entry is neither published nor superseded.
    """
    locked = lock_entry(entry)
    _move(locked, EntryState.HIDDEN, state_reason=checked_reason(locked, reason))
    record_event("hide entry", locked, actor=user, reason=locked.state_reason)
    refresh_standings(locked.task_set)
    return locked


@transaction.atomic
def show_entry(entry: Entry, *, user: User | None) -> Entry:
    """Show a hidden entry again: on its board, or as an older version if a newer one is published.

    Raises:
        InputError: it is not hidden, or another entry has its name now.
    """
    locked = lock_entry(entry)
    if locked.state != EntryState.HIDDEN:
        raise entry_problem(locked, "it is not hidden", "load the page again")
    if published_version(version_history(locked)):
        _move(locked, EntryState.SUPERSEDED)
    else:
        check_name_is_free(locked.task_set, locked.agent.name, locked.agent.model, excluding=locked)
        _move(locked, EntryState.PUBLISHED)
    record_event("show entry", locked, actor=user)
    refresh_standings(locked.task_set)
    return locked


@transaction.atomic
def discard_draft(entry: Entry, *, user: User | None) -> None:
    """Delete a draft with its attempts and their files. Its upload stays, without an entry.

    Raises:
        InputError: it is not a draft, or it is the draft of a run.
    """
    draft = lock_entry(entry)
    if not draft.is_draft:
        raise entry_problem(draft, "it is not a draft", "withdraw it")
    if Run.objects.filter(entry=draft).exists():
        raise entry_problem(draft, "it collects the results of a run", "use its run's page instead")
    record_event("discard draft", str(draft), actor=user, slug=draft.slug)
    remove_attempts(draft.attempts.all())
    draft.delete()
    forget_agent(draft.agent_id)


def lock_entry(entry: Entry) -> Entry:
    """The entry as it is now, locked until the caller's transaction ends.

    Raises:
        InputError: it has been discarded.
    """
    rows = Entry.objects.select_for_update(of=("self",)).select_related("agent", "task_set__benchmark")
    locked = rows.filter(pk=entry.pk).first()
    if locked is None:
        raise entry_problem(entry, "it has been discarded", "upload it again")
    return locked


def checked_reason(entry: Entry, text: str) -> str:
    """A public reason, ready to store; raises `InputError` if it is empty or too long."""
    text = storable(text).strip()
    if not 1 <= len(text) <= REASON_LENGTH:
        reason = f"the reason needs 1 to {REASON_LENGTH:,} characters"
        raise entry_problem(entry, reason, "write a sentence")
    return text


def entry_problem(entry: Entry, reason: str, remedy: str) -> InputError:
    return InputError(Problem(str(entry), "", reason, remedy))


def _move(entry: Entry, wanted: EntryState, *, state_reason: str = "", **changes: Any) -> None:
    """Change the state of a locked entry, and put its figures on or off the board."""
    _check_transition(entry, wanted)
    now = timezone.now()
    changes |= {"state": wanted, "state_since": now, "state_reason": state_reason}
    if wanted is EntryState.PUBLISHED:
        changes["published"] = Coalesce("published", now)
    try:
        with transaction.atomic():
            moved = Entry.objects.filter(pk=entry.pk, state=entry.state).update(**changes)
    except IntegrityError as error:
        # An import has added an entry of the same name since the check that it is free.
        reason = f"{entry.agent} has an entry on this board already"
        raise entry_problem(entry, reason, "give it another name or model name") from error
    if not moved:
        raise entry_problem(entry, "another user has just changed it", "load the page again")
    entry.figures.update(task_set=entry.task_set if wanted is EntryState.PUBLISHED else None)
    entry.refresh_from_db()


def _republish_previous_version(entry: Entry, *, user: User | None) -> None:
    superseded = [each for each in version_history(entry) if each.state == EntryState.SUPERSEDED]
    if not superseded:
        return
    before = lock_entry(superseded[-1])
    if name_holder(before.task_set, before.agent.name, before.agent.model):
        # Another entry has its name now. That must not prevent the withdrawal.
        return
    _move(before, EntryState.PUBLISHED)
    record_event("publish entry", before, actor=user, version=before.version, instead_of=entry.slug)


def _check_transition(entry: Entry, wanted: EntryState) -> None:
    try:
        ENTRY_MACHINE.check(EntryState(entry.state), wanted)
    except IllegalTransition as error:
        remedy = "load the page again to see what is possible"
        raise entry_problem(entry, STATE_REASONS[EntryState(entry.state)], remedy) from error


def _replacing_error(draft: Entry, replaced: Entry) -> InputError:
    figures = ", ".join(
        f"{change.metric.label} {change.texts[0]} → {change.texts[1]}"
        for change in overall_changes(replaced, draft, draft=True)
    )
    reason = (
        f"publishing it would replace {replaced.agent}, version {replaced.version:,}, at "
        f"{replaced.get_absolute_url()} ({figures})"
    )
    remedy = (
        f"say that it replaces {replaced.slug}: by the tick box on the draft's page, --replace, or the API's "
        "field replaces; or give it another name"
    )
    return entry_problem(draft, reason, remedy)


def _check_is_ready(draft: Entry) -> None:
    if Run.objects.filter(entry=draft).exists():
        raise entry_problem(draft, "it collects the results of a run", "publish it on the run's page")
    # Any upload, not only the newest: the one that is checked last rewrites the draft.
    if draft.uploads.filter(state__in=UNCHECKED).exists():
        remedy = "wait for the check, or discard that upload"
        raise entry_problem(draft, "an upload for it is not checked yet", remedy)
    last = draft.uploads.order_by("-created").first()
    if last and last.state in (UploadState.INCOMPLETE, UploadState.FAILED):
        remedy = "read its report and check it again, or discard that upload"
        raise entry_problem(draft, "the check of its last upload did not finish", remedy)
    if not draft.attempts.exists():
        raise entry_problem(draft, "it has no attempt", "upload files that can be used")


def _check_is_acknowledged(draft: Entry, *, leaving_out: bool, secrets_acknowledged: bool) -> None:
    wanted = acknowledgements(draft)
    if wanted.refused and not leaving_out:
        reason = plural(
            wanted.refused, "{n} file of its upload was refused", "{n} files of its upload were refused"
        )
        raise entry_problem(draft, reason, "upload them again, or publish without them")
    if wanted.secrets and not secrets_acknowledged:
        reason = plural(
            wanted.secrets,
            "{n} place in its files or notes looks like a secret",
            "{n} places in its files or notes look like secrets",
        )
        raise entry_problem(
            draft, reason, "remove them and upload again, or confirm that they are not secrets"
        )


def check_publication_quota(team: Team) -> None:
    """Check that ``team`` may publish one more entry today.

    Raises:
        QuotaExceeded: it has reached the limit; names the time from which it may publish again.
    """
    most = settings.SUPERBOARD_PUBLICATIONS_PER_DAY
    recent = Entry.objects.filter(team=team, published__gt=timezone.now() - DAY)
    times = [at for at in recent.order_by("published").values_list("published", flat=True) if at]
    if len(times) >= most:
        reason = f"{team} has published {len(times):,} entries within a day (SUPERBOARD_PUBLICATIONS_PER_DAY)"
        raise QuotaExceeded(Problem(str(team), "", reason, room_again_at(times[-most] + DAY)))
