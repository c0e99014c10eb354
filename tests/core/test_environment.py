"""Settings fail with instructions: a malformed variable names itself, what is wrong, and an example."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.core.environment import Environment, stored_secret


@pytest.mark.parametrize(
    ("read", "value", "problem"),
    [
        (lambda env: env.flag("NAME", default=False), "maybe", "neither true nor false"),
        (lambda env: env.whole_number("NAME", default=25), "many", "not a whole number"),
        (lambda env: env.whole_number("NAME", default=25, at_least=1), "0", "below 1"),
        (
            lambda env: env.choice("NAME", default="INFO", choices=("INFO", "ERROR")),
            "loud",
            "not one of INFO, ERROR",
        ),
        (lambda env: env.pairs("NAME", example="a=b"), "a=b,c", "not a list of key=value"),
        (lambda env: env.origins("NAME"), "board.example.org", "does not start with https://"),
    ],
)
def test_a_malformed_variable_names_itself_its_value_its_problem_and_an_example(
    read: Callable[[Environment], object], value: str, problem: str
) -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        read(Environment({"NAME": value}))

    message = str(error.value)
    assert message.startswith(f"NAME is '{value}', which ")
    assert problem in message
    assert "Example: NAME=" in message


def test_a_missing_variable_says_why_it_is_needed_and_how_to_set_it() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        Environment({}).required("NAME", because="reasons", example="x")

    assert str(error.value) == "NAME is not set, and reasons. Set it, for example: NAME=x"


def test_an_empty_variable_counts_as_not_set() -> None:
    env = Environment({"NAME": " "})

    assert not env.is_set("NAME")
    assert env.whole_number("NAME", default=25) == 25
    assert env.comma_separated("NAME", default=("a", "b")) == ["a", "b"]


@pytest.mark.parametrize(
    ("word", "flag"), [("1", True), ("True", True), ("on", True), ("0", False), ("No", False)]
)
def test_a_flag_is_said_in_several_ways(word: str, flag: bool) -> None:
    assert Environment({"NAME": word}).flag("NAME", default=not flag) is flag


def test_a_database_url_that_is_wrong_is_not_repeated_for_it_may_hold_a_password() -> None:
    with pytest.raises(ImproperlyConfigured, match="NAME is not a database URL") as error:
        Environment({"NAME": "oracel://user:hunter2@host/db"}).database("NAME", default="", sqlite_options={})

    assert "hunter2" not in str(error.value)


def test_sqlite_options_are_not_given_to_postgresql() -> None:
    env = Environment({"NAME": "postgres://user:password@host:5432/superboard"})

    database = env.database("NAME", default="", sqlite_options={"transaction_mode": "IMMEDIATE"})

    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert "transaction_mode" not in database.get("OPTIONS", {})


def test_a_kept_secret_stays_the_same_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret-key"

    secret = stored_secret(path)

    assert len(secret) > 50
    assert stored_secret(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_pairs_are_keys_with_values() -> None:
    given = Environment({"NETWORKS": "super/masked=mirror, super/expert=none"})

    assert given.pairs("NETWORKS", example="a=b") == {"super/masked": "mirror", "super/expert": "none"}
    assert given.pairs("NOT_SET", example="a=b") == {}
