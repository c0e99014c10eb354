"""Stored sentences become plain English text; the words of stored HTML are written into it.

Before, a sentence was stored as its template and values, and HTML held a marker ``<!--t key args-->`` for each
word, so that both could be translated. What this needs of the code that read them is kept here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import leaderboard.models.fields

ROWS = 200
"""Rows that are read and written at once; one can hold a megabyte of HTML."""
SENTENCES = (("Worker", "notice"), ("Score", "reason"), ("Unit", "reason"))
HTML = (("Attempt", "html"), ("OutputPage", "html"), ("UnitStep", "html"))
ADDRESSES = ("page-url", "output-url")
MARKER = re.compile(r"<!--t ([a-z-]+)((?: [\w.-]+)*)-->", re.ASCII)
ADDRESS = re.compile(r"<!--((?:page|output)-url(?: [\w.-]+)*)-->", re.ASCII)
WORDS = {
    "step": ("Step {0}", ""),
    "kind-execute": ("execute", ""),
    "kind-edit": ("edit", ""),
    "kind-create": ("create", ""),
    "kind-view": ("view", ""),
    "kind-search": ("search", ""),
    "kind-submit": ("submit", ""),
    "kind-interrupt": ("interrupt", ""),
    "kind-wait": ("wait", ""),
    "kind-format-error": ("format error", ""),
    "kind-exception": ("exception", ""),
    "kind-other": ("other", ""),
    "mark-error": ("error", ""),
    "mark-timeout": ("timeout", ""),
    "mark-format-error": ("format error", ""),
    "mark-submit": ("submit", ""),
    "mark-pre-executed": ("pre-executed", ""),
    "seconds": ("{0} s", ""),
    "minutes": ("{0} min {1} s", ""),
    "hours": ("{0} h {1} min", ""),
    "action": ("Action", ""),
    "output": ("Output", ""),
    "no-output": ("no output", ""),
    "landmark": ("landmark", ""),
    "more-hits": ("{0} further match of landmark {1}", "{0} further matches of landmark {1}"),
    "overwritten": ("overwritten:", ""),
    "hidden": ("{0} line hidden, {1} characters", "{0} lines hidden, {1} characters"),
    "cut": ("{0} character cut", "{0} characters cut"),
    "size": ("{0} line, {1} characters", "{0} lines, {1} characters"),
    "whole-output": ("Whole output, {0} MB", ""),
    "first-of-output": ("The first {0} MB of the output; the limit is reached there", ""),
    "edit-lines": ("lines {0} to {1}", ""),
    "query": ("Query", ""),
    "answer": ("Answer", ""),
    "no-answer": ("No answer was submitted.", ""),
    "landmarks": ("Landmarks", ""),
    "status-hit": ("hit", ""),
    "status-given": ("given by a pre-executed cell", ""),
    "status-missed": ("missed", ""),
    "status-timed-out": ("pattern timed out", ""),
    "status-invalid": ("pattern is invalid", ""),
    "steps": ("Steps", ""),
}
"""By the key of a marker: the text, and the one for a first argument other than 1 where that differs."""


def sentence(data: Any) -> str:
    """The English of a stored sentence; a string stands for itself, nothing for an empty one."""
    if isinstance(data, str) or not data:
        return data or ""
    values = data.get("values", {})
    template = data["many"] if data.get("many") and values.get("n") != 1 else data["text"]
    return template.format(**{name: shown(value) for name, value in values.items()}) if values else template


def shown(value: Any) -> Any:
    """A value of a sentence; whole numbers are grouped by thousands."""
    if isinstance(value, dict):
        return sentence(value)
    return f"{value:,}" if type(value) is int else value


def problem(data: dict[str, Any]) -> dict[str, Any]:
    """A stored problem with plain strings, those that are empty left out."""
    plain = {name: sentence(part) for name, part in data.items()}
    return {name: part for name, part in plain.items() if part}


def problems(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [problem(each) for each in data]


def filled(html: str) -> str:
    """HTML with its words; the addresses stay open, as markers of their new form."""
    return MARKER.sub(word, html)


def word(marker: re.Match[str]) -> str:
    key, args = marker[1], marker[2].split()
    if key in ADDRESSES:
        return f"<!--{key}{marker[2]}-->"
    one, many = WORDS[key]
    text = many if many and args[0] != "1" else one
    return escape(text.format(*(f"{int(arg):,}" if arg.isdecimal() else arg for arg in args)))


def batches(model: Any, field: str) -> Iterator[list[Any]]:
    """All rows of a model in the order of their keys, with this field only."""
    # By key and not with an iterator: what SQLite gives is undefined where rows change under a cursor.
    rows = model.objects.order_by("pk").only("pk", field)
    batch = list(rows[:ROWS])
    while batch:
        yield batch
        batch = list(rows.filter(pk__gt=batch[-1].pk)[:ROWS])


def rewrite(model: Any, field: str, change: Callable[[Any], Any]) -> None:
    """Put ``change`` of it in the place of a field's value, in every row."""
    for batch in batches(model, field):
        changed = []
        for row in batch:
            old = getattr(row, field)
            new = change(old)
            if new != old:
                setattr(row, field, new)
                changed.append(row)
        model.objects.bulk_update(changed, [field])


def write_english(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rewrite every column that held what could be translated."""
    for name, field in SENTENCES:
        model = apps.get_model("leaderboard", name)
        # Most of them, and of scores there are many.
        model.objects.filter(**{field: "{}"}).update(**{field: ""})
        rewrite(model, field, lambda text: sentence(json.loads(text)) if text else "")
    rewrite(apps.get_model("leaderboard", "Attempt"), "warnings", problems)
    rewrite(apps.get_model("leaderboard", "Upload"), "problems", problems)
    lines = apps.get_model("leaderboard", "UploadedFile")
    rewrite(lines, "problems", lambda text: json.dumps(problems(json.loads(text))))
    for name, field in HTML:
        rewrite(apps.get_model("leaderboard", name), field, filled)


def write_data(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make it what the code of before takes: a string stands for itself there, and words may be filled in."""
    for name, field in SENTENCES:
        rewrite(apps.get_model("leaderboard", name), field, lambda text: json.dumps(text) if text else "{}")
    for name, field in HTML:
        rewrite(apps.get_model("leaderboard", name), field, lambda html: ADDRESS.sub(r"<!--t \1-->", html))


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_initial")]

    operations = [
        migrations.AlterField(
            "Worker",
            "notice",
            models.TextField(blank=True, default="", help_text="Why it takes no unit, where it does not"),
        ),
        migrations.AlterField(
            "Score",
            "reason",
            models.TextField(
                blank=True, default="", help_text="Why it is missing; empty if the metric does not apply"
            ),
        ),
        migrations.AlterField(
            "Unit",
            "reason",
            models.TextField(blank=True, default="", help_text="Why it failed, was queued again, or waits"),
        ),
        migrations.AlterField(
            "Attempt",
            "html",
            leaderboard.models.fields.CompressedTextField(
                default="", help_text="The rendered fragment; addresses are markers (rendering.addresses)"
            ),
        ),
        migrations.RunPython(write_english, write_data),
    ]
