"""Every sentence that a person reads goes through gettext, wherever in the code it was made."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.translation import override, trans_real
from leaderboard.domain.texts import ngettext, verbatim
from pytest_django import Settings
from runner.execution.sentences import text_of
from runner.words import Template

from leaderboard.core.labels import translated
from leaderboard.models import Attempt, Score
from leaderboard.runs.claims import give_back, note_worker, sweep
from runner.sandbox.base import SandboxError
from runner.worker.maintenance import shortage
from tests.cast import PET, add_attempt, bring_in, history, make_set
from tests.repository.files import code, name_of, nodes
from tests.runs.cast import WORKER, claim, finish, make_run, unit_of

TRANSLATES = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext"}
"""The names under which sentences are made."""


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(User.objects.create_user("olga", is_staff=True))
    return client


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language in which every text has brackets around it."""
    told = trans_real.DjangoTranslation
    monkeypatch.setattr(told, "gettext", lambda _self, text: f"⟦{text}⟧")
    monkeypatch.setattr(told, "ngettext", lambda _self, one, many, n: f"⟦{one if n == 1 else many}⟧")


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_what_was_odd_in_a_file_is_in_the_language_of_the_reader(client: Client, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history(observation=None))
    bring_in(tmp_path, make_set(PET))

    shown = page(client, Attempt.objects.get().get_absolute_url())

    assert "⟦⟦pet/history.json, $.history[0].observation⟧: ⟦step 1 has no observation⟧⟧" in shown


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_why_a_score_is_missing_is_in_the_language_of_the_reader(client: Client, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}))
    bring_in(tmp_path, make_set(PET))
    reason = ngettext("landmark {numbers} timed out", "landmarks {numbers} timed out", 1, numbers="2")
    Score.objects.filter(metric="landmarks").update(value=None, reason=reason)
    attempt = Attempt.objects.get()

    for shown in (attempt.task, attempt):
        assert "⟦landmark 2 timed out⟧" in page(client, shown.get_absolute_url())


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_why_a_unit_was_given_back_is_in_the_language_of_the_reader(olga: Client) -> None:
    make_run()
    held = claim()
    give_back(held, text_of(SandboxError(Template("{name} is not a file"), name="a.py")), again=False)
    unit = unit_of(held)

    for shown in (unit, unit.run):
        assert "⟦a.py is not a file⟧" in page(olga, shown.get_absolute_url())


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_a_worker_that_stopped_answering_is_said_so(olga: Client, settings: Settings) -> None:
    settings.RUNNER_LEASE_SECONDS = -1
    make_run()
    unit = unit_of(claim())
    sweep()

    assert f"⟦worker {WORKER} stopped answering in take 1⟧" in page(olga, unit.get_absolute_url())


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_why_a_worker_takes_no_unit_is_in_the_language_of_the_reader(
    olga: Client, settings: Settings
) -> None:
    settings.RUNNER_MIN_FREE_DISK_MB = 10**9
    note_worker(WORKER, shortage())

    assert "MB of disk are free, fewer than RUNNER_MIN_FREE_DISK_MB=1000000000⟧" in page(
        olga, reverse("runs")
    )


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_what_a_form_refuses_is_in_the_language_of_the_reader(olga: Client) -> None:
    make_set(PET)
    asked = {"scaffold": "react", "model": "m", "attempts": 1, "max_parallel": 1, "tasks": ["pet"]}
    fields = {**asked, "sandbox": "docker", "setting-model": "m", "setting-temperature": "9"}

    shown = olga.post(reverse("new-run") + "?agent=react&set=masked", fields).content.decode()

    assert "⟦temperature: ⟦must be at most 2⟧⟧" in shown


@pytest.mark.django_db
@pytest.mark.usefixtures("made_up")
def test_how_an_entry_was_made_here_is_in_the_language_of_the_reader(olga: Client) -> None:
    make_run()
    unit = finish(claim())
    unit.environment = {"kind": "local", "limits": {"kept": 12_000}}
    unit.save()

    shown = page(olga, unit.run.entry.get_absolute_url())

    for words in ("<span>⟦run here⟧</span>", "<dt>⟦Sandbox⟧</dt>", "⟦characters of an output kept⟧ 12,000"):
        assert words in shown


@pytest.mark.usefixtures("made_up")
def test_an_engines_own_words_stay_as_they_are() -> None:
    with override("en"):
        assert translated(verbatim("no route to host")) == "no route to host"


def called(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in nodes(path):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, node


@pytest.mark.parametrize("path", [p for p in code() if not name_of(p).startswith("tests/")], ids=name_of)
def test_no_sentence_is_put_together_by_hand(path: Path) -> None:
    by_hand = (ast.JoinedStr, ast.BinOp)
    found = []
    for name, call in called(path):
        parts: list[Any] = []
        if name == "Problem":
            parts = [*call.args[2:], *(k.value for k in call.keywords if k.arg in ("reason", "remedy"))]
        elif name in TRANSLATES:
            parts = call.args[: 2 if name == "ngettext" else 1]
        found += [f"line {part.lineno}" for part in parts if isinstance(part, by_hand)]
    assert found == []


def templates() -> set[str]:
    """Every literal that our code hands to one of the functions that translate."""
    found = set()
    for path in code():
        if name_of(path).startswith(("leaderboard/", "runner/")):
            for name, call in called(path):
                if name in TRANSLATES and call.args and isinstance(call.args[0], ast.Constant):
                    found.add(str(call.args[0].value))
    return found


def test_makemessages_finds_every_sentence_of_the_code(tmp_path: Path) -> None:
    assert shutil.which("xgettext"), "there is no xgettext: apt-get install gettext"
    for path in code():
        if name_of(path).startswith(("leaderboard/", "runner/")):
            target = tmp_path / name_of(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    (tmp_path / "locale").mkdir()
    command = [sys.executable, "-m", "django", "makemessages", "--locale=de", "--no-location"]
    environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}

    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)

    catalogue = (tmp_path / "locale" / "de" / "LC_MESSAGES" / "django.po").read_text()
    entries = re.findall(r'^msgid ((?:".*"\n)+)', catalogue, re.MULTILINE)
    known = {"".join(map(ast.literal_eval, entry.splitlines())) for entry in entries}
    missing = templates() - known
    assert missing == set()
    assert len(known) > 300
