"""Runs in the browser: made, watched live, cancelled, published; by a real worker in real kernels."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings

from leaderboard.models import Job, Run, TaskSet
from leaderboard.runs.services import create_run
from runner.sandbox.environment import prepare_base
from tests.browser.looks import findings_in_every_look
from tests.servers import database_url
from tests.warmup.places import ROOT

SOON = 60_000
"""Milliseconds to wait at the most for what a worker does: a loaded machine takes its time."""


@pytest.fixture
def olga(page: Page, site: None) -> Page:
    """The page of Olga, who operates."""
    client = Client()
    client.force_login(User.objects.create_user("olga", is_staff=True))
    page.context.add_cookies(
        [
            {
                "name": "sessionid",
                "value": client.cookies["sessionid"].value,
                "domain": "localhost",
                "path": "/",
            }
        ]
    )
    return page


@pytest.fixture
def worker(site: None, tmp_path: Path, settings: Settings) -> Iterator[None]:
    """A Celery worker on the live server's database and files, that looks for jobs every second."""
    var = tmp_path / "var"
    var.mkdir()
    settings.MEDIA_ROOT = var / "media"
    kernels = ROOT / "var" / "kernel-env"
    prepare_base(kernels, ROOT / "constraints.txt")
    (var / "kernel-env").symlink_to(kernels)
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "SUPERBOARD_VAR": str(var),
        "RUNNER_SWEEP_SECONDS": "1",
    }
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "runner.worker.app",
        "worker",
        "--without-gossip",
        "--without-mingle",
    ]
    with (tmp_path / "worker.log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
    yield
    process.terminate()
    process.wait()


def queued_run(*task_ids: str) -> Run:
    task_set = TaskSet.objects.get(benchmark__slug="warm-up")
    return create_run(
        task_set=task_set,
        tasks=task_set.tasks.filter(task_id__in=task_ids),
        attempts=1,
        agent="scripted-hasty",
        scaffold="scripted",
        model="hasty again",
        settings={},
        sandbox="local",
        limits={},
        max_parallel=2,
    )


def test_an_operator_makes_a_run_sees_it_live_cancels_a_job_and_publishes_the_rest(
    olga: Page, worker: None
) -> None:
    olga.goto("/runs/")
    olga.get_by_role("link", name="New run").click()
    olga.get_by_label("Agent").select_option("scripted-hasty")
    olga.get_by_label("Task set").select_option("warm-up/all")
    olga.get_by_role("button", name="Continue").click()
    for task_id in ("dialect-crumbs", "gloss-polarity", "keygrain", "stance-on-thread"):
        olga.get_by_label(task_id).uncheck()
    # The recordings that came with the site are called hasty.
    expect(olga.get_by_label("Model on the board")).to_have_value("hasty (run here)")
    olga.get_by_role("button", name="Run", exact=True).click()

    # marginette has a cell that runs for half an hour: it is watched, and then cancelled in its middle.
    olga.get_by_role("row", name="marginette").get_by_role("link").click()
    expect(olga.locator("#step-1")).to_be_visible(timeout=SOON)
    expect(olga.locator(".live-output")).to_be_visible(timeout=SOON)
    olga.get_by_role("button", name="Cancel").click()
    expect(olga.locator("#job-state .state")).to_have_text("cancelled", timeout=SOON)
    assert olga.locator("#poll[hx-get]").count() == 0

    olga.get_by_role("link", name=re.compile(r"Run \d+")).click()
    expect(olga.get_by_role("row", name="pairwise-nli")).to_contain_text("finished", timeout=SOON)
    expect(olga.get_by_role("button", name="Publish as an entry")).to_have_count(0)
    olga.get_by_label("Model on the board").fill("hasty, seen live")
    olga.get_by_role("button", name="Publish without unfinished jobs").click()
    expect(olga.get_by_role("heading", name="scripted hasty, seen live")).to_be_visible()
    expect(olga.get_by_text("1 was cancelled: their tasks count as not attempted.")).to_be_visible()
    expect(olga.get_by_text("Settings and environment of the run")).to_be_visible()
    olga.goto("/b/warm-up/all/")
    expect(olga.get_by_role("row", name="hasty, seen live")).to_be_visible()


def test_a_live_page_gets_new_steps_without_a_reload_and_keeps_the_old_ones(olga: Page) -> None:
    job = queued_run("pairwise-nli").jobs.get()
    olga.goto(job.get_absolute_url())
    olga.evaluate("window.notReloaded = true")
    Job.objects.filter(pk=job.pk).update(state="finished", claim_number=1)
    for number in (1, 2):
        job.steps.create(
            claim_number=1, number=number, html=f'<section class="step" id="step-{number}">seen</section>'
        )

    expect(olga.locator("#step-2")).to_be_visible()

    assert olga.locator(".step").count() == 2
    assert olga.evaluate("window.notReloaded")
    expect(olga.locator("#poll")).not_to_have_attribute("hx-get", "")


def test_a_queue_without_a_worker_says_how_to_start_one(olga: Page) -> None:
    queued_run("pairwise-nli")

    olga.goto("/runs/")

    expect(olga.get_by_text("celery -A runner.worker.app worker")).to_be_visible()
    expect(olga.get_by_role("row", name="pairwise-nli")).to_be_visible()


def test_a_page_that_asks_again_leaves_focus_and_unchanged_parts_alone(olga: Page) -> None:
    run = queued_run("pairwise-nli")
    job = run.jobs.get()
    for path, button in ((job.get_absolute_url(), "Cancel"), (run.get_absolute_url(), "Show to readers")):
        olga.goto(path)
        olga.get_by_role("button", name=button, exact=True).focus()
        olga.evaluate("window.said = document.querySelector('main [role=status]').firstChild")
        for _ in range(2):
            with olga.expect_response(f"**{path}*"):
                pass

        expect(olga.get_by_role("button", name=button, exact=True)).to_be_focused()
        assert olga.evaluate("said.isConnected")


def test_focus_stays_on_a_link_whose_surroundings_change(olga: Page) -> None:
    run = queued_run("pairwise-nli")
    olga.goto(run.get_absolute_url())
    link = olga.locator("#run-jobs td a")
    link.focus()

    run.jobs.update(state="running", lease_until=timezone.now() + timedelta(hours=1))

    expect(link).to_have_text("running")
    expect(link).to_be_focused()


@pytest.mark.parametrize("at_end", [True, False], ids=["at the end", "further up"])
def test_live_output_is_followed_only_from_its_end(at_end: bool, olga: Page) -> None:
    job = queued_run("pairwise-nli").jobs.get()
    rows = Job.objects.filter(pk=job.pk)
    rows.update(live_output="line\n" * 300)
    olga.goto(job.get_absolute_url())
    output = olga.get_by_role("group", name="Output of the running cell")
    output.focus()
    output.evaluate("(each, top) => { each.scrollTop = top }", 100_000 if at_end else 500)

    rows.update(live_output="line\n" * 300 + "the last line\n" * 200)
    expect(output).to_contain_text("the last line")

    rest = output.evaluate("each => each.scrollHeight - each.clientHeight - each.scrollTop")
    assert rest <= 1 if at_end else output.evaluate("each => each.scrollTop") == 500
    expect(output).to_be_focused()


def test_the_page_of_runs_stops_asking_when_nothing_is_to_come(olga: Page) -> None:
    run = queued_run("pairwise-nli")
    olga.goto("/runs/")
    expect(olga.locator("#poll[hx-get]")).to_have_count(1)

    run.jobs.update(state="cancelled")

    expect(olga.get_by_role("link", name="Refresh")).to_be_visible()
    expect(olga.locator("#poll[hx-get]")).to_have_count(0)
    expect(olga.get_by_text("The queue is empty.")).to_be_visible()


def test_the_pages_of_runs_are_accessible_and_fit(olga: Page) -> None:
    run = queued_run("pairwise-nli", "keygrain")
    job = run.jobs.earliest("pk")
    olga.goto("/account/sign-in/")
    found = []
    for path in (
        "/account/sign-in/",
        "/runs/",
        "/runs/new/",
        "/runs/new/?agent=react-super&set=super/masked",
        run.get_absolute_url(),
        job.get_absolute_url(),
        run.entry.get_absolute_url(),
    ):
        olga.goto(path)
        found += [f"{path}: {finding}" for finding in findings_in_every_look(olga)]

    assert not found, "\n".join(found)
