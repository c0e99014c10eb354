"""Executes one attempt: steps, limits, cancellation, records. Nothing here imports Django."""

from __future__ import annotations

from runner.execution.attempt import execute_attempt, work_on
from runner.execution.clock import Clock, SystemClock
from runner.execution.history import history_json, shown
from runner.execution.limits import Limits
from runner.execution.records import (
    Cancelled,
    Fenced,
    Outcome,
    OutcomeKind,
    Recorder,
    SilentRecorder,
    StepBegun,
    StepRecord,
    Used,
)
from runner.execution.whole import WholeOutput, WholeOutputs

__all__ = [
    "Cancelled",
    "Clock",
    "Fenced",
    "Limits",
    "Outcome",
    "OutcomeKind",
    "Recorder",
    "SilentRecorder",
    "StepBegun",
    "StepRecord",
    "SystemClock",
    "Used",
    "WholeOutput",
    "WholeOutputs",
    "execute_attempt",
    "history_json",
    "shown",
    "work_on",
]
