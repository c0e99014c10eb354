"""An output that is too long for its step: the step shows its ends, and the whole can be had."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from leaderboard.models import Attempt, AttemptFile
from leaderboard.operating.rescoring import rescore_attempt
from leaderboard.runs.services import publish_run
from tests.runs.scripted import scripted_run
from tests.runs.workers import Workers

LINES = 50_000
TALKATIVE = f"""
import time
for n in range({LINES}):
    print(f"{{n:>99}}")
    if n % 2_500 == 0:
        time.sleep(0.1)
"""
"""Five megabytes in two seconds and more: a cell is looked at four times a second."""
WHOLE = "".join(f"{n:>99}\n" for n in range(LINES))


def talkative_attempt(workers: Workers, megabytes: int = 100) -> Attempt:
    run = scripted_run(workers.var, TALKATIVE, sandbox="local", attempts=1)
    workers.start(RUNNER_MAX_OUTPUT_MB=str(megabytes))
    workers.until_ended(run)
    workers.until(lambda: not list((workers.var / "outputs").glob("*")))
    publish_run(run)
    return run.entry.attempts.get(task__task_id="pet")


def test_a_step_shows_head_and_tail_and_the_download_is_byte_for_byte_the_whole(
    local_workers: Workers, settings: Any
) -> None:
    settings.MEDIA_ROOT = local_workers.var / "media"
    attempt = talkative_attempt(local_workers)
    step, download = attempt.steps.first(), reverse("download-output", args=(attempt.pk, 1))

    assert step is not None
    assert step.observation.startswith(WHOLE[:500_000] + "\n[4000000 characters were left out here]\n")
    assert step.observation.endswith(WHOLE[-500_000:].rstrip("\n"))
    page = Client().get(attempt.get_absolute_url()).content.decode()
    assert f'href="{download}">Whole output, 5.0 MB</a>' in page
    assert b"".join(Client().get(download)) == WHOLE.encode()

    file = Client().get(reverse("api:attempt", args=(attempt.pk,))).json()["files"][-1]
    assert (file["kind"], file["step"], file["cut"]) == ("output", 1, False)
    assert b"".join(Client().get(file["url"])) == WHOLE.encode()

    # It stays where scores and pages are made anew from the original.
    rescore_attempt(attempt)

    assert b"".join(Client().get(download)) == WHOLE.encode()
    assert f'href="{download}"' in Client().get(attempt.get_absolute_url()).content.decode()
    assert Client().get(reverse("download-output", args=(attempt.pk, 2))).status_code == 404


def test_beyond_the_larger_limit_the_download_is_the_first_of_it_and_says_so(
    local_workers: Workers, settings: Any
) -> None:
    settings.MEDIA_ROOT = local_workers.var / "media"
    attempt = talkative_attempt(local_workers, megabytes=2)

    page = Client().get(attempt.get_absolute_url()).content.decode()
    assert "The first 2.0 MB of the output; the limit is reached there" in page
    assert attempt.files.get(kind=AttemptFile.Kind.OUTPUT).cut
    download = Client().get(reverse("download-output", args=(attempt.pk, 1)))
    assert b"".join(download) == WHOLE.encode()[:2_000_000]
