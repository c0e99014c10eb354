"""The search page: what is found, by whom, and what is said where nothing is."""

from __future__ import annotations

import re
from html import unescape
from itertools import product
from typing import Any
from urllib.parse import parse_qsl, quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.attempts.selectors import shown_diagnosis
from leaderboard.attempts.solved import attempts_with_finding
from leaderboard.attempts.withheld import shown_scores
from leaderboard.diagnosis import Diagnosis, Finding
from leaderboard.domain.scores import REPORTED
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Attempt, Entry, Score
from leaderboard.scoring.super import SCORING
from leaderboard.search import selectors
from leaderboard.search.forms import FILTERS
from leaderboard.search.selectors import FACETS
from tests.cast import NOVICE, PET, SOLVER, make_set
from tests.people import client_of
from tests.uploads.cast import team_of

pytestmark = pytest.mark.django_db
Attempts = tuple[Attempt, Attempt]
FILTERED: list[tuple[dict[str, str], int]] = [
    ({}, 3),
    ({"agent": SOLVER}, 2),
    ({"agent": NOVICE, "model": "gpt-4o"}, 1),
    ({"model": "gpt"}, 0),
    ({"category": "cpu"}, 1),
    ({"category": "data"}, 3),
    ({"kind": "execute"}, 3),
    ({"kind": "submit"}, 0),
]
NOTHING_FOUND = {
    "&& || ;": "Punctuation alone",
    "a*": "at least 2 letters",
    "x" * 10_000: "10000 characters, of at most 300",
    "a\x00b": "Null characters",
    "\ud800": "Punctuation alone",
    "giraffe": "No step has this",
    '"red giraffe" zebra': "No step has all of this",
    "": "both words in one step",
}


def page(client: Client, q: str, **query: Any) -> str:
    response = client.get(reverse("search"), {"q": q, **query})
    assert response.status_code == 200
    return response.content.decode()


def told(html: str) -> str:
    """The text of a page's results."""
    results = html.partition('id="results"')[2].partition("<footer")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", "", results)).split())


def steps_found(html: str) -> list[str]:
    return re.findall(r'href="(/a/\d+/#step-\d+)[^"]*"', html)


def test_a_step_is_found_with_its_line_and_leads_to_where_it_is(client: Client, attempts: Attempts) -> None:
    html = page(client, "ZEBRA")

    assert steps_found(html) == [f"/a/{attempts[1].pk}/#step-1"]
    assert "a <mark>zebra</mark> and an okapi" in html
    assert "1 step in 1 attempt" in told(html)
    assert f"{NOVICE} · gpt-4o · SUPER Masked" in told(html)


def test_attempts_with_the_most_steps_come_first_and_the_rest_is_a_click_away(
    client: Client, attempts: Attempts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "ATTEMPTS_A_PAGE", 2)
    monkeypatch.setattr(selectors, "STEPS_OF_AN_ATTEMPT", 1)
    novice = attempts[1]
    first = page(client, "submitted")

    assert "4 steps in 3 attempts" in told(first)
    assert steps_found(first)[0] == f"/a/{novice.pk}/#step-1"
    assert len(steps_found(first)) == 2
    (more,) = re.findall(r'<a href="([^"]*)"[^>]*>1 more step of this attempt', first)
    assert steps_found(page(client, **query_of(more))) == [f"/a/{novice.pk}/#step-{n}" for n in (1, 2)]
    (following,) = re.findall(r'rel="next" href="([^"#]*)', first)
    assert len(steps_found(page(client, **query_of(following)))) == 1


def query_of(link: str) -> dict[str, str]:
    return dict(parse_qsl(unescape(link).removeprefix("?")))


def test_agent_text_is_escaped_around_the_marks(client: Client, attempts: Attempts) -> None:
    html = page(client, "script")

    assert "okapi &lt;<mark>script</mark>&gt;f1&lt;/<mark>script</mark>&gt;" in html
    assert "\u202e" not in html


def test_filters_leave_what_fits_all_of_them(client: Client, attempts: Attempts) -> None:
    for query, found in FILTERED:
        html = page(client, "okapi", **query)
        assert len(steps_found(html)) == found, query
        assert (f"{found} step" in told(html)) == bool(found), query


def test_a_filter_s_values_are_offered_with_their_steps(client: Client, attempts: Attempts) -> None:
    offered = told(page(client, "okapi"))

    assert f"Agent {SOLVER} 2 {NOVICE} 1" in offered
    assert "Category Data 3 Cpu 1" in offered
    # Every one is of the same model.
    assert "Model" not in offered


def test_attempts_are_filtered_by_why_they_failed_which_tells_of_no_draft_whether_it_is_solved(
    attempts: Attempts,
) -> None:
    alice, novice = client_of("alice"), attempts[1]
    Attempt.objects.update(finding="missing-module")
    accuracy = Score.objects.filter(scorer="super-strict", metric="accuracy")
    accuracy.update(value=1)
    accuracy.filter(attempt=novice).update(value=0.5)

    assert steps_found(page(alice, "okapi", finding="missing-module")) == [f"/a/{novice.pk}/#step-1"]
    assert not steps_found(page(alice, "okapi", finding="gave-up"))
    Attempt.objects.filter(pk=novice.pk).update(finding="gave-up")
    accuracy.filter(attempt=attempts[0]).update(value=None, reason="No gold answer.")
    assert "Why it failed gave up 1 missing module 1" in told(page(alice, "okapi"))

    Entry.objects.update(team=team_of("alice"), state="draft")
    assert "Why it failed missing module 2 gave up 1" in told(page(alice, "okapi"))


def test_a_filter_by_why_it_failed_is_named_in_words(client: Client, attempts: Attempts) -> None:
    html = page(client, "okapi", finding="context-exhausted-reading")

    assert "Why it failed context exhausted reading remove" in told(html)


def test_search_without_filters_is_without_every_filter(client: Client, attempts: Attempts) -> None:
    filters = dict.fromkeys(FACETS, "giraffe") | {"finding": "gave-up", "kind": "view", "attempt": "1"}
    assert set(filters) == set(FILTERS)

    html = page(client, "zebra & okapi", **filters)

    (link,) = re.findall(r'<a href="([^"]*)">Search without filters', html)
    assert unescape(link) == reverse("search") + "?q=zebra%20%26%20okapi"


@pytest.mark.parametrize("state", ["published", "draft"])
def test_search_and_page_agree_on_who_failed_whatever_the_scores(state: str) -> None:
    """`attempts_with_finding` says in SQL what an attempt's page says of its scores."""
    task_set = make_set(PET, TaskSpec(task_id="without-gold"))
    entry = ensure_entry(task_set=task_set, agent=SOLVER, model="m")
    Entry.objects.filter(pk=entry.pk).update(state=state)
    computed = [None, (None, ""), (None, "No answer."), (0.5, ""), (1.0, "")]
    states = list(
        product(task_set.tasks.all(), (True, False), computed, [None, (None, ""), (0.0, ""), (1.0, "")])
    )
    finding = {"finding": "gave-up", "diagnosis": Diagnosis((Finding("gave-up", "It gave up."),)).as_data()}
    for number, (task, has_trajectory, *scores) in enumerate(states, start=1):
        attempt = Attempt.objects.create(
            entry=entry, task=task, number=number, has_trajectory=has_trajectory, **finding
        )
        for scorer, score in zip((SCORING.default_scorer, REPORTED), scores, strict=True):
            if score:
                value, reason = score
                attempt.scores.create(scorer=scorer, metric="accuracy", value=value, reason=reason)

    found = set(attempts_with_finding().values_list("number", flat=True))

    said = {
        attempt.number
        for attempt in Attempt.objects.prefetch_related("scores")
        if shown_diagnosis(attempt, shown_scores(attempt, draft=state == "draft")).findings
    }
    assert found == said
    assert 0 < len(said) < len(states)


@pytest.mark.parametrize("state", ["draft", "withdrawn", "hidden"])
def test_what_is_not_public_is_found_by_its_team_alone(state: str, attempts: Attempts) -> None:
    of_alice = {"team": team_of("alice"), "state": state, "state_reason": "A bug."}
    Entry.objects.filter(pk=attempts[1].entry_id).update(**of_alice)

    for who, found in {"alice": 3, "olga": 2, "bob": 2, "nobody": 2}.items():
        html = page(client_of(who), "okapi")
        assert len(steps_found(html)) == found, who
        assert f"{found} steps in {found} attempts" in told(html), who
        assert (NOVICE in html) == (found == 3), who
        assert bool(steps_found(page(client_of(who), "zebra"))) == (found == 3), who


def test_what_finds_nothing_says_why(client: Client, attempts: Attempts) -> None:
    for text, said in NOTHING_FOUND.items():
        response = client.get(reverse("search") + "?q=" + quote(text.encode("utf-8", "surrogatepass")))
        assert response.status_code == 200
        assert said in told(response.content.decode()), text


def test_a_filter_that_can_not_be_is_said(client: Client, attempts: Attempts) -> None:
    for query in ("kind=none", "finding=none", "page=0", "page=x", "attempt=x", "agent=" + "x" * 101):
        html = client.get(f"{reverse('search')}?q=okapi&{query}").content.decode()
        assert 'role="alert"' in html, query
        assert not steps_found(html), query


def test_a_page_beyond_the_last_leads_back(client: Client, attempts: Attempts) -> None:
    html = page(client, "okapi", page=9)

    assert "There are no more results" in html
    assert 'href="?q=okapi"' in html


def test_htmx_gets_the_results_alone(client: Client, attempts: Attempts) -> None:
    response = client.get(reverse("search"), {"q": "zebra"}, headers={"HX-Request": "true"})

    html = response.content.decode()
    assert html.lstrip().startswith('<section id="results"')
    assert "1 step found" in html
    assert "HX-Request" in response["Vary"]


def test_a_search_takes_few_queries_however_much_is_found(attempts: Attempts) -> None:
    alice = client_of("alice")

    def count(text: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            page(alice, text)
        return len(queries)

    assert count("zebra") == count("okapi") <= 9
