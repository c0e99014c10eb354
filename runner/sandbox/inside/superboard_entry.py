"""A container's main program: runs the kernel until it ends, or until its owner has been silent for too long.

The owner writes to our standard input every few seconds. When it dies, or the network between us does, nobody
may be left who removes the container, so it ends by itself. Whatever ends this program ends the container.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

POLL_SECONDS = 0.1
READ_SIZE = 4096
ALONE = 75
"""The exit status that says that the owner was silent."""


def main(connection: str, alone_seconds: float) -> int:
    """Returns the exit status for the container: the kernel's, as a shell would give it."""
    command = [sys.executable, "-P", "-m", "superboard_kernel", "-f", connection]
    # A group of its own, so that an interrupt reaches the programs that a cell has started.
    kernel = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
    heard = time.monotonic()
    while (status := kernel.poll()) is None:
        if select.select([0], [], [], POLL_SECONDS)[0]:
            if os.read(0, READ_SIZE):
                heard = time.monotonic()
            else:
                time.sleep(POLL_SECONDS)
        if time.monotonic() - heard > alone_seconds:
            return ALONE
    return 128 - status if status < 0 else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
