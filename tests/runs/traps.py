"""Where a worker can be killed; `tests.runs.rigged` does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Trap:
    """A worker dies before, or after, its first call of a function."""

    when: Literal["before", "after"]
    place: str
    function: str


TRAP_FILE = "trap.json"
"""In a worker's `var/`: which trap is laid, gone once it has sprung."""
TRAPS = {
    "before a claim": Trap("before", "working", "claim_job"),
    "just after a claim": Trap("after", "working", "claim_job"),
    "starting the sandbox": Trap("before", "sandbox", "start"),
    "waiting for the kernel": Trap("before", "channels", "wait_until_ready"),
    "mid-cell": Trap("after", "recorder", "output"),
    "while a step is written": Trap("after", "step", "save"),
    "between steps": Trap("after", "recorder", "step_finished"),
    "while cancelling": Trap("before", "working", "confirm_cancelled"),
    "while scoring": Trap("before", "pipeline", "prepare"),
    "just before finishing": Trap("before", "working", "finish_job"),
    "while the attempt is written": Trap("after", "jobs", "refresh_figures"),
    "just after finishing": Trap("after", "working", "finish_job"),
}
UPLOAD_TRAPS = {
    "just after an upload is claimed": Trap("after", "checking tasks", "claim_upload"),
    "before anything is unpacked": Trap("before", "checking", "unpack"),
    "when all is unpacked": Trap("after", "checking", "unpack"),
    "before the draft": Trap("before", "checking", "begin_draft"),
    "just after an attempt is recorded": Trap("after", "checking", "record_result"),
    "before the report": Trap("before", "checking", "conclude_check"),
    "just after the report": Trap("after", "checking", "conclude_check"),
}
"""The same while an upload is checked."""
