"""The limits of an attempt that a run can change, with the same names in the form and in the runner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BudgetKind:
    """A budget's labels and type.

    Attributes:
        label: shown beside an amount that has its unit.
        form_label: of the form's field, with the unit.
        number: int for a count, else float.
    """

    label: str
    form_label: str
    number: type[int] | type[float]


BUDGETS: dict[str, BudgetKind] = {
    "execution_seconds": BudgetKind("Execution", "Seconds of execution", float),
    "steps": BudgetKind("Steps", "Steps", int),
    "prompt_tokens": BudgetKind("Prompt tokens", "Prompt tokens", int),
    "cost": BudgetKind("Cost", "Cost in US dollars", float),
}
"""By their names in `runner.execution.Limits` and in a run's ``limits``."""
