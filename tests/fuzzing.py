"""How much is made up and thrown at us, in one place, so that it can be added up.

A run tries a tenth of it, and other inputs each time. With FUZZ=full, as in CI, it tries all of it, and the
same inputs each time: whether a change lands must not depend on luck. A test that fails says how to try its
inputs again.
"""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

INPUTS = {
    # tests/intake: archives and folders through the checks that need no site.
    "zips": 900,
    "tars": 600,
    "bytes": 200,
    "layouts": 500,
    # tests/formats: one file of every format.
    "documents": 1600,
    "lines": 300,
    "documents cut off": 250,
    "documents nested deeply": 100,
    "log entries": 200,
    "log bytes": 300,
    "logs cut off": 120,
    "logs": 400,
    "logs of events cut off": 100,
    # tests/diagnosis: any text and answer.
    "diagnoses": 200,
    # tests/uploads: all of these through the site, database and disk included.
    "uploads": 200,
    "uploads of anything": 120,
    # 30 files each, on the site and with the client.
    "folders of hostile values": 10,
}
"""How many inputs each of the fuzz tests tries with FUZZ=full."""
FULL = os.environ.get("FUZZ") == "full"

FUZZ = settings(
    # Where hypothesis notices a CI server it would ignore the seed, and so could nobody try the same again.
    derandomize=False,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def inputs(name: str) -> int:
    """How many inputs the test that uses this line of ``INPUTS`` tries now."""
    return INPUTS[name] if FULL else INPUTS[name] // 10


# Before hypothesis looks at its options.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Give a run, and the workers that it will start, a seed of its own, unless it was given one."""
    if config.option.hypothesis_seed is None:
        seed = 0 if FULL else random.SystemRandom().randrange(2**32)
        config.option.hypothesis_seed = str(seed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say in a failure how to repeat it."""
    report = yield
    if report.failed and is_hypothesis_test(getattr(item, "obj", None)):
        report.sections.append(("the same inputs again", how_to_repeat(item)))
    return report


def how_to_repeat(item: pytest.Item) -> str:
    """Return the command that tries the inputs of this run again."""
    seed = item.config.option.hypothesis_seed
    arguments = shlex.quote(f"--hypothesis-seed={seed} {shlex.quote(item.nodeid)}")
    return f"{'FUZZ=full ' if FULL else ''}make test ARGS={arguments}"
