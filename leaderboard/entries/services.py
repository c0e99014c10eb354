"""The life of an entry: published, replaced by a new version, withdrawn, hidden, shown again.

Each move is one conditional update along the table in `domain.entries`, and an entry's figures are on its
board exactly while it is published. Who may do it is for `permissions` to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Coalesce
from django.utils import timezone

from leaderboard.attempts.files import discard_unnamed
from leaderboard.core.audit import record_event
from leaderboard.domain.durations import DAY, room_again
from leaderboard.domain.entries import ENTRY_MACHINE, STANDING, EntryState
from leaderboard.domain.errors import InputError, Problem, QuotaExceeded
from leaderboard.domain.state_machine import IllegalTransition
from leaderboard.domain.text import plural, storable
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.names import check_name_is_free, check_names, forget_agent, name_holder
from leaderboard.entries.selectors import acknowledgements, line_before, line_of, on_board
from leaderboard.models import Agent, AttemptFile, Entry, Run, Team

if TYPE_CHECKING:
    from django.contrib.auth.models import User


ON_ITS_WAY = (UploadState.RECEIVING, UploadState.QUEUED, UploadState.CHECKING)
"""States of an upload in which what it brings is still to come."""
REASON_LENGTH = 2000
"""Of what is said in public about a withdrawn, hidden or verified entry."""


@transaction.atomic
def publish_entry(
    entry: Entry,
    *,
    user: User | None,
    leaving_out: bool = False,
    secrets_acknowledged: bool = False,
) -> Entry:
    """Put a draft on its board; where it is a new version, the one before it leaves the board.

    Idempotent: of two people who publish the same draft one does, and both get the published entry.

    Args:
        entry: a draft that was uploaded; one of a run is published with its run.
        user: who asked for it.
        leaving_out: publish although files of its upload were refused, whose results are then missing.
        secrets_acknowledged: publish although something in its files looks like a secret.

    Raises:
        InputError: it has no attempt, its upload is not through, something is not acknowledged, another
            entry has its name, it is withdrawn or hidden, or its team has published enough for a day.
    """
    draft = lock_entry(entry)
    if draft.is_open:
        return draft
    _check_can_follow(draft, EntryState.PUBLISHED)
    _check_is_ready(draft)
    _check_is_acknowledged(draft, leaving_out=leaving_out, secrets_acknowledged=secrets_acknowledged)
    if draft.team:
        check_can_publish(draft.team)
    return put_on_board(draft, user=user)


def put_on_board(draft: Entry, *, user: User | None) -> Entry:
    """The one way onto a board, for a draft that `lock_entry` gave, in the caller's transaction.

    Raises:
        InputError: another entry has its name, or it has a name that no board can show.
    """
    # Publications under one name go one after another.
    agent = Agent.objects.select_for_update().get(pk=draft.agent_id)
    check_names(agent.name, agent.model)
    line = line_before(draft)
    replaced = on_board(line)
    check_name_is_free(draft.task_set, agent.name, agent.model, besides=replaced)
    if replaced:
        _move(lock_entry(replaced), EntryState.SUPERSEDED)
        record_event("supersede entry", replaced, actor=user, by=draft.slug)
    previous = line[-1] if line else None
    version = previous.version + 1 if previous else 1
    _move(draft, EntryState.PUBLISHED, version=version, previous=previous)
    record_event("publish entry", draft, actor=user, version=version)
    return draft


@transaction.atomic
def withdraw_entry(entry: Entry, *, user: User | None, reason: str) -> Entry:
    """Take an entry back for good: its addresses stay, and say so. The version before it is published again.

    Args:
        entry: a published or superseded one.
        user: who asked for it.
        reason: why, for everybody to read.

    Raises:
        InputError: there is no reason, or it is in a state that can't be withdrawn from.
    """
    locked = lock_entry(entry)
    was_on_board = locked.is_published
    _move(locked, EntryState.WITHDRAWN, state_reason=said_in_public(locked, reason))
    record_event("withdraw entry", locked, actor=user, reason=locked.state_reason)
    if was_on_board:
        _bring_back_the_version_before(locked, user=user)
    return locked


@transaction.atomic
def hide_entry(entry: Entry, *, user: User | None, reason: str) -> Entry:
    """Take an entry off the site for a reason that everybody can read; an operator's decision.

    Raises:
        InputError: there is no reason, or it is neither published nor superseded.
    """
    locked = lock_entry(entry)
    _move(locked, EntryState.HIDDEN, state_reason=said_in_public(locked, reason))
    record_event("hide entry", locked, actor=user, reason=locked.state_reason)
    return locked


@transaction.atomic
def show_entry(entry: Entry, *, user: User | None) -> Entry:
    """Show a hidden entry again: on its board, or as an older version where a newer one is published.

    Raises:
        InputError: it is not hidden, or another entry has its name by now.
    """
    locked = lock_entry(entry)
    if locked.state != EntryState.HIDDEN:
        raise entry_problem(locked, "it is not hidden", "load the page again")
    if on_board(line_of(locked)):
        _move(locked, EntryState.SUPERSEDED)
    else:
        check_name_is_free(locked.task_set, locked.agent.name, locked.agent.model, besides=locked)
        _move(locked, EntryState.PUBLISHED)
    record_event("show entry", locked, actor=user)
    return locked


@transaction.atomic
def discard_draft(entry: Entry, *, user: User | None) -> None:
    """Delete a draft with its attempts and their files. Its upload stays, without an entry.

    Raises:
        InputError: it is no draft, or a run's.
    """
    draft = lock_entry(entry)
    if not draft.is_draft:
        raise entry_problem(draft, "it is not a draft", "withdraw it")
    if Run.objects.filter(entry=draft).exists():
        raise entry_problem(draft, "it gathers the results of a run", "it goes on with its run")
    files = list(AttemptFile.objects.filter(attempt__entry=draft).values_list("blob", flat=True))
    record_event("discard draft", str(draft), actor=user, slug=draft.slug)
    draft.delete()
    forget_agent(draft.agent_id)
    transaction.on_commit(lambda: discard_unnamed(files))


def lock_entry(entry: Entry) -> Entry:
    """The entry as it is now, held fast until the caller's transaction ends.

    Raises:
        InputError: somebody has discarded it.
    """
    rows = Entry.objects.select_for_update(of=("self",)).select_related("agent", "task_set__benchmark")
    locked = rows.filter(pk=entry.pk).first()
    if locked is None:
        raise entry_problem(entry, "it has been discarded", "upload it again")
    return locked


def said_in_public(entry: Entry, text: str) -> str:
    """A reason as it is stored; `InputError` where it is none, or too long."""
    text = storable(text).strip()
    if not 1 <= len(text) <= REASON_LENGTH:
        reason = f"what is said about it has 1 to {REASON_LENGTH:,} characters"
        raise entry_problem(entry, reason, "say it in a sentence")
    return text


def entry_problem(entry: Entry, reason: str, remedy: str) -> InputError:
    """What to raise about an entry."""
    return InputError(Problem(str(entry), "", reason, remedy))


def _move(entry: Entry, wanted: EntryState, *, state_reason: str = "", **changes: Any) -> None:
    """Move a locked entry along the table, its figures on or off the board with it."""
    _check_can_follow(entry, wanted)
    now = timezone.now()
    changes |= {"state": wanted, "state_since": now, "state_reason": state_reason}
    if wanted is EntryState.PUBLISHED:
        changes["published"] = Coalesce("published", now)
    try:
        with transaction.atomic():
            moved = Entry.objects.filter(pk=entry.pk, state=entry.state).update(**changes)
    except IntegrityError as error:
        # An import has brought an entry of the same name since it was found to be free.
        reason = f"{entry.agent} has an entry on this board already"
        raise entry_problem(entry, reason, "give it another name or model name") from error
    if not moved:
        raise entry_problem(entry, "somebody else has just changed it", "load the page again")
    entry.figures.update(task_set=entry.task_set if wanted is EntryState.PUBLISHED else None)
    entry.refresh_from_db()


def _bring_back_the_version_before(entry: Entry, *, user: User | None) -> None:
    superseded = [each for each in line_of(entry) if each.state == EntryState.SUPERSEDED]
    if not superseded:
        return
    before = lock_entry(superseded[-1])
    if name_holder(before.task_set, before.agent.name, before.agent.model):
        # It had another name, and somebody else has that by now. Taking an entry back must not depend on it.
        return
    _move(before, EntryState.PUBLISHED)
    record_event("publish entry", before, actor=user, version=before.version, instead_of=entry.slug)


def _check_can_follow(entry: Entry, wanted: EntryState) -> None:
    try:
        ENTRY_MACHINE.check(EntryState(entry.state), wanted)
    except IllegalTransition as error:
        remedy = "load the page again: it has what can be done"
        raise entry_problem(entry, STANDING[EntryState(entry.state)], remedy) from error


def _check_is_ready(draft: Entry) -> None:
    if Run.objects.filter(entry=draft).exists():
        raise entry_problem(draft, "it gathers the results of a run", "publish it on the run's page")
    # Any, not only the newest: whichever is checked last rewrites the draft.
    if draft.uploads.filter(state__in=ON_ITS_WAY).exists():
        remedy = "wait until they are checked, or discard that upload"
        raise entry_problem(draft, "files for it are on their way", remedy)
    last = draft.uploads.order_by("-created").first()
    if last and last.state in (UploadState.INCOMPLETE, UploadState.FAILED):
        remedy = "see its report and have it checked again, or discard that upload"
        raise entry_problem(draft, "its last upload did not get through", remedy)
    if not draft.attempts.exists():
        raise entry_problem(draft, "it has no attempt", "upload files that can be used")


def _check_is_acknowledged(draft: Entry, *, leaving_out: bool, secrets_acknowledged: bool) -> None:
    wanted = acknowledgements(draft)
    if wanted.refused and not leaving_out:
        reason = plural(
            wanted.refused, "{n} file of its upload was refused", "{n} files of its upload were refused"
        )
        raise entry_problem(draft, reason, "upload them again, or publish leaving them out")
    if wanted.secrets and not secrets_acknowledged:
        reason = plural(
            wanted.secrets,
            "{n} place in its files or notes looks like a secret",
            "{n} places in its files or notes look like secrets",
        )
        raise entry_problem(draft, reason, "take them out and upload again, or say that they are none")


def check_can_publish(team: Team) -> None:
    """Check that ``team`` may publish one more entry within this day.

    Raises:
        QuotaExceeded: it may not before the time that the problem names.
    """
    most = settings.SUPERBOARD_PUBLICATIONS_PER_DAY
    recent = Entry.objects.filter(team=team, published__gt=timezone.now() - DAY)
    times = [at for at in recent.order_by("published").values_list("published", flat=True) if at]
    if len(times) >= most:
        reason = f"{team} has published {len(times):,} entries within a day (SUPERBOARD_PUBLICATIONS_PER_DAY)"
        raise QuotaExceeded(Problem(str(team), "", reason, room_again(times[-most] + DAY)))
