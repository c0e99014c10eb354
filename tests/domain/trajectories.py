"""Short ways to write trajectories and tasks in tests."""

from __future__ import annotations

from typing import Any

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, Step, StepKind, Trajectory

Piece = dict[str, Any]


def ran(action: str, observation: str | None = "ok", duration: float | None = 60.0, **fields: Any) -> Piece:
    return {"action": action, "observation": observation, "duration": duration} | fields


def waited(observation: str = "ok", duration: float | None = 60.0) -> Piece:
    return ran("", observation, duration, kind=StepKind.WAIT)


def pre_executed(action: str, observation: str = "ok") -> Piece:
    return ran(action, observation, pre_executed=True)


def submitted() -> Piece:
    return ran("{}", "", None, kind=StepKind.SUBMIT)


def trajectory(*pieces: Piece, answer: Any = MISSING, **fields: Any) -> Trajectory:
    defaults: Piece = {"kind": StepKind.EXECUTE, "action_type": ""}
    steps = tuple(Step(number=number, **(defaults | piece)) for number, piece in enumerate(pieces, start=1))
    return Trajectory(steps=steps, format="test", answer=answer, **fields)


def observed(*observations: str | None) -> Trajectory:
    return trajectory(*(ran("!ls", observation) for observation in observations))


def answered(answer: Any) -> Trajectory:
    return trajectory(submitted(), answer=answer)


def task(**fields: Any) -> TaskSpec:
    return TaskSpec("t", **fields)
