"""What search engines and other programs find of the site: a map, an icon, descriptions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from leaderboard.catalogue.sitemaps import SITEMAPS
from leaderboard.models import Attempt, Entry
from tests.cast import CET, PET, SOLVER, make_set, report
from tests.entries.cast import make_draft

pytestmark = pytest.mark.django_db
SITE = "https://boards.example.org"


@pytest.fixture(autouse=True)
def entry(settings: Settings) -> Entry:
    """A published entry with a trajectory, beside a draft."""
    settings.SUPERBOARD_URL = SITE
    task_set = make_set(PET, CET)
    published = report(task_set, SOLVER, {"pet": 1.0})
    Attempt.objects.filter(entry=published).update(has_trajectory=True)
    make_draft(task_set, {"pet": 0.5}, agent="Hidden", trajectories=True)
    return published


def addresses(client: Client, path: str) -> list[str]:
    # Whatever host was asked, links are the site's own.
    answer = client.get(path, headers={"host": "localhost"})
    return re.findall(r"<loc>([^<]+)</loc>", answer.content.decode())


def test_the_sitemap_has_every_public_page_and_no_draft(client: Client, entry: Entry) -> None:
    sections = ("boards", "docs", "tasks", "entries", "attempts")
    parts = [f"{SITE}{reverse('sitemap', args=(name,))}" for name in sections]
    assert addresses(client, reverse("sitemaps")) == parts
    found = [each for name in sections for each in addresses(client, reverse("sitemap", args=(name,)))]

    attempt = entry.attempts.get()
    pages = [entry.task_set.get_absolute_url(), attempt.task.get_absolute_url(), entry.get_absolute_url()]
    assert {f"{SITE}{path}" for path in (*pages, attempt.get_absolute_url(), "/", "/about/")} <= {*found}
    assert [each for each in found if "/e/" in each] == [f"{SITE}{entry.get_absolute_url()}"]
    assert sum("/a/" in each for each in found) == 1
    assert all(client.get(each.removeprefix(SITE)).status_code == 200 for each in found)


def test_the_index_of_the_sitemap_reads_no_row_of_what_it_lists(client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get(reverse("sitemaps"))

    read = [query["sql"] for query in queries if "leaderboard_attempt" in query["sql"]]
    assert all("COUNT(*)" in sql for sql in read)


def test_a_long_part_of_the_sitemap_is_in_the_index_page_by_page(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SITEMAPS["tasks"], "limit", 1)
    part = f"{SITE}{reverse('sitemap', args=('tasks',))}"

    assert [each for each in addresses(client, reverse("sitemaps")) if part in each] == [part, f"{part}?p=2"]
    assert len(addresses(client, f"{reverse('sitemap', args=('tasks',))}?p=2")) == 1


def test_robots_hear_of_the_map_and_keep_out_of_endless_pages(client: Client) -> None:
    text = client.get(reverse("robots")).content.decode()

    assert f"Sitemap: {SITE}/sitemap.xml" in text
    assert "Disallow: /search/" in text
    # A comparison is found by a link to it alone, as its choices are a form.
    assert "/compare/" not in text


def test_an_icon_is_at_the_address_where_programs_look(client: Client) -> None:
    assert client.get(reverse("favicon"))["Location"] == "/static/img/favicon.ico"
    icon = Path(str(finders.find("img/favicon.ico"))).read_bytes()
    assert icon[:6] == b"\x00\x00\x01\x00\x03\x00", "an icon file of three sizes"


def test_each_page_has_a_title_and_a_description_of_its_own(client: Client, entry: Entry) -> None:
    attempt = entry.attempts.get()
    board = entry.task_set.get_absolute_url()
    paths = [
        board,
        f"{board}t/",
        f"{board}failures/",
        f"{board}grid/",
        f"{board}history/",
        "/about/",
        "/compare/",
    ]
    paths += [each.get_absolute_url() for each in (entry, attempt, attempt.task)]
    heads = []
    for path in paths:
        page = client.get(path).content.decode()
        title = re.search(r"<title>(.*?)</title>", page, re.S)
        about = re.search(r'name="description"\s+content="([^"]*)"', page)
        assert title
        assert about
        heads.append((" ".join(title[1].split()), " ".join(about[1].split())))

    titles, descriptions = zip(*heads, strict=True)
    assert len({*titles}) == len({*descriptions}) == len(paths)
    assert all(20 <= len(each) <= 200 for each in descriptions)


def test_a_name_can_not_end_a_description(client: Client, entry: Entry) -> None:
    entry.agent.name = '"><script>alert(1)</script>'
    entry.agent.save()

    assert "<script>alert" not in client.get(entry.get_absolute_url()).content.decode()


def test_an_address_that_there_is_not_still_has_the_boards(client: Client) -> None:
    response = client.get("/nothing/")
    page = response.content.decode()

    assert response.status_code == 404
    assert 'href="/b/super/masked/"' in page
    assert "There is no such page" in page
