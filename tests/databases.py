"""Copies of the test's database, and what an earlier release would have in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models.revisions import start_revisions, stop_revisions


@contextmanager
def copied(suffix: str) -> Iterator[str]:
    """Copy the database of the connection, which nothing else may use now, and give the copy's name."""
    connection.close()
    connection.creation.clone_test_db(suffix, verbosity=0, autoclobber=True)
    yield str(connection.creation.get_test_db_clone_settings(suffix)["NAME"])
    connection.creation.destroy_test_db(suffix=suffix, verbosity=0)


@contextmanager
def connected_to(name: str) -> Iterator[None]:
    """Use another database."""
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


def migrate(name: str) -> Apps:
    """Change the database to what it is after the migration of this name, and return its tables."""
    # As the command does before it migrates.
    stop_revisions(connection)
    executor = MigrationExecutor(connection)
    executor.migrate([("leaderboard", name)])
    return executor.loader.project_state([("leaderboard", name)]).apps


def migrate_to_the_newest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    start_revisions(connection)
