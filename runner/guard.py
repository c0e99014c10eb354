"""Runs a command, and ends it when standard input ends: when the process that started both is gone.

`python guard.py COMMAND…`, as the first process of a group, so that it can kill all that the command started.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

SECONDS_TO_STOP = 10


def main() -> None:
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603 - the command is ours
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: child.terminate())
    threading.Thread(target=_end_with_owner, args=(child,), daemon=True).start()
    status = child.wait()
    if owner_is_gone.is_set():
        os.killpg(0, signal.SIGKILL)
    if status < 0:
        # It ends as the command did.
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


owner_is_gone = threading.Event()


def _end_with_owner(child: subprocess.Popen[bytes]) -> None:
    os.read(sys.stdin.fileno(), 1)
    owner_is_gone.set()
    child.terminate()
    time.sleep(SECONDS_TO_STOP)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
