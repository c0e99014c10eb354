"""A comparison as JSON and CSV: the same values as its page."""

from __future__ import annotations

import csv
import io
from typing import Any

from leaderboard.comparing.selectors import ComparedEntries, TaskCell
from leaderboard.comparing.texts import conclusion
from leaderboard.core.figures import figure_json, metric_json
from leaderboard.core.labels import COMPUTED, SOURCES
from leaderboard.core.spreadsheets import cell_text
from leaderboard.domain.paired import PairedDifference
from leaderboard.models import Figure


def comparison_json(compared: ComparedEntries) -> dict[str, Any]:
    """A comparison as JSON data. Shares are in [0, 1], other values in their unit; a missing one is null."""
    return {
        "task_set": compared.task_set.key,
        "metric": metric_json(compared.metric),
        "entries": [
            {
                "slug": side.entry.slug,
                "agent": side.entry.agent.name,
                "model": side.entry.agent.model,
                "state": side.entry.state,
                "evidence": side.entry.evidence,
                "model_openness": side.entry.model_openness or None,
                "scaffold_openness": side.entry.scaffold_openness or None,
                "released": side.entry.released and side.entry.released.isoformat(),
            }
            for side in compared.sides
        ],
        "groups": [
            {
                "category": group.slug if group else "",
                "figures": [
                    figure_json(cell.row, side.entry, cell.metric) if isinstance(cell.row, Figure) else None
                    for side, cell in zip(compared.sides, cells, strict=True)
                ],
            }
            for group, cells in compared.groups
        ],
        "differences": [_difference_json(pair, compared) for pair in compared.differences],
        "tasks": [
            {
                "task_id": row.task.task_id,
                "title": row.task.title,
                "mean": row.mean,
                "cells": [_cell_json(cell) for cell in row.cells],
            }
            for row in compared.rows
        ],
    }


def _difference_json(pair: PairedDifference, compared: ComparedEntries) -> dict[str, Any]:
    return {
        "first": compared.sides[pair.first].entry.slug,
        "second": compared.sides[pair.second].entry.slug,
        "difference": pair.value,
        "interval": pair.interval,
        "p": pair.p,
        "p_adjusted": pair.adjusted,
        "tasks": pair.tasks,
        "clusters": pair.clusters,
        "told_apart": pair.is_certain,
        "conclusion": conclusion(pair, compared),
    }


def _cell_json(cell: TaskCell) -> dict[str, Any]:
    return {
        "value": cell.value,
        "solved": cell.solved,
        "attempts": [
            {
                "id": each.attempt.pk,
                "number": each.attempt.number,
                "value": each.value,
                "source": each.source,
                "reason": each.reason,
                "solved": each.solved,
                "landmarks_hit": each.hits,
                "landmarks": each.landmarks,
                "ending": each.attempt.ending if each.attempt.has_trajectory else None,
                "finding": each.finding,
                "page": each.attempt.get_absolute_url(),
            }
            for each in cell.attempts
        ],
    }


def grid_csv(compared: ComparedEntries) -> str:
    """The grid as CSV: a line for each task, with six columns for each entry.

    Values are in the metric's unit, shares in [0, 1]; the kind is whether they are reported or computed. Of
    several attempts, what is not the value is of the first.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = (compared.metric.key, "kind", "attempts", "landmarks_hit", "ending", "finding")
    heads = [f"{side.entry.slug} {column}" for side in compared.sides for column in columns]
    writer.writerow(["task_id", "landmarks", *heads])
    for row in compared.rows:
        line: list[Any] = [cell_text(row.task.task_id), len(row.task.landmarks)]
        for cell in row.cells:
            line += _csv_cells(cell)
        writer.writerow(line)
    return out.getvalue()


def _csv_cells(cell: TaskCell) -> list[Any]:
    if not cell.attempts:
        return ["", "", 0, "", "", ""]
    first = cell.attempts[0]
    value = "" if cell.value is None else f"{cell.value:.12g}"
    ending = first.attempt.ending if first.attempt.has_trajectory else ""
    kind = SOURCES.get(cell.source, COMPUTED) if cell.source else ""
    return [value, kind, len(cell.attempts), "" if first.hits is None else first.hits, ending, first.finding]
