"""`manage.py serve`: the web server."""

from __future__ import annotations

import gc
import socket
import sys
import tempfile
from argparse import ArgumentParser
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import get_internal_wsgi_application
from django.db import connections

from leaderboard.domain.text import plural
from leaderboard.serving.connections import Limits, Server, raise_file_limit
from leaderboard.serving.processes import keep_serving, listen
from leaderboard.uploads.storage import make_private

SWITCH_SECONDS: Final = 0.001


class Command(BaseCommand):
    help = "Serve the site over HTTP until SIGTERM or Ctrl-C. A process that ends is started again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)"
        )
        parser.add_argument(
            "--port", type=int, default=settings.PORT, help=f"the port, {settings.PORT} by default (PORT)"
        )

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        try:
            sock = listen(host, port)
        except (OSError, OverflowError) as error:
            raise CommandError(
                f"Port {port} of {host} cannot be used ({error}). Choose another: --port {port % 65535 + 1}"
            ) from error
        # Not where the system keeps temporary files, which may be memory: bodies of requests can be large.
        tempfile.tempdir = str(make_private(settings.SUPERBOARD_UPLOADS))
        limits = Limits(
            connections=raise_file_limit(settings.SUPERBOARD_MAX_CONNECTIONS),
            body_bytes=settings.SUPERBOARD_MAX_REQUEST_MB << 20,
            held_bytes=settings.SUPERBOARD_MAX_HELD_MB << 20,
            behind_proxy=settings.SECURE_PROXY_SSL_HEADER is not None,
        )
        # A connection to the database can't be shared with children.
        connections.close_all()
        processes: int = settings.WEB_CONCURRENCY
        self.stdout.write(
            f"Serving http://{host}:{port}/ with {plural(processes, '{n} process', '{n} processes')}."
        )
        self.stdout.flush()
        with sock:
            keep_serving(partial(_serve, sock, limits), processes=processes)


def _serve(sock: socket.socket, limits: Limits) -> None:
    # The event loop asks for the interpreter after each call of the system; threads at work hold it so long.
    sys.setswitchinterval(SWITCH_SECONDS)
    site = get_internal_wsgi_application()
    # The garbage collector need not look at modules and classes again and again: a tenth of a long page's time.
    gc.collect()
    gc.freeze()
    Server(site, sock, limits).run()
