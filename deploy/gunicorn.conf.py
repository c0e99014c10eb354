"""Gunicorn's settings: `gunicorn --config deploy/gunicorn.conf.py leaderboard.wsgi`."""

from __future__ import annotations

import os
from pathlib import Path

bind = f"127.0.0.1:{os.environ.get('PORT') or 8000}"
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)
worker_class = "gthread"
threads = 4
# An upload of the largest trajectory allowed must get through a slow line.
timeout = 120
graceful_timeout = 10
accesslog = "-"
# Two servers of one user would fight over it, and nothing here uses it.
control_socket_disable = True
# A worker proves that it lives by touching a file; on a disk, that can wait for the disk.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
