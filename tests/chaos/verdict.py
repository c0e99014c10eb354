"""What must be true of a site after chaos: everything ended, every figure right, nothing left behind."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from leaderboard.core import blobs
from leaderboard.domain.jobs import TERMINAL, JobState
from leaderboard.domain.scores import BOARD as SHOWN
from leaderboard.domain.scores import RECORDED
from leaderboard.domain.uploads import ENDED, UploadState
from leaderboard.models import Attempt, AttemptFile, Entry, Figure, Job, Upload
from runner.execution.limits import DEAD
from runner.sandbox.engine import OWNER, connect
from runner.worker.provision import docker_config, owner_id
from tests.chaos.load import API, BOARD, Caller, Record, publish
from tests.chaos.plan import Plan
from tests.chaos.site import Site

REACHED = re.compile(r"mark \d reached")
SECONDS_TO_SETTLE = 120
SECONDS_TO_TIDY = 60
ROUNDS = 4
"""How often what has failed of us is tried again: nothing is killed any more, so once would do."""


def wait_until_none(left: Callable[[], object], seconds: float = SECONDS_TO_SETTLE) -> float:
    """Wait until there is nothing of something left, and return how long that took."""
    start = time.monotonic()
    while found := left():
        assert time.monotonic() - start < seconds, f"after {seconds} s there still are {found}"
        time.sleep(0.2)
    return time.monotonic() - start


def settle() -> float:
    """Wait until every job and upload has ended, and return how long that took."""

    def open_rows() -> Counter[str]:
        jobs = Job.objects.exclude(state__in=TERMINAL).values_list("state", flat=True)
        uploads = Upload.objects.exclude(state__in=ENDED).values_list("state", flat=True)
        return Counter([*(f"job {state}" for state in jobs), *(f"upload {state}" for state in uploads)])

    return wait_until_none(open_rows)


def retry_all(submitter: Caller, operator: Caller) -> None:
    """Try again what failed because of kills, as people do."""
    for _ in range(ROUNDS):
        failed = [*Upload.objects.filter(state=UploadState.FAILED)]
        runs = {*Job.objects.filter(state=JobState.FAILED).values_list("run_id", flat=True)}
        if not failed and not runs:
            break
        for upload in failed:
            submitter.insist("POST", f"{API}/uploads/{upload.pk}/recheck")
        for run in runs:
            operator.insist("POST", f"{API}/runs/{run}/retry", {"only_failed": True})
        settle()


def publish_all(submitter: Caller, operator: Caller, record: Record) -> None:
    """Publish all that was made; some is published already."""
    for upload_id in record.uploads.values():
        publish(submitter, upload_id)
    for run_id in record.runs.values():
        status, answer = operator.insist("POST", f"{API}/runs/{run_id}/publish", {})
        assert status == 200, answer


def check_states(record: Record) -> None:
    """Nothing was lost, doubled, or ended otherwise than it must."""
    jobs = Counter(Job.objects.values_list("state", flat=True))
    assert set(jobs) <= {JobState.FINISHED}, jobs
    states = {str(pk): state for pk, state in Upload.objects.values_list("pk", "state")}
    wanted = dict.fromkeys(record.uploads.values(), "checked") | dict.fromkeys(record.refused, "refused")
    wrong = {pk: state for pk, state in states.items() if wanted.get(pk) != state}
    reports = {
        pk: [upload.problems, [(file.name, file.findings) for file in upload.files.all()]]
        for pk, upload in Upload.objects.in_bulk([*wrong]).items()
    }
    assert states == wanted, (wrong, reports)


def check_figures(reader: Caller, record: Record, *, kernels: int) -> int:
    """Every figure on the board, and every stored one, is what was sent makes; their number.

    ``kernels`` were killed. An attempt ends with its kernel, since a cell of its own may have killed it.
    """
    cut = {agent: _cut_short(run) for agent, run in record.runs.items()}
    found = sum(map(len, cut.values()))
    assert found <= kernels, f"{found} attempts ended as their kernel died, and {kernels} kernels were killed"
    shown = {row["agent"]: row["figures"] for row in board_rows(reader)}
    plans = {plan.agent: plan for plan in record.plans}
    assert shown.keys() == plans.keys(), shown.keys() ^ plans.keys()
    count = 0
    for agent, plan in plans.items():
        entry = Entry.objects.get(agent__name=agent)
        tasks = sorted(Attempt.objects.filter(entry=entry).values_list("task__task_id", flat=True))
        assert tasks == [each.task_id for each in plan.tries], f"{agent}: {tasks}"
        count += _check_entry(plan.cut_short(cut.get(agent, {})), entry, shown[agent])
    return count


def _cut_short(run: int) -> dict[str, int]:
    """The tasks of a run at which a kernel died, and how many landmarks its output had until then."""
    died = Attempt.objects.filter(job__run=run, ending_detail=DEAD.content)
    return {
        attempt.task.task_id: sum(len(REACHED.findall(step.observation)) for step in attempt.steps.all())
        for attempt in died.select_related("task")
    }


def _check_entry(plan: Plan, entry: Entry, shown: dict[str, Any]) -> int:
    wanted = plan.figures()
    stored = {
        (metric, category): value
        for metric, category, value in Figure.objects.filter(entry=entry, scorer=SHOWN)
        # What attempts used depends on how busy the machine was.
        .exclude(source=RECORDED)
        .values_list("metric", "category", "value")
    }
    on_board = {(metric, ""): shown[metric]["value"] for metric, category in wanted if not category}
    for place, found in (("stored", stored), ("on the board", on_board)):
        wrong = {
            key: value
            for key, value in found.items()
            if value is None or not math.isclose(value, wanted[key], abs_tol=1e-9)
        }
        assert not wrong, f"{plan.agent}: {place} are {wrong}, of {plan}"
    assert stored.keys() == wanted.keys(), stored.keys() ^ wanted.keys()
    return len(wanted)


def board_rows(reader: Caller) -> Iterator[dict[str, Any]]:
    address = BOARD
    while address:
        status, page = reader.insist("GET", address)
        assert status == 200, page
        yield from page["items"]
        address = page["next"]


def check_blobs() -> int:
    """Every blob that a row names is there and whole; their number."""
    named = {*AttemptFile.objects.values_list("blob", flat=True)}
    for digest in named:
        assert hashlib.sha256(blobs.read(digest)).hexdigest() == digest, f"blob {digest} is not whole"
    return len(named)


def leftovers() -> list[str]:
    """Folders and files of claims, sandboxes and uploads that nobody needs any more."""
    var: Path = settings.VAR
    places = ("sandboxes/*", "outputs/*", "tmp/kernel-*", "uploads/*/claim-*", "broker/*.unreadable")
    found = [str(path.relative_to(var)) for place in places for path in var.glob(place)]
    # Of what is published or refused no file is kept but the attempts' own.
    kept = {*Upload.objects.exclude(state=UploadState.REFUSED).values_list("pk", flat=True)}
    return found + [path.name for path in var.glob("uploads/*-*") if path.name not in map(str, kept)]


def containers() -> list[str]:
    """Containers of this site."""
    client = connect(docker_config())
    try:
        ours = {"label": f"{OWNER}={owner_id()}"}
        return [
            container.name
            for container in client.containers.list(all=True, filters=ours, ignore_removed=True)
        ]
    finally:
        client.close()


def check_nothing_is_left(site: Site, sandbox: str) -> None:
    """First while workers clean up, then without the site, which is stopped here."""
    wait_until_none(leftovers, SECONDS_TO_TIDY)
    if sandbox == "docker":
        wait_until_none(containers, SECONDS_TO_TIDY)
    site.stop()
    wait_until_none(site.processes, SECONDS_TO_TIDY)


def check_readers(record: Record, excuses: Callable[[float, float], bool]) -> int:
    """No request failed but those whose server process was killed; the number of these."""
    unexcused = [each.what for each in record.failures if not excuses(each.start, each.end)]
    assert not unexcused, "\n".join([f"{len(unexcused)} requests failed:", *unexcused[:10]])
    return len(record.failures)
