"""Two at once: everything is there once, and nobody sees an error."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from django.db import connection

from leaderboard.models import Attempt, AttemptStep, Entry, Score, TaskSet
from leaderboard.operating.imports import RunImport
from tests.cast import CET, PET, add_attempt, bring_in, history, make_set, metrics, stored_blobs


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_the_same_folder_end_with_one_attempt_each(tmp_path: Path) -> None:
    task_set = make_set(PET, CET)
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(1, 1, 1, 1))
    add_attempt(tmp_path, "cet", history=history("0.25"))
    together = Barrier(2)

    def import_it(_: int) -> RunImport:
        try:
            together.wait(timeout=10)
            return bring_in(tmp_path, TaskSet.objects.get(pk=task_set.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(import_it, range(2)))

    assert [report.problems for report in reports] == [[], []]
    assert sorted(task for report in reports for task in report.added) == ["cet", "pet"]
    assert Entry.objects.get().attempted == 2
    assert Attempt.objects.count() == 2
    assert AttemptStep.objects.count() == 4
    assert Score.objects.count() == 2 * 2 * 4 + 4
    assert len(stored_blobs()) == 6
