"""PostgreSQL and Redis servers for tests: private, empty, and ended with their context.

`python -m tests.servers COMMAND…` runs a command with DATABASE_URL naming such a PostgreSQL.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.db import connection

from tests.supervisor import supervise

SECONDS_TO_START = 60
# Debian has no link to them on PATH, and a folder for each version.
DEBIAN = Path("/usr/lib/postgresql")
# Texts sort as people sort them, as in most databases in use: not by code points, as in SQLite.
SORTING = ("--locale", "C.UTF-8", "--locale-provider", "icu", "--icu-locale", "en-US")
INITDB = ("--auth", "trust", "--encoding", "UTF8", *SORTING)
POSTGRES_CONF = """
# Only through a socket in its own folder: it meets no server that runs already.
listen_addresses = ''
unix_socket_directories = '{folder}'
dynamic_shared_memory_type = mmap
max_connections = 200
# What a crash of the machine would cost is not what tests ask.
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
"""


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's programs, of the newest version where there are several."""
    folders = sorted(DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name))
    if folders:
        return folders[-1]
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL in a temporary folder, and give the URL of an empty database of it."""
    programs = postgres_programs()
    assert programs, "there is no PostgreSQL: apt-get install postgresql"
    # PostgreSQL refuses to run as root.
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    # Not pytest's own: sockets need a short path.
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        as_user: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, "check": True}
        if os.geteuid() == 0:
            os.chown(folder, user.pw_uid, user.pw_gid)
            as_user |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        data = Path(folder, "data")
        initdb = [str(programs / "initdb"), "--pgdata", str(data), "--no-sync", *INITDB]
        subprocess.run([*initdb, "--username", user.pw_name], **as_user)
        with (data / "postgresql.conf").open("a") as conf:
            conf.write(POSTGRES_CONF.format(folder=folder))
        control = [str(programs / "pg_ctl"), "--pgdata", str(data), "--timeout", str(SECONDS_TO_START)]
        subprocess.run([*control, "--log", f"{folder}/log", "start"], **as_user)
        try:
            yield f"postgres://{user.pw_name}@/postgres?host={folder}"
        finally:
            # Connections that a test has left open don't delay it.
            subprocess.run([*control, "--mode", "immediate", "stop"], **as_user)


def database_url(**options: str) -> str:
    """The URL of the database that this test uses, for other processes; options go into its query."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}?{urlencode(options)}"
    asked = urlsplit(os.environ["DATABASE_URL"])
    return asked._replace(path=f"/{name}", query=f"{asked.query}&{urlencode(options)}").geturl()


@contextmanager
def redis_server() -> Iterator[str]:
    """Start a Redis that keeps nothing on disk, and give its URL."""
    server = shutil.which("redis-server")
    assert server, "there is no redis-server: apt-get install redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir()) as process:
        try:
            _wait_for_port(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, "Redis does not answer"
            time.sleep(0.05)
        else:
            return


if __name__ == "__main__":
    # However this ends, no server stays.
    supervise()
    with postgres_server() as url:
        ended = subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}, check=False)
    sys.exit(ended.returncode)
