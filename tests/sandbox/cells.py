"""Cells for every kind of sandbox, and what a kernel does with them, for the one that has none."""

from __future__ import annotations

from runner.sandbox.fake import Reply

LONG = 60.0
ENDLESS = "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.05)"
HELLO = "print('hello')"
FAILS = "1 / 0"
DIES = "import os\nos._exit(3)"
ASKS = "input('name? ')"
STUBBORN = (
    "import time\nwhile True:\n    try:\n        time.sleep(600)\n    except BaseException:\n        pass"
)
FLOODS = "for _ in range(100):\n    print('y' * 99_999)"
SURROGATE = "print('a\\ud800b')"
SLOW = "import time\nfor n in range(3):\n    print(n, flush=True)\n    time.sleep(0.6)"

SCRIPT = {
    ENDLESS: Reply(("begun\n",), seconds=float("inf")),
    HELLO: Reply(("hel", "lo\n")),
    FAILS: Reply(("ZeroDivisionError: division by zero\n",), error=True),
    DIES: Reply(dies="it ended with status 3"),
    ASKS: Reply(("StdinNotImplementedError: \n",), error=True),
    STUBBORN: Reply(seconds=float("inf"), ignores_interrupts=True),
    FLOODS: Reply(flood=10_000_000),
    SURROGATE: Reply(("a\ud800b\n",)),
    SLOW: Reply(("0\n", "1\n", "2\n"), seconds=1.0),
}
