"""An entry's badge and citation, and the feeds of new ones."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.domain.entries import Provenance
from leaderboard.entries.sharing import citation
from leaderboard.models import Entry, Team
from tests.cast import NOVICE, PET, RIVAL, SOLVER, make_set, report
from tests.entries.cast import make_draft, team_of

pytestmark = pytest.mark.django_db
SITE = "https://boards.example.org"


@pytest.fixture(autouse=True)
def entries(settings: Settings) -> dict[str, Entry]:
    """Rival leads, Solver follows, Novice is self-reported; a draft besides."""
    settings.SUPERBOARD_URL = SITE
    task_set = make_set(PET)
    made = {
        name: report(task_set, name, {"pet": value})
        for name, value in ((RIVAL, 1.0), (SOLVER, 0.5), (NOVICE, 0.9))
    }
    for name in (RIVAL, SOLVER):
        made[name].figures.update(ranked=True)
    made[NOVICE].figures.update(ranked=False)
    made["draft"] = make_draft(task_set, {"pet": 1.0}, agent="Hidden")
    return made


@pytest.mark.parametrize(
    ("agent", "told"),
    [(SOLVER, "accuracy 50.0, rank 2"), (RIVAL, "accuracy 100.0, rank 1"), (NOVICE, "not ranked")],
)
def test_a_badge_says_figure_and_rank(
    client: Client, entries: dict[str, Entry], agent: str, told: str
) -> None:
    answer = client.get(reverse("badge", args=(entries[agent].slug,)))

    assert answer["Content-Type"] == "image/svg+xml"
    assert re.findall(r"<text[^>]*>([^<]*)<", answer.content.decode()) == ["SUPER Masked", told]


def test_a_page_has_its_citation_and_its_badge_to_copy(client: Client, entries: dict[str, Entry]) -> None:
    page = client.get(entries[SOLVER].get_absolute_url()).content.decode()

    assert f"url = {{{SITE}{entries[SOLVER].get_absolute_url()}}}" in page
    assert f"({SITE}{reverse('badge', args=(entries[SOLVER].slug,))})" in page


def test_in_a_citation_no_letter_of_a_name_means_anything_to_tex(entries: dict[str, Entry]) -> None:
    entry = entries[SOLVER]
    entry.agent.name = r"A_{b}\c$d%e"

    assert (
        r"title = {A\_\textbraceleft{}b\textbraceright{}\textbackslash{}c\$d\%e · gpt-4o on SUPER Masked}"
        in citation(entry)
    )


def test_a_feed_has_the_newest_entries_and_no_draft(client: Client, entries: dict[str, Entry]) -> None:
    board = reverse("board-feed", args=("super", "masked"))
    # Whatever host was asked, links are the site's own.
    texts = [
        client.get(path, headers={"host": "localhost"}).content.decode() for path in (reverse("feed"), board)
    ]

    for text in texts:
        titles = re.findall(r"<title>([^<]+)</title>", text)
        assert [title.partition(" ")[0] for title in titles[1:]] == [NOVICE, SOLVER, RIVAL]
        assert f'href="{SITE}{entries[RIVAL].get_absolute_url()}"' in text
        assert "Hidden" not in text
        assert "localhost" not in text


def test_a_feed_shows_a_team_s_name_as_text(client: Client, entries: dict[str, Entry]) -> None:
    """What a reader's program takes for HTML."""
    team = team_of("alice")
    Team.objects.filter(pk=team.pk).update(name="<img src=x>")
    Entry.objects.filter(pk=entries[SOLVER].pk).update(team=team, provenance=Provenance.SUBMITTED)
    summaries = re.findall(r'<summary type="html">([^<]*)<', client.get(reverse("feed")).content.decode())

    # Escaped once for HTML, and once more for XML.
    assert "1 task attempted, submitted by the team “&amp;lt;img src=x&amp;gt;”." in summaries


def test_an_empty_feed_stays_as_it_is(client: Client, entries: dict[str, Entry]) -> None:
    Entry.objects.all().update(state="draft")
    texts = {client.get(reverse("feed")).content for _ in range(2)}

    assert [b"<updated>1970-01-01T00:00:00+00:00</updated>" in text for text in texts] == [True]
