"""What other sites show of a link to a page: title, description, address and picture."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO
from itertools import combinations

import pytest
from django.forms import Form
from django.test import Client
from django.urls import reverse
from PIL import Image
from pytest_django import Settings

from leaderboard.boards.forms import BoardForm, LevelsForm
from leaderboard.comparing.forms import CompareForm
from leaderboard.core.addresses import PUBLIC_PAGES
from leaderboard.entries.forms import AttemptsForm
from leaderboard.models import Agent, Attempt, AttemptStep, Entry, OutputPage
from leaderboard.search.forms import SearchForm
from leaderboard.tasks.forms import FailuresForm, TaskForm, TasksForm
from tests.cast import CET, NOVICE, PET, RIVAL, SOLVER, make_set, report
from tests.entries.cast import make_draft

pytestmark = pytest.mark.django_db
SITE = "https://boards.example.org"
FORMS: dict[str, type[Form]] = {
    "board": BoardForm,
    "benchmark": LevelsForm,
    "compare": CompareForm,
    "tasks": TasksForm,
    "failures": FailuresForm,
    "task": TaskForm,
    "entry": AttemptsForm,
    "search": SearchForm,
}


@pytest.fixture(autouse=True)
def entries(settings: Settings) -> dict[str, Entry]:
    """Rival leads, Solver follows, each with a trajectory; a draft besides."""
    settings.SUPERBOARD_URL = SITE
    task_set = make_set(PET, CET)
    made = {name: report(task_set, name, {"pet": value}) for name, value in ((RIVAL, 1.0), (SOLVER, 0.5))}
    for entry in made.values():
        entry.figures.update(ranked=True)
        entry.attempts.update(has_trajectory=True)
        attempt = entry.attempts.get()
        AttemptStep.objects.create(attempt=attempt, number=1, kind="execute", observation="epoch 1")
        OutputPage.objects.create(
            attempt=attempt, step=1, part="observation", number=1, first_line=1, last_line=1, start=0, end=7
        )
    made["draft"] = make_draft(task_set, {"pet": 1.0}, agent="Hidden", trajectories=True)
    return made


def head_of(client: Client, address: str, status: int = 200) -> dict[str, str]:
    """What a page's head says: its title, and each of its meta elements and links by name."""
    # Whatever host was asked, addresses are the site's own.
    response = client.get(address, headers={"host": "localhost"})
    assert response.status_code == status
    head = response.content.decode().partition("</head>")[0]
    assert head.count("<title>") == 1
    title = re.search(r"<title>(.*?)</title>", head, re.DOTALL)
    assert title
    named = re.findall(r'<meta (?:property|name)="([^"]+)"\s+content="([^"]*)"', head)
    links = re.findall(r'<link rel="(canonical)" href="([^"]*)"', head)
    assert len(dict(named)) == len(named), "nothing is said twice"
    return {name: unescape(value) for name, value in [("title", title[1]), *named, *links]}


def kinds(entries: dict[str, Entry]) -> dict[str, str]:
    """An address of every kind of page for all readers, by the name of its address."""
    board = ("super", "masked")
    one, other = (entries[name].attempts.get() for name in (RIVAL, SOLVER))
    addresses = {
        **{name: reverse(name) for name in ("home", "about", "search", "api-reference", "submit")},
        **{
            name: reverse(name, args=board)
            for name in ("board", "board-history", "grid", "tasks", "failures")
        },
        "sample-report": reverse("sample-report"),
        "benchmark": reverse("benchmark", args=("super",)),
        "compare": f"{reverse('compare')}?e={entries[RIVAL].slug}&e={entries[SOLVER].slug}",
        "task": reverse("task", args=(*board, "pet")),
        "task-parting": f"{reverse('task-parting', args=(*board, 'pet'))}?one={one.pk}&other={other.pk}",
        "entry": entries[RIVAL].get_absolute_url(),
        "versions": reverse("versions", args=(entries[RIVAL].slug,)),
        "attempt": one.get_absolute_url(),
        "output": reverse("output", args=(one.pk, 1, "observation", 1)),
        "find": reverse("find", args=(one.pk,)),
        "guide": reverse("guide", args=("sharing",)),
    }
    assert addresses.keys() == PUBLIC_PAGES.keys()
    addresses["attempt beside another"] = f"{one.get_absolute_url()}?vs={other.pk}"
    addresses["attempt to set beside another"] = f"{one.get_absolute_url()}?vs="
    addresses |= {name: reverse(name) for name in ("sign-in", "account_signup", "account_reset_password")}
    return addresses


def test_no_two_kinds_of_page_share_a_title_or_a_description(
    client: Client, entries: dict[str, Entry]
) -> None:
    heads = {name: head_of(client, address) for name, address in kinds(entries).items()}

    for one, other in combinations(heads, 2):
        assert heads[one]["title"] != heads[other]["title"], (one, other)
        assert heads[one]["description"] != heads[other]["description"], (one, other)
    for name, head in heads.items():
        assert 20 <= len(head["description"]) <= 200, name
        assert head["og:title"] == head["title"].removesuffix(" · Superboard")
        assert head["og:description"] == head["description"]


def test_a_public_page_says_its_lasting_address_and_others_say_none(
    client: Client, entries: dict[str, Entry]
) -> None:
    for name, address in kinds(entries).items():
        head = head_of(client, address)
        assert head.get("canonical") == head.get("og:url")
        if name in PUBLIC_PAGES:
            assert head["canonical"].partition("?")[0] == SITE + address.partition("?")[0]
        elif "attempt" not in name:
            assert "canonical" not in head, name


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("?utm_source=x&sort=-accuracy&page=1", ""),
        ("?sort=accuracy&page=2", "?page=2&sort=accuracy"),
        ("?scorer=reported&agent=&at=2026-11-01", "?at=2026-11-01&scorer=reported"),
        ("?q=%22%3E%3Cscript%3E", "?q=%22%3E%3Cscript%3E"),
    ],
)
def test_of_a_query_an_address_keeps_what_changes_the_content(client: Client, query: str, kept: str) -> None:
    address = reverse("board", args=("super", "masked"))

    assert head_of(client, address + query)["canonical"] == f"{SITE}{address}{kept}"


@pytest.mark.parametrize("name", FORMS)
def test_no_filter_is_missing_from_what_an_address_may_keep(name: str) -> None:
    assert {*FORMS[name].base_fields} <= PUBLIC_PAGES[name]


def test_a_link_to_a_board_or_an_entry_has_a_picture(client: Client, entries: dict[str, Entry]) -> None:
    addresses = kinds(entries)
    board, entry = head_of(client, addresses["board"]), head_of(client, addresses["entry"])

    assert entry["og:image"] == head_of(client, addresses["attempt"])["og:image"] != board["og:image"]
    assert board["og:image"] == head_of(client, addresses["task"])["og:image"]
    for head in (board, entry):
        assert head["twitter:card"] == "summary_large_image"
        assert (head["og:image:width"], head["og:image:height"]) == ("1200", "630")
        answer = client.get(head["og:image"].removeprefix(SITE))
        assert answer["Content-Type"] == "image/png"
        with Image.open(BytesIO(answer.content)) as image:
            assert image.size == (1200, 630)
        again = client.get(head["og:image"].removeprefix(SITE), headers={"If-None-Match": answer["ETag"]})
        assert again.status_code == 304


def test_a_picture_shows_the_figures_of_now(client: Client, entries: dict[str, Entry]) -> None:
    address = reverse("board-picture", args=("super", "masked"))
    before = client.get(address).content
    entries[RIVAL].figures.update(value=0.25)

    assert client.get(address).content != before


def test_a_draft_has_no_picture_and_nothing_tells_of_it(
    entries: dict[str, Entry], admin_client: Client
) -> None:
    draft = entries["draft"]

    assert "og:image" not in head_of(admin_client, draft.get_absolute_url())
    assert "og:image" not in head_of(admin_client, Attempt.objects.get(entry=draft).get_absolute_url())
    assert admin_client.get(reverse("entry-picture", args=(draft.slug,))).status_code == 404


def test_a_name_can_not_end_what_is_said_of_a_page(client: Client, entries: dict[str, Entry]) -> None:
    name = '"><script>alert(1)</script>'
    Agent.objects.filter(name=RIVAL).update(name=name)
    head = head_of(client, entries[RIVAL].get_absolute_url())

    assert head["og:title"].startswith(name)
    assert head["og:description"].startswith(name)
    assert head["og:image:alt"].startswith(name)


def test_an_address_that_there_is_not_names_no_address(client: Client) -> None:
    for address in ("/nothing/", "/a/999999/", "/e/nothing/"):
        head = head_of(client, address, 404)
        assert not {"canonical", "og:url", "og:image"} & head.keys()


def test_a_withdrawn_entry_has_neither_address_nor_picture(client: Client, entries: dict[str, Entry]) -> None:
    Entry.objects.filter(pk=entries[RIVAL].pk).update(state="withdrawn")
    head = head_of(client, entries[RIVAL].get_absolute_url(), 410)

    assert not {"canonical", "og:url", "og:image"} & head.keys()
    assert client.get(reverse("entry-picture", args=(entries[RIVAL].slug,))).status_code == 410


def test_an_entry_without_a_rank_and_a_board_without_an_entry_have_a_picture(
    client: Client, entries: dict[str, Entry]
) -> None:
    entry = report(entries[RIVAL].task_set, NOVICE, {"pet": 0.9})
    Entry.objects.filter(pk=entry.pk).update(evidence="self-reported")

    assert client.get(reverse("entry-picture", args=(entry.slug,))).status_code == 200
    assert client.get(reverse("board-picture", args=("super", "expert"))).status_code == 200
