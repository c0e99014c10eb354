"""What owners, operators and everybody else see of an entry, and what they can do there."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.attempts.selectors import LARGE_TASK_FIELDS
from leaderboard.domain.entries import EntryState
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.withheld import FEWEST_TASKS
from leaderboard.entries.editing import accept_entry
from leaderboard.entries.selectors import Badge
from leaderboard.entries.services import hide_entry, withdraw_entry
from leaderboard.models import Entry, UploadedFile
from leaderboard.runs.services import publish_run
from tests.cast import RIVAL, SOLVER, make_set, report
from tests.entries.cast import SET, make_draft, masked, page_of, publish, published, state_of
from tests.people import NOBODY, client_of, person
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db
CAST = ("alice", "bob", "olga", NOBODY)
OWNERS = ("publish", "discard", "withdraw")
OPERATORS = ("accept", "unaccept", "hide", "show")


def act(who: str, entry: Entry, action: str, **fields: str) -> Any:
    address = reverse("act-on-entry", args=(entry.slug,))
    return client_of(who).post(address, {"action": action, **fields}, follow=True)


def test_its_owner_publishes_a_draft_from_its_page() -> None:
    tasks = [f"task-{n}" for n in range(FEWEST_TASKS)]
    task_set = make_set(*(TaskSpec(task) for task in (*tasks, "other")))
    report(task_set, RIVAL, dict.fromkeys(tasks, 0.6))
    draft = make_draft(task_set, dict.fromkeys(tasks, 0.3), trajectories=True)
    page = page_of(draft, "alice")
    assert "It would rank 2nd of 2 by accuracy." in page
    assert "Coverage: Masked 5 of 6." in page
    assert f"{RIVAL} · gpt-4o</a> 50.0" in page

    act("alice", draft, "publish")

    assert state_of(draft) == EntryState.PUBLISHED
    assert SOLVER in client_of(NOBODY).get(reverse("home")).content.decode()


def test_no_large_field_of_the_tasks_is_read_for_a_list(client: Client) -> None:
    entry = published()
    for address in (entry.get_absolute_url(), f"{entry.task_set.get_absolute_url()}t/"):
        with CaptureQueriesContext(connection) as queries:
            assert "pet" in client.get(address).content.decode()
        read = " ".join(query["sql"] for query in queries)
        assert not [name for name in LARGE_TASK_FIELDS if f'"leaderboard_task"."{name}"' in read]


def test_what_has_to_be_acknowledged_is_asked_for_and_without_it_nothing_is_published() -> None:
    draft = make_draft(masked(), {"pet": 1.0}, secrets=1)
    draft.uploads.get().files.create(name="x", verdict=UploadedFile.Verdict.REFUSED)
    page = page_of(draft, "alice")
    assert 'name="leaving_out" required' in page
    assert 'name="secrets_acknowledged" required' in page

    refused = act("alice", draft, "publish", leaving_out="on").content.decode()
    assert "looks like a secret" in refused
    assert state_of(draft) == EntryState.DRAFT

    act("alice", draft, "publish", leaving_out="on", secrets_acknowledged="on")
    assert state_of(draft) == EntryState.PUBLISHED


@pytest.mark.parametrize("who", CAST)
@pytest.mark.parametrize("action", [*OWNERS, *OPERATORS, "nonsense"])
def test_owners_and_operators_act_on_an_entry_and_nobody_else_does(who: str, action: str) -> None:
    entry = published()
    address = reverse("act-on-entry", args=(entry.slug,))

    response = client_of(who).post(address, {"action": action, "reason": "Because."})

    signed_in = who != NOBODY
    allowed = who == "olga" or (who == "alice" and action not in OPERATORS)
    if signed_in:
        assert response.status_code == (302 if allowed else 403)
    else:
        assert response["Location"].startswith(reverse("sign-in"))
    if not allowed:
        assert state_of(entry) == EntryState.PUBLISHED


@pytest.mark.parametrize("name", ["entry", "versions", "edit-entry", "act-on-entry"])
def test_a_draft_has_no_address_for_anybody_else(name: str) -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    address = reverse(name, args=(draft.slug,))

    look = Client.post if name == "act-on-entry" else Client.get
    assert look(client_of("bob"), address).status_code == 404
    assert look(client_of("alice"), address).status_code in {200, 302}


def test_nothing_is_done_by_looking() -> None:
    entry = published()

    for name in ("act-on-entry", "ask-for-re-score", "merge-agents"):
        address = reverse(name, args=(entry.slug,) if name == "act-on-entry" else ())
        assert client_of("olga").get(address, {"action": "hide"}).status_code == 405


def test_the_buttons_are_those_that_work() -> None:
    entry = published()

    def buttons(who: str) -> set[str]:
        page = page_of(entry, who)
        return {name for name in (*OWNERS, *OPERATORS) if f'id="do-{name}"' in page}

    assert buttons(NOBODY) == buttons("bob") == set()
    assert buttons("alice") == {"withdraw"}
    assert buttons("olga") == {"withdraw", "hide", "accept"}
    accept_entry(entry, user=person("olga"), why="Ran it again.")
    assert buttons("olga") == {"withdraw", "hide", "accept", "unaccept"}
    hide_entry(entry, user=None, reason="Faked.")
    assert buttons("alice") == set()
    assert buttons("olga") == {"show"}


def test_a_new_version_is_begun_from_the_page_of_the_one_before() -> None:
    entry = published()
    (link,) = re.findall(r'id="new-version" href="([^"]+)"', page_of(entry, "alice"))

    assert str(entry.agent) in client_of("alice").get(link).content.decode()


def test_what_is_not_to_be_done_is_said_and_not_done() -> None:
    entry = published()

    assert "needs 1 to 2,000 characters" in act("alice", entry, "withdraw").content.decode()
    assert "An entry has no such action" in act("alice", entry, "nonsense").content.decode()


def test_a_discarded_draft_leads_back_to_the_board() -> None:
    draft = make_draft(masked(), {"pet": 1.0})

    response = act("alice", draft, "discard")

    assert response.redirect_chain == [(reverse("board", args=SET), 302)]
    assert client_of("alice").get(draft.get_absolute_url()).status_code == 404


def test_badges_say_where_scores_come_from_and_who_stands_for_them(tmp_path: Any) -> None:
    reported = published()
    run = make_run(task_set=reported.task_set, scaffold="Runner")
    finish(claim())
    finish(claim())
    finish(claim())
    run_here = publish_run(run)

    assert client_of(NOBODY).get(reported.get_absolute_url()).context["badges"] == [
        "self-reported",
        "reported",
    ]
    badges = client_of(NOBODY).get(run_here.get_absolute_url()).context["badges"]
    assert badges == ["trajectories", "computed", "run-here"]

    accept_entry(reported, user=person("olga"), why="Ran <five> tasks again.")
    page = page_of(reported)
    assert "olga, " in page
    assert "Ran &lt;five&gt; tasks again." in page
    assert "accepted by an operator" not in page_of(run_here)
    about = client_of(NOBODY).get(reverse("about")).content.decode()
    for badge in Badge:
        assert f'id="badge-{badge}"' in about


def test_notes_are_shown_as_they_are_and_links_only_to_the_web() -> None:
    entry = published()
    Entry.objects.update(
        notes="<script>alert(1)</script>\nhttps://example.org",
        links=[
            {"label": "Paper", "url": "https://example.org/paper"},
            {"label": "Trap", "url": "javascript:alert(1)"},
        ],
        cost=12.5,
    )

    page = page_of(entry)

    assert "&lt;script&gt;alert(1)&lt;/script&gt;\nhttps://example.org</div>" in page
    assert '<a href="https://example.org/paper" rel="nofollow ugc noopener">Paper</a>' in page
    assert "Trap" not in page
    assert "cost $12.50" in page


def test_an_older_version_leads_to_the_one_on_the_board_and_both_to_their_history() -> None:
    first = published()
    second = published()

    old, new = page_of(first), page_of(second)
    assert f'href="{second.get_absolute_url()}"' in old
    assert "version 1 of 2" in old
    assert "version 2 of 2" in new
    assert "This is an older version" not in new


def test_an_attempts_page_says_where_its_entry_stands() -> None:
    first = published()
    waits = make_draft(masked(), {"pet": 0.5})
    attempts = {name: entry.attempts.get() for name, entry in (("older version", first), ("draft", waits))}
    pages = {name: client_of("alice").get(each.get_absolute_url()) for name, each in attempts.items()}
    assert "which is on no board" not in pages["older version"].content.decode()
    assert "Part of a draft, which is on no board." in pages["draft"].content.decode()

    second = publish(waits, user=None)
    withdraw_entry(second, user=None, reason="A bug.")
    gone = client_of("alice").get(attempts["draft"].get_absolute_url()).content.decode()
    assert "Its entry is withdrawn or hidden" in gone

    published()
    older = client_of(NOBODY).get(attempts["older version"].get_absolute_url()).content.decode()
    assert "Part of an older version, which is on no board." in older


def test_the_page_of_versions_shows_what_changed(client: Client) -> None:
    first = publish(make_draft(masked(), {"pet": 0.25, "cet": 1.0}), user=None)
    second = publish(make_draft(masked(), {"pet": 0.75, "cet": 1.0}), user=None)
    address = reverse("versions", args=(second.slug,))

    page = client.get(address).content.decode()
    assert "+16.7" in page
    assert "+50.0" in page
    assert ">cet<" not in page
    assert ">cet<" in client.get(address, {"all": "1"}).content.decode()

    back = client.get(reverse("versions", args=(first.slug,)), {"from": second.slug}).content.decode()
    assert "\N{MINUS SIGN}50.0" in back
    alone = client.get(reverse("versions", args=(first.slug,))).content.decode()
    assert "It has no earlier version." in alone


def test_a_draft_is_compared_with_what_it_would_replace_by_its_owner_alone() -> None:
    first = published()
    draft = make_draft(masked(), {"pet": 0.5})
    address = reverse("versions", args=(draft.slug,))

    assert "\N{MINUS SIGN}50.0" in client_of("alice").get(address).content.decode()
    assert client_of("bob").get(address).status_code == 404
    of_first = client_of("bob").get(reverse("versions", args=(first.slug,)), {"from": draft.slug})
    assert draft.slug not in of_first.content.decode()


def test_a_version_that_was_taken_away_is_compared_with_nothing() -> None:
    first, second = published(), published()
    withdraw_entry(second, user=None, reason="A bug.")
    third = published()

    page = client_of(NOBODY).get(reverse("versions", args=(third.slug,)), {"from": second.slug})

    assert page.context["comparison"] is None
    assert [each.pk for each in page.context["versions"]] == [first.pk, third.pk]


def test_the_form_changes_the_texts_of_a_draft() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    address = reverse("edit-entry", args=(draft.slug,))
    client = client_of("alice")
    assert client_of("bob").get(address).status_code == 404

    fields = {
        "name": "Renamed",
        "model": "o1",
        "notes": "Hello.",
        "cost": "3",
        "links": "https://a.org The  paper\n",
    }
    response = client.post(address, fields)

    draft.refresh_from_db()
    assert response["Location"] == draft.get_absolute_url()
    draft = Entry.objects.get(pk=draft.pk)
    assert (str(draft.agent), draft.notes, draft.cost) == ("Renamed · o1", "Hello.", 3.0)
    assert draft.links == [{"url": "https://a.org", "label": "The  paper"}]


def test_the_form_says_what_can_not_be_and_keeps_what_was_typed() -> None:
    entry = published()
    address = reverse("edit-entry", args=(entry.slug,))

    page = (
        client_of("alice").post(address, {"notes": "Typed.", "links": "ftp://example.org"}).content.decode()
    )

    assert "“ftp://example.org” is not an http or https address" in page
    assert "Typed." in page
    assert 'name="cost"' not in page
    assert client_of("bob").get(address).status_code == 403


def test_a_category_that_was_not_tried_shows_what_counts_and_why() -> None:
    page = page_of(published())

    assert "No task of it was tried: each counts as failed" in page
    assert '>0.0</abbr><span class="sub">1 not tried</span>' in page
