"""The public pages for search engines: `/sitemap.xml`, an index of parts of bounded length."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.urls import reverse

from leaderboard.domain.entries import EntryState
from leaderboard.models import Attempt, Entry, Task, TaskSet

if TYPE_CHECKING:
    AnySitemap = Sitemap[Any]
else:
    # Django's is generic for type checkers alone.
    AnySitemap = Sitemap


OF_BOARD = ("board", "board-history", "tasks", "failures", "grid")
"""The pages of each board."""


class _Public(AnySitemap):
    """Addresses are those of `SUPERBOARD_URL`, not of the request's host."""

    limit = 2_000
    """Addresses of a part: one is made anew for each request."""

    def get_latest_lastmod(self) -> None:
        """Nothing: to find it for the index, Django reads every row."""

    def get_protocol(self, protocol: str | None = None) -> str:
        return urlsplit(settings.SUPERBOARD_URL).scheme

    def get_domain(self, site: object = None) -> str:
        return urlsplit(settings.SUPERBOARD_URL).netloc


class Boards(_Public):
    """The first page, what the figures mean, every benchmark, and every board with what belongs to it."""

    def items(self) -> list[str]:
        task_sets = TaskSet.objects.select_related("benchmark")
        slugs = [(each.benchmark.slug, each.slug) for each in task_sets]
        benchmarks = dict.fromkeys(benchmark for benchmark, _ in slugs)
        return [
            *(reverse(name) for name in ("home", "about", "api-reference", "sample-report")),
            *(reverse("benchmark", args=(each,)) for each in benchmarks),
            *(reverse(name, args=each) for each in slugs for name in OF_BOARD),
        ]

    def location(self, item: str) -> str:
        return item


class Guides(_Public):
    """The documentation."""

    def items(self) -> list[str]:
        return sorted(file.stem for file in (settings.BASE_DIR / "docs").glob("*.md"))

    def location(self, item: str) -> str:
        return reverse("guide", args=(item,))


class Tasks(_Public):
    """Every task's page."""

    def items(self) -> QuerySet[Task]:
        return Task.objects.select_related("task_set__benchmark").only(
            "task_id", "task_set__slug", "task_set__benchmark__slug"
        )


class Entries(_Public):
    """The published entries."""

    def items(self) -> QuerySet[Entry]:
        return Entry.objects.filter(state=EntryState.PUBLISHED).order_by("pk")

    def lastmod(self, item: Entry) -> datetime | None:
        return item.published_on or item.imported_on


class Attempts(_Public):
    """The trajectories of published entries."""

    def items(self) -> QuerySet[Attempt]:
        found = Attempt.objects.filter(entry__state=EntryState.PUBLISHED, has_trajectory=True)
        return found.only("recorded").order_by("pk")

    def lastmod(self, item: Attempt) -> datetime:
        return item.recorded


SITEMAPS: dict[str, type[AnySitemap]] = {
    "boards": Boards,
    "docs": Guides,
    "tasks": Tasks,
    "entries": Entries,
    "attempts": Attempts,
}
