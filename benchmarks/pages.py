"""What pages weigh at first view and how many queries they run, at the smallest size and at the largest."""

from __future__ import annotations

import gzip
from html.parser import HTMLParser

from django.db import connection
from django.db.models import Count
from django.db.models.functions import Length
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.imports import import_runs
from benchmarks.table import Row
from benchmarks.temporary_site import get
from leaderboard.models import Attempt, Entry, OutputPage, Task, TaskSet

KILOBYTES, NODES, QUERIES = 200, 10_000, 8


class _Nodes(HTMLParser):
    """Counts what becomes a node of the document: elements and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count += 1

    def handle_data(self, data: str) -> None:
        self.count += 1


def measure() -> list[Row]:
    import_runs()
    attempts = Attempt.objects.filter(has_trajectory=True).annotate(size=Length("html")).order_by("size")
    small, large = attempts[0], attempts.reverse()[0]
    rows = _weight("the largest attempt", large)
    if pie_perf := attempts.filter(task__task_id="pie-perf", entry__agent__name="SWE-Agent").last():
        rows += _weight("pie-perf's attempt", pie_perf)
    return rows + [_queries(name, *pair) for name, pair in _addresses(small, large).items()]


def _weight(name: str, attempt: Attempt) -> list[Row]:
    compressed = get(attempt.get_absolute_url()).content
    nodes = _Nodes()
    nodes.feed(gzip.decompress(compressed).decode())
    return [
        Row(
            f"{name}, {attempt.step_count} steps",
            len(compressed) / 1000,
            KILOBYTES,
            "kB",
            "at most 200 kB compressed",
        ),
        Row(f"{name}, first view", nodes.count, NODES, "nodes", "at most 10,000"),
    ]


def _addresses(small: Attempt, large: Attempt) -> dict[str, tuple[str, str]]:
    """The smallest and the largest of each page."""
    entries = Entry.objects.filter(attempted__gt=0).order_by("attempted")
    tasks = Task.objects.annotate(n=Count("attempts")).filter(n__gt=0).order_by("n")
    tasks = tasks.select_related("task_set__benchmark")
    sets = TaskSet.objects.annotate(n=Count("tasks")).filter(n__gt=0).order_by("n")
    boards = [(each.benchmark.slug, each.slug) for each in (sets[0], sets.reverse()[0])]
    pages = OutputPage.objects.annotate(size=Length("html")).order_by("size")
    outputs = [
        reverse("output", args=(page.attempt_id, page.step, page.part, page.number))
        for page in (pages[0], pages.reverse()[0])
    ]
    return {
        "attempt": (small.get_absolute_url(), large.get_absolute_url()),
        "board": (reverse("board", args=boards[0]), reverse("board", args=boards[1])),
        "entry": (entries[0].get_absolute_url(), entries.reverse()[0].get_absolute_url()),
        "task": (tasks[0].get_absolute_url(), tasks.reverse()[0].get_absolute_url()),
        "list of tasks": (reverse("tasks", args=boards[0]), reverse("tasks", args=boards[1])),
        "search": (f"{reverse('find', args=(small.pk,))}?q=e", f"{reverse('find', args=(large.pk,))}?q=e"),
        "long output": (outputs[0], outputs[1]),
    }


def _queries(name: str, small: str, large: str) -> Row:
    bound = f"at most {QUERIES}, at the smallest {_count_queries(small)}"
    return Row(f"queries of a page: {name}, at the largest", _count_queries(large), QUERIES, "queries", bound)


def _count_queries(address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        get(address)
    return len(queries)
