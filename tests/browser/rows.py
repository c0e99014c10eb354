"""All rows of the test's database, kept in a file and put back: quicker than to make them again."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction

KEPT = {"django_migrations"}
"""Tables that no test changes, and without which there is no database."""


def save_rows(file: Path) -> None:
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(file)) as copy:
            connection.connection.backup(copy)
        return
    rows = {}
    with connection.cursor() as cursor:
        for table in sorted({*connection.introspection.table_names()} - KEPT):
            with cursor.copy(f'COPY "{table}" TO STDOUT') as lines:
                rows[table] = b"".join(lines)
    file.write_bytes(pickle.dumps(rows))


def load_rows(file: Path) -> None:
    """Put saved rows in place of all that there are."""
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(file)) as copy:
            copy.backup(connection.connection)
        return
    rows = pickle.loads(file.read_bytes())  # noqa: S301 - our own file
    with transaction.atomic(), connection.cursor() as cursor:
        # Tables are filled in any order: no foreign key is looked at until all are there.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("TRUNCATE " + ", ".join(f'"{table}"' for table in rows))
        for table, lines in rows.items():
            with cursor.copy(f'COPY "{table}" FROM STDIN') as copy:
                copy.write(lines)
        for statement in connection.ops.sequence_reset_sql(no_style(), apps.get_models()):
            cursor.execute(statement)
