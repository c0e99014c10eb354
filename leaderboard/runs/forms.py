"""The form for a new run: its fields depend on the agent and the task set."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django import forms
from django.utils.html import format_html

from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.errors import InputError
from leaderboard.entries.selectors import NAME_LENGTH, free_model_name
from leaderboard.models import Run, TaskSet
from leaderboard.runs import offers
from leaderboard.runs.services import MAX_PARALLEL

SETTING = "setting-"


class RunForm(forms.Form):
    """The parameters of a run. ``cleaned_data`` holds the arguments of ``runs.services.create_run``."""

    max_parallel = forms.IntegerField(
        label="Jobs in parallel", min_value=1, max_value=MAX_PARALLEL, initial=2
    )
    scaffold = forms.CharField(label="Name on the board", max_length=NAME_LENGTH)
    model = forms.CharField(label="Model on the board", max_length=NAME_LENGTH)

    def __init__(
        self, data: Any = None, *, agent: offers.AgentOffer, task_set: TaskSet, copied: Run | None
    ) -> None:
        super().__init__(data, auto_id="run-%s", label_suffix="")
        self.agent = agent
        self.task_set = task_set
        self.fields["attempts"] = forms.IntegerField(
            label="Attempts at each task",
            min_value=1,
            max_value=task_set.benchmark.max_attempts,
            initial=1,
        )
        self.fields["tasks"] = forms.ModelMultipleChoiceField(
            label="Tasks",
            queryset=task_set.tasks.all(),
            to_field_name="task_id",
            widget=forms.CheckboxSelectMultiple,
        )
        allowed = [(each.name, f"{each.name}: {each.summary}") for each in self._allowed_sandboxes()]
        self.fields["sandbox"] = forms.ChoiceField(label="Sandbox", choices=allowed)
        for name, default in agent.defaults.items():
            # With the setting's own name: messages, commands and records use it.
            label = format_html("{} <small>{}</small>", agent.labels.get(name, name), name)
            self.fields[SETTING + name] = forms.CharField(label=label, required=False, initial=default)
        for name, budget in BUDGETS.items():
            # Empty means the default.
            kind = forms.IntegerField if budget.number is int else forms.FloatField
            self.fields[name] = kind(label=budget.form_label, required=False, min_value=0)
        self.initial = self._initial(copied)

    @property
    def refusals(self) -> list[str]:
        """Why the other sandboxes can't be used here."""
        refused = [each.refusal(self.task_set.benchmark.slug) for each in offers.sandboxes()]
        return [reason for reason in refused if reason]

    def setting_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith(SETTING)]

    def limit_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in BUDGETS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        settings = {
            name: _typed(cleaned.pop(SETTING + name, ""), default)
            for name, default in self.agent.defaults.items()
        }
        cleaned["settings"] = settings
        cleaned["limits"] = {
            name: value for name in BUDGETS if (value := cleaned.pop(name, None)) is not None
        }
        cleaned["agent"] = self.agent.name
        try:
            self.agent.check_fits(self.task_set.benchmark.slug)
            self.agent.check(settings)
            if sandbox := cleaned.get("sandbox"):
                offers.get_sandbox(sandbox, self.task_set.benchmark.slug)
        except InputError as error:
            raise forms.ValidationError(str(error)) from error
        return cleaned

    def _allowed_sandboxes(self) -> list[offers.SandboxOffer]:
        benchmark = self.task_set.benchmark.slug
        return [each for each in offers.sandboxes() if not each.refusal(benchmark)]

    def _initial(self, copied: Run | None) -> dict[str, Any]:
        if copied is None:
            return {
                "tasks": list(self.task_set.tasks.values_list("task_id", flat=True)),
                "scaffold": self.agent.scaffold,
                "model": free_model_name(self.task_set, self.agent.scaffold, self.agent.model),
            }
        tasks = copied.jobs.order_by("task__task_id").values_list("task__task_id", flat=True)
        named = copied.entry.agent
        return {
            "tasks": list(tasks.distinct()),
            "attempts": max(copied.jobs.values_list("number", flat=True), default=1),
            "max_parallel": copied.max_parallel,
            "sandbox": copied.sandbox,
            "scaffold": named.name,
            "model": free_model_name(self.task_set, named.name, named.model),
            **{SETTING + name: value for name, value in copied.agent_settings.items()},
            **copied.limits,
        }


def _typed(text: str, default: Any) -> Any:
    """A setting converted to the type of its default; the agent's check refuses what can't be converted."""
    if text == "":
        return default
    if isinstance(default, int | float):
        with suppress(ValueError):
            return type(default)(text)
    return text
