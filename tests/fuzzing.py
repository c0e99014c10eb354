"""How much is made up and thrown at us, in one place, so that it can be added up."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

INPUTS = {
    # tests/checking: archives and folders through the checks that need no site.
    "zips": 1500,
    "tars": 1200,
    "bytes": 300,
    "layouts": 1000,
    # tests/formats: one file of every format.
    "documents": 2500,
    "lines": 400,
    "documents cut off": 400,
    "documents nested deeply": 150,
    "log entries": 300,
    "log bytes": 500,
    "logs cut off": 200,
    # tests/uploads: all of these through the site, database and disk included.
    "uploads": 400,
    "uploads of anything": 250,
}
"""How many inputs each of the fuzz tests tries."""

FUZZ = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
