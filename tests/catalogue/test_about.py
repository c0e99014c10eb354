"""The about page is made from data: what each benchmark of the site says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.services import save_benchmark

pytestmark = pytest.mark.django_db
SOME = {
    "slug": "some",
    "name": "Some benchmark",
    "summary": "",
    "url": "",
    "position": 9,
    "metrics": [
        {"key": "accuracy", "label": "Hits", "about": "How often it was hit."},
        {"key": "joules", "label": "Energy", "about": "What it took.", "unit": "count", "highest": None},
    ],
    "categories": [{"slug": "p", "name": "A paper"}],
    "task_sets": [{"slug": "all", "name": "All", "summary": ""}],
    "published": [
        {"task_set": "All", "agent": "A", "model": "m", "metric": "joules", "value": 1234, "source": "P"}
    ],
}


def load(name: str) -> None:
    path = Path(settings.BASE_DIR) / "fixtures" / name / "benchmark.json"
    save_benchmark(json.loads(path.read_text(encoding="utf-8")))


def sections(client: Client) -> list[Any]:
    found: list[Any] = client.get("/about/").context["sections"]
    return found


def test_the_published_figures_of_super_stand_on_it_with_their_source(client: Client) -> None:
    load("super")
    page = client.get("/about/").content.decode()

    for words in ("16.3", "46.1", "45.4", "41.6", "2409.07440", "mean of three seeds"):
        assert words in page


def test_it_has_a_section_for_each_scoring_with_metrics_scorers_and_groups(client: Client) -> None:
    load("super")
    load("warmup")
    save_benchmark(SOME)
    page = client.get("/about/").content.decode()

    both, some = sections(client)
    assert [benchmark.name for benchmark in both.benchmarks] == ["SUPER", "Warm-up"]
    assert [category.name for category in both.groups][:2] == ["Dependency", "Data"]
    assert len(both.groups) == 6
    assert "Packages have to be installed in versions that work together." in page
    assert "<code>super-strict</code>, version 2" in page
    assert "Scoring <code>super</code>, version 1" in page
    assert [term.metric.label for term in some.metrics] == ["Hits", "Energy"]
    assert "How often it was hit." in page
    assert "1,234" in page


def test_each_metric_has_a_place_of_its_own_and_old_links_still_lead_somewhere(client: Client) -> None:
    load("super")
    save_benchmark(SOME)
    page = client.get("/about/").content.decode()

    for place in ("accuracy", "scoring-super-accuracy", "benchmark-some-accuracy", "metrics", "cost"):
        assert page.count(f'id="{place}"') == 1, place


def test_it_asks_twice_for_any_number_of_benchmarks(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        save_benchmark({**SOME, "slug": f"some-{number}"})

    with django_assert_max_num_queries(2):
        assert client.get("/about/").status_code == 200


def test_a_site_without_a_benchmark_still_says_what_a_rank_needs(client: Client) -> None:
    assert "A rank needs evidence" in client.get("/about/").content.decode()
