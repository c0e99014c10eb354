"""The revision of what readers without an account see: a number that every write of it moves.

Triggers of the database move it, within the writing transaction: no write can forget to, whatever code or
program makes it. The tables and conditions below say which rows count. A draft's do not, nor do accounts,
uploads, workers and steps of running jobs. Without a row there is no revision, and nothing is kept by it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import Error, connection, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.models.signals import post_migrate, pre_migrate
from django.dispatch import receiver

STEP: Final = 1_000_000
"""A write moves it by a random number up to this: after a backup is restored, no old one comes again."""


class Revision(models.Model):
    """A part of the revision, which is the sum of them.

    SQLite has one row. In PostgreSQL a transaction takes a row that no other holds, or adds one: with a
    single row, each writer would wait until the one before it has committed, and two for each other.
    """

    number = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table that readers see rows of.

    ``public`` is a condition in SQL on a ``{row}``. With ``columns``, only updates count, and only of those.
    """

    table: str
    public: str = "1 = 1"
    columns: tuple[str, ...] = ()


IN_ENTRY = "EXISTS (SELECT 1 FROM leaderboard_entry e WHERE e.id = {row}.entry_id AND e.state <> 'draft')"
IN_ATTEMPT = (
    "EXISTS (SELECT 1 FROM leaderboard_attempt a JOIN leaderboard_entry e ON e.id = a.entry_id"
    " WHERE a.id = {row}.attempt_id AND e.state <> 'draft')"
)
IN_RUN = (
    "EXISTS (SELECT 1 FROM leaderboard_run r JOIN leaderboard_entry e ON e.id = r.entry_id"
    " WHERE r.id = {row}.run_id AND e.state <> 'draft')"
)
WATCHED = (
    Watched("leaderboard_benchmark"),
    Watched("leaderboard_category"),
    Watched("leaderboard_taskset"),
    Watched("leaderboard_task"),
    Watched("leaderboard_task_categories"),
    Watched("leaderboard_entry", "{row}.state <> 'draft'"),
    Watched("leaderboard_figure", IN_ENTRY),
    Watched("leaderboard_standing"),
    Watched("leaderboard_attempt", IN_ENTRY),
    Watched("leaderboard_score", IN_ATTEMPT),
    Watched("leaderboard_landmarkoutcome", IN_ATTEMPT),
    Watched("leaderboard_attemptstep", IN_ATTEMPT),
    Watched("leaderboard_outputpage", IN_ATTEMPT),
    Watched("leaderboard_attemptfile", IN_ATTEMPT),
    # Readers see only these columns of these tables, beside an entry. A new row of one is seen only after a
    # write of the entry, which moves the revision.
    Watched("leaderboard_agent", columns=("name", "model")),
    Watched("leaderboard_team", columns=("name",)),
    Watched("auth_user", columns=("username",)),
    Watched("leaderboard_run", IN_ENTRY, columns=("agent", "agent_settings")),
    Watched("leaderboard_job", IN_RUN, columns=("state", "attempt_id", "environment")),
)
EVENTS: Final = ("insert", "update", "delete")
TRIGGER: Final = "moves_revision"
APP: Final = "leaderboard"
TABLE: Final = "leaderboard_revision"


def current_revision() -> int | None:
    """The revision of what is committed, or written by this transaction; None without one. One query."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT SUM(number) FROM leaderboard_revision")
            (total,) = cursor.fetchone()
    except Error:
        # The page says what is wrong with the database; or its tables are not made yet.
        return None
    return None if total is None else int(total)


def stop_revisions(database: BaseDatabaseWrapper) -> None:
    """Remove the triggers, and the revision: nothing is kept while nothing moves it."""
    tables = set(database.introspection.table_names())
    with transaction.atomic(using=database.alias):
        if TABLE in tables:
            Revision.objects.using(database.alias).all().delete()
        with database.cursor() as cursor:
            for watched in WATCHED:
                if watched.table in tables:
                    for statement in _drops(database.vendor, watched):
                        cursor.execute(statement)


def start_revisions(database: BaseDatabaseWrapper) -> None:
    """Make the triggers, and another revision than any before; neither if the tables are of other code."""
    migrations = MigrationExecutor(database)
    if migrations.migration_plan(migrations.loader.graph.leaf_nodes()):
        return
    with transaction.atomic(using=database.alias):
        with database.cursor() as cursor:
            if database.vendor == "postgresql":
                cursor.execute(MOVE_IN_POSTGRESQL)
            for watched in WATCHED:
                for statement in (*_drops(database.vendor, watched), *_triggers(database.vendor, watched)):
                    cursor.execute(statement)
        _begin(database)


@receiver(pre_migrate)
def before_migration(sender: Any, using: str, **_: Any) -> None:
    """SQLite renames no table while a trigger names one that is being made anew."""
    if sender.label == APP:
        stop_revisions(connections[using])


@receiver(post_migrate)
def after_migration(sender: Any, using: str, plan: Any = None, **_: Any) -> None:
    if sender.label != APP:
        return
    if plan is not None:
        start_revisions(connections[using])
    elif TABLE in connections[using].introspection.table_names():
        # After `flush`, which empties the tables.
        _begin(connections[using])


def _begin(database: BaseDatabaseWrapper) -> None:
    rows = Revision.objects.using(database.alias)
    rows.all().delete()
    rows.create(number=secrets.randbelow(1 << 50))


def _events(watched: Watched) -> tuple[str, ...]:
    return ("update",) if watched.columns else EVENTS


def _drops(vendor: str, watched: Watched) -> Iterator[str]:
    for event in EVENTS:
        name = f"{TRIGGER}_{watched.table}_{event}"
        if vendor == "postgresql":
            # Its trigger goes with it.
            yield f"DROP FUNCTION IF EXISTS {name} CASCADE"
        else:
            yield f"DROP TRIGGER IF EXISTS {name}"


def _triggers(vendor: str, watched: Watched) -> Iterator[str]:
    make = _in_postgresql if vendor == "postgresql" else _in_sqlite
    for event in _events(watched):
        yield from make(watched, event)


def _in_sqlite(watched: Watched, event: str) -> Iterator[str]:
    rows = {"insert": ("new",), "update": ("new", "old"), "delete": ("old",)}[event]
    when = " OR ".join(watched.public.format(row=row) for row in rows)
    if watched.columns:
        changed = " OR ".join(f"new.{column} IS NOT old.{column}" for column in watched.columns)
        when = f"({changed}) AND ({when})"
    of = f" OF {', '.join(watched.columns)}" if watched.columns else ""
    yield (
        f"CREATE TRIGGER {TRIGGER}_{watched.table}_{event} AFTER {event}{of} ON {watched.table}"  # noqa: S608
        f" FOR EACH ROW WHEN {when} BEGIN UPDATE leaderboard_revision"
        f" SET number = number + 1 + abs(random() % {STEP}); END"
    )


MOVE_IN_POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION {TRIGGER}() RETURNS void LANGUAGE plpgsql AS $$
DECLARE free bigint;
BEGIN
  SELECT id INTO free FROM leaderboard_revision ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
  IF FOUND THEN
    UPDATE leaderboard_revision SET number = number + 1 + floor(random() * {STEP})::bigint WHERE id = free;
  ELSE
    INSERT INTO leaderboard_revision (number) VALUES (1 + floor(random() * {STEP})::bigint);
  END IF;
END $$
"""  # noqa: S608


def _in_postgresql(watched: Watched, event: str) -> Iterator[str]:
    """Once for a statement, however many rows it writes."""
    name = f"{TRIGGER}_{watched.table}_{event}"
    public = watched.public.format(row="changed")
    tables = {"insert": "NEW TABLE AS changes", "delete": "OLD TABLE AS changes"}
    rows = "changes changed"
    if event == "update":
        rows = "(SELECT * FROM rows_after UNION ALL SELECT * FROM rows_before) changed"
        if watched.columns:
            after, before = (
                ", ".join(f"{row}.{column}" for column in watched.columns) for row in ("changed", "former")
            )
            rows = "rows_after changed JOIN rows_before former ON former.id = changed.id"
            public = f"({after}) IS DISTINCT FROM ({before}) AND {public}"
    yield (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"  # noqa: S608
        f" IF EXISTS (SELECT 1 FROM {rows} WHERE {public}) THEN PERFORM {TRIGGER}(); END IF;"
        " RETURN NULL; END $$"
    )
    seen = tables.get(event, "OLD TABLE AS rows_before NEW TABLE AS rows_after")
    yield (
        f"CREATE TRIGGER {name} AFTER {event} ON {watched.table} REFERENCING {seen}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
    )
