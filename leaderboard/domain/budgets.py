"""What an attempt may use, where a run can change it: one name a budget, from the form to the runner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BudgetKind:
    """A budget's words and numbers.

    Attributes:
        label: beside an amount that says its job.
        asked: where a number is asked for, with its job.
        number: int where it is counted, else float.
    """

    label: str
    asked: str
    number: type[int] | type[float]


BUDGETS: dict[str, BudgetKind] = {
    "execution_seconds": BudgetKind("Execution", "Seconds of execution", float),
    "steps": BudgetKind("Steps", "Steps", int),
    "prompt_tokens": BudgetKind("Prompt tokens", "Prompt tokens", int),
    "cost": BudgetKind("Cost", "Cost in US dollars", float),
}
"""By the names that `runner.execution.Limits` and a run's ``limits`` give them."""
