"""Operators add benchmarks and tasks on a page, as by command."""

from __future__ import annotations

import json
import textwrap

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard.models import AuditEvent, Benchmark, Task
from leaderboard.operating import forms
from tests.cast import PET, make_set
from tests.people import client_of
from tests.repository.files import ROOT

pytestmark = pytest.mark.django_db


def example() -> str:
    """The benchmark of docs/importing.md."""
    text = (ROOT / "docs/importing.md").read_text("utf-8").partition("    slug:")[2].partition("\n\n")[0]
    return textwrap.dedent(f"    slug:{text}")


def press(action: str, **fields: object) -> str:
    page = client_of("olga").post(reverse("operate-benchmarks"), {"action": action, **fields}, follow=True)
    assert page.status_code == 200
    return page.content.decode()


def tasks(*records: object, name: str = "tasks.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "".join(f"{json.dumps(each)}\n" for each in records).encode())


def test_a_preview_says_what_would_change_and_changes_nothing() -> None:
    page = press("preview", text=example())

    assert "<li>benchmark tiny-bench: added</li>" in page
    assert "<li>task set tiny-bench/hard: added</li>" in page
    assert "slug: tiny-bench" in page, "the text must stay in the form"
    assert not Benchmark.objects.exists()
    assert not AuditEvent.objects.exists()


def test_saving_adds_it_in_the_name_of_the_operator() -> None:
    assert "benchmark tiny-bench: added" in press("save", text=example())

    (found,) = Benchmark.objects.all()
    assert (found.name, [metric["key"] for metric in found.metrics]) == ("Tiny-Bench", ["reward", "regret"])
    assert AuditEvent.objects.get().actor.username == "olga"  # type: ignore[union-attr]
    assert "Nothing changed." in press("save", text=example())
    assert "This would change nothing." in press("preview", text=example())


def test_all_that_is_wrong_is_said_with_its_line_and_nothing_is_lost() -> None:
    page = press("save", text="slug: Not a slug\nname: x\ntask_sets: []\n")

    assert "line 1, $.slug" in page
    assert "line 3, $.task_sets" in page
    assert "slug: Not a slug" in page
    assert not Benchmark.objects.exists()


@pytest.mark.parametrize("text", ["{", "- &a [*a]", "\u0000", "[" * 500, "slug: [", "null"])
def test_a_text_that_is_no_benchmark_is_refused(text: str) -> None:
    assert 'role="alert"' in press("preview", text=text)
    assert not Benchmark.objects.exists()


def test_json_is_taken_as_json() -> None:
    press(
        "save",
        text='{"slug": "b", "name": "B", "scoring": "super", "task_sets": [{"slug": "s", "name": "S"}]}',
    )
    assert Benchmark.objects.get().scoring_name == "super"


def test_tasks_come_into_the_set_that_was_chosen() -> None:
    press("save", text=example())

    page = press("tasks", task_set="tiny-bench/hard", file=tasks({"task_id": "a"}, {"task_id": "b"}))

    assert "tiny-bench/hard: 2 added, 0 changed, 0 unchanged" in page
    assert list(Task.objects.values_list("task_set__slug", "task_id")) == [("hard", "a"), ("hard", "b")]
    assert AuditEvent.objects.filter(action="import tasks", actor__username="olga").count() == 1


def test_a_file_with_a_bad_task_is_refused_as_a_whole() -> None:
    make_set(PET)

    page = press("tasks", task_set="super/masked", file=tasks({"task_id": "new"}, {"task_id": 7}))

    assert "tasks.jsonl" in page
    assert "line 2" in page
    assert list(Task.objects.values_list("task_id", flat=True)) == ["pet"]


def test_a_file_beyond_the_limit_is_refused_with_the_way_that_takes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_set(PET)
    monkeypatch.setattr(forms, "MOST_TASK_BYTES", 10)

    assert "manage.py import_tasks" in press("tasks", task_set="super/masked", file=tasks({"task_id": "new"}))
    assert Task.objects.count() == 1


def test_a_set_that_is_not_there_is_refused() -> None:
    make_set(PET)
    assert "Select a valid choice" in press("tasks", task_set="super/none", file=tasks({"task_id": "new"}))


def test_the_list_has_every_benchmark_with_its_numbers() -> None:
    make_set(PET)
    press("save", text=example())

    page = client_of("olga").get(reverse("operate-benchmarks")).content.decode()

    assert '<th scope="row"><a href="/b/tiny-bench/">Tiny-Bench</a></th>' in page
    assert "<td>reported scores</td>" in page
    assert reverse("operate-benchmarks") in client_of("olga").get(reverse("operate")).content.decode()
