"""Experiments of a paper: their commands are run on this machine, their figures read from what is printed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import as_number, decode, kind_of_json, read_file
from leaderboard.formats.opening import Lines

Figures = dict[str, float | list[float]]
"""The numbers of an experiment, or lists of numbers, by metric."""


class ExperimentFailed(Exception):
    """A command failed, took too long, or did not print its figures; the message is one clause."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: what to run, for a reader and for a shell, and where its figures are printed.

    ``metrics`` has a regular expression for each metric. Its last match in the output counts: one group is a
    number or a JSON list of numbers, several groups are a list.
    """

    description: str
    command: str
    metrics: Mapping[str, re.Pattern[str]]


def read_experiments(path: Path) -> tuple[Experiment, ...]:
    """The experiments in a file of JSON lines: ``{"description", "command", "metrics": {name: pattern}}``.

    Raises:
        InputError: with every problem of the file.
    """
    name = path.name
    lines = Lines(decode(read_file(path, name=name), name=name), name=name)
    found: list[Experiment] = []
    problems: list[Problem] = []
    for number, record in lines.readings():
        if isinstance(record, Problem):
            problems.append(record)
            continue
        try:
            found.append(_experiment(record, name=name, place=f"line {number}"))
        except InputError as error:
            problems += error.problems
    if not found and not problems:
        problems.append(Problem(name, "", "there is no experiment in it", "write one on each line"))
    if problems:
        raise InputError(*problems)
    return tuple(found)


def _experiment(record: JsonValue, *, name: str, place: str) -> Experiment:
    remedy = "write an object with description, command and metrics"
    if not isinstance(record, dict):
        raise InputError(Problem(name, place, f"{kind_of_json(record)}, not an experiment", remedy))
    description, command = (_text(record.get(key)) for key in ("description", "command"))
    if not description or not command:
        raise InputError(Problem(name, place, "description or command is missing or no text", remedy))
    metrics = record.get("metrics")
    if not isinstance(metrics, dict) or not metrics:
        raise InputError(Problem(name, place, "metrics is missing or no object with a metric", remedy))
    patterns = {metric: _pattern(text, f"{place}, {metric}", name) for metric, text in metrics.items()}
    return Experiment(description, command, patterns)


def _text(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else ""


def _pattern(text: JsonValue, place: str, name: str) -> re.Pattern[str]:
    remedy = "write a regular expression with the figure in a group, such as accuracy ([\\d.]+)"
    try:
        pattern = re.compile(text, re.MULTILINE) if isinstance(text, str) else None
    except re.error as error:
        raise InputError(Problem(name, place, f"the pattern can't compile: {error}", remedy)) from None
    if pattern is None or not pattern.groups:
        raise InputError(Problem(name, place, "the pattern has no group", remedy))
    return pattern


def run_experiment(experiment: Experiment, folder: Path, *, seconds: float) -> Figures:
    """Run an experiment's command in a folder, with this Python first on the path, and read its figures.

    Raises:
        ExperimentFailed: see there; the command's processes have ended then, too.
    """
    output = _run(experiment.command, folder, seconds)
    return {metric: _figure(metric, pattern, output) for metric, pattern in experiment.metrics.items()}


def _run(command: str, folder: Path, seconds: float) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    # No compiled copies of a masked function are left behind.
    environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(  # noqa: S603 - the operator's own command
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise ExperimentFailed(f"it ran for more than {seconds:g} seconds (see --seconds)") from None
    text = output.decode(errors="replace")
    if process.returncode:
        last = next((line for line in reversed(text.splitlines()) if line.strip()), "no output")
        raise ExperimentFailed(f"it ended with status {process.returncode}: {last.strip()[:200]}")
    return text


def _figure(metric: str, pattern: re.Pattern[str], output: str) -> float | list[float]:
    *_, match = (None, *pattern.finditer(output))
    if match is None:
        raise ExperimentFailed(f"it printed nothing that matches the pattern of {metric}")
    groups = match.groups()
    value = _json(groups[0]) if len(groups) == 1 else [_json(group) for group in groups]
    numbers = value if isinstance(value, list) else [value]
    if not numbers or any(as_number(number) is None for number in numbers):
        raise ExperimentFailed(f"{metric} is “{match[0][:60]}”, not a number or a list of numbers")
    return value


def _json(text: str | None) -> JsonValue:
    try:
        return json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
