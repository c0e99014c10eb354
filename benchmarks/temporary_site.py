"""A site of the benchmarks' own: Django on a SQLite file in a temporary folder, removed when the run ends.

Import it before anything that has models: importing it decides which database they are in.
"""

from __future__ import annotations

import atexit
import os
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import django
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.test.utils import override_settings

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

ROOT = Path(__file__).resolve().parent.parent
_folder = TemporaryDirectory(prefix="superboard-bench-")
atexit.register(_folder.cleanup)
VAR = Path(_folder.name)
# The server of static files warns of a folder that is not there.
(VAR / "static").mkdir()

if settings.configured:
    raise RuntimeError("Django is set up already, maybe on a real database: import the benchmarks first")
OURS = ("SUPERBOARD_", "RUNNER_", "CELERY_")
# The settings' defaults, whatever this shell has set: above all never its database or broker.
for variable in [name for name in os.environ if name.startswith(OURS)]:
    del os.environ[variable]
os.environ.update(
    DJANGO_SETTINGS_MODULE="leaderboard.core.settings",
    SUPERBOARD_VAR=str(VAR),
    SUPERBOARD_LOG_LEVEL="ERROR",
    # A database of another benchmark, made for it alone.
    DATABASE_URL=os.environ.get("BENCH_DATABASE_URL", ""),
    DEBUG="",
    ALLOWED_HOSTS="",
)
django.setup()
# Names of static files need no hashes here: making them means compressing plotly. Each page is made anew.
override_settings(
    SUPERBOARD_PAGE_CACHE_MB=0,
    STORAGES={
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    },
).enable()

MANAGE = (sys.executable, str(ROOT / "manage.py"))


@cache
def client() -> Client:
    """A browser of the temporary site, whose tables are made and whose fixtures are loaded first."""
    call_command("migrate", verbosity=0)
    call_command("load_fixtures", verbosity=0, stdout=(VAR / "fixtures.log").open("w", encoding="utf-8"))
    return new_client()


def new_client() -> Client:
    """A browser of the temporary site, whatever is in its database."""
    return Client(SERVER_NAME="localhost", headers={"accept-encoding": "gzip"})


def get(address: str) -> _MonkeyPatchedWSGIResponse:
    """The page at ``address``, as the whole of the site answers it.

    Raises:
        AssertionError: it answered anything but 200.
    """
    response = client().get(address)
    assert response.status_code == 200, (address, response.status_code)
    return response
