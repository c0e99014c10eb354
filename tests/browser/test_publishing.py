"""A draft's way in the browser: published, replaced, compared, withdrawn; and the operators' queue."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from leaderboard.entries.editing import accept_entry, edit_entry
from leaderboard.entries.services import hide_entry, withdraw_entry
from leaderboard.models import Entry, TaskSet
from tests.browser.looks import findings_in_every_look, without_javascript
from tests.entries.cast import make_draft
from tests.entries.cast import publish as publish_draft
from tests.operating.cast import hold
from tests.people import client_of, person

TASKS = ("keygrain", "marginette", "pairwise-nli")


def sign_in(page: Page, name: str) -> None:
    cookie = client_of(name).cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "domain": "localhost", "path": "/"}])


@pytest.fixture
def warm_up(page: Page, site: None) -> TaskSet:
    return TaskSet.objects.select_related("benchmark").get(benchmark__slug="warm-up")


def draft(task_set: TaskSet, *values: float, agent: str = "Alice's agent") -> Entry:
    accuracies = dict(zip(TASKS, values, strict=False))
    return make_draft(task_set, accuracies, agent=agent, secrets=1)


def publish(entry: Entry) -> Entry:
    return publish_draft(entry, user=person("alice"), secrets_acknowledged=True)


@pytest.fixture
def places(warm_up: TaskSet) -> dict[str, tuple[str, Entry]]:
    """Each page by name: who looks at it, and of which entry."""
    first = publish(draft(warm_up, 0.25, 1.0))
    second = publish(draft(warm_up, 0.5, 1.0, 0.5))
    links = [{"url": "https://example.org/paper", "label": "The paper"}]
    edit_entry(second, user=None, notes="Three seeds.\nThe first is shown.", links=links)
    accept_entry(second, user=person("olga"), why="Ran two tasks again; the scores agree.")
    waits = draft(warm_up, 1.0, 1.0, 1.0)
    withdrawn = publish(draft(warm_up, 1.0, agent="Withdrawn"))
    withdraw_entry(withdrawn, user=None, reason="The gold was in the prompt.")
    hidden = publish(draft(warm_up, 1.0, agent="Hidden"))
    hide_entry(hidden, user=person("olga"), reason="The answers were copied.")
    publish(draft(warm_up, 0.1, agent="Alices-agent"))
    publish(draft(warm_up, 0.2, agent="Alices agent"))
    return {
        "draft": ("alice", waits),
        "published": ("olga", second),
        "older": ("nobody", first),
        "withdrawn": ("nobody", withdrawn),
        "hidden": ("olga", hidden),
    }


def test_the_pages_of_an_entrys_life_are_accessible_and_fit(
    page: Page, places: dict[str, tuple[str, Entry]], complaints: list[str]
) -> None:
    found = []
    for name, (who, entry) in places.items():
        page.context.clear_cookies()
        if who != "nobody":
            sign_in(page, who)
        for part in ("", "versions/", "edit/") if name == "draft" else ("", "versions/"):
            page.goto(f"{entry.get_absolute_url()}{part}")
            page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
            found += [f"{name} {part}: {each}" for each in findings_in_every_look(page)]
    # Chromium reports the status of a tombstone as an error.
    complaints[:] = [each for each in complaints if "status of 410" not in each]
    assert not found, "\n".join(found)


def test_the_operators_pages_are_accessible_and_fit(page: Page, places: dict[str, tuple[str, Entry]]) -> None:
    draft_page = hold(query="Train it. " * 40, landmarks=(r"epoch \d+",)).get_absolute_url()
    sign_in(page, "olga")
    for address in ("/operate/", "/operate/audit/", "/operate/drafts/", draft_page):
        page.goto(address)
        page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
        assert findings_in_every_look(page) == []


@without_javascript
def test_a_draft_is_published_and_withdrawn_without_javascript(page: Page, warm_up: TaskSet) -> None:
    waits = draft(warm_up, 1.0, 1.0)
    sign_in(page, "alice")
    page.goto(waits.get_absolute_url())
    page.get_by_label("that look like secrets are not secrets").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Draft:")).to_have_count(0)

    page.get_by_text("Withdraw", exact=True).first.click()
    page.get_by_label("Reason, shown to everybody").fill("The wrong files.")
    page.get_by_role("button", name="Withdraw").click()

    expect(page.get_by_text("The wrong files.")).to_be_visible()
    assert Entry.objects.get(pk=waits.pk).state == "withdrawn"


def test_an_operator_accepts_from_the_queue(page: Page, warm_up: TaskSet) -> None:
    entry = publish(draft(warm_up, 1.0))
    sign_in(page, "olga")
    page.goto("/operate/")
    page.get_by_role("link", name="Alice's agent").first.click()
    page.get_by_text("Accept", exact=True).first.click()
    page.get_by_label("What makes you trust its scores").fill("Ran it again.")
    page.get_by_role("button", name="Accept").click()

    page.get_by_text("accepted by an operator").click()
    expect(page.get_by_text("Ran it again.")).to_be_visible()
    page.goto(entry.task_set.get_absolute_url())
    expect(page.locator("#self-reported")).to_have_count(0)
