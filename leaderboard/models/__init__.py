"""Tables and constraints; workflow lives in services, reads in selectors."""

from leaderboard.models.attempts import Attempt, AttemptFile, AttemptStep, LandmarkOutcome, OutputPage
from leaderboard.models.audit import AuditEvent
from leaderboard.models.catalogue import Benchmark, Category, Task, TaskSet
from leaderboard.models.entries import Agent, Entry
from leaderboard.models.runs import Run, Unit, UnitStep, Worker
from leaderboard.models.scores import Figure, Score

__all__ = [
    "Agent",
    "Attempt",
    "AttemptFile",
    "AttemptStep",
    "AuditEvent",
    "Benchmark",
    "Category",
    "Entry",
    "Figure",
    "LandmarkOutcome",
    "OutputPage",
    "Run",
    "Score",
    "Task",
    "TaskSet",
    "Unit",
    "UnitStep",
    "Worker",
]
