"""A drafted task that waits for its review."""

from __future__ import annotations

from typing import Any

from leaderboard.domain.drafts import Check, Draft, Outcome
from leaderboard.models import TaskDraft
from leaderboard.operating.drafts import hold_draft


def hold(command: str = "python train.py", **fields: Any) -> TaskDraft:
    draft = Draft(
        **{"title": "Train", "query": "Train it.", "entrypoint": "train.py", "command": command, **fields}
    )
    checks = [
        Check("script", Outcome.OK, "it can be run", "train.py", 3),
        Check("GPU", Outcome.DOUBT, "apex is made for a GPU", fields.get("entrypoint", "train.py"), 1_234),
    ]
    held = hold_draft(
        draft, checks, repository="https://example.org/pet", commit="c" * 40, name="pet", drafted_by="tiny"
    )
    assert held
    return held
