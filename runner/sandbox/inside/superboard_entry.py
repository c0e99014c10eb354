"""A container's main program: runs the kernel, and ends it when the owner has been silent for too long.

The owner writes to our standard input every few seconds. If it or the network fails, nobody may be left to
remove the container, so it ends by itself: the container ends with this program.
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
"""Exit status: the owner was silent for too long."""


def main(connection: str, alone_seconds: float) -> int:
    """Returns the container's exit status: the kernel's as a shell gives it, or `ALONE`."""
    command = [sys.executable, "-P", "-m", "superboard_kernel", "-f", connection]
    # In its own process group, so that an interrupt reaches the programs that a cell started.
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
