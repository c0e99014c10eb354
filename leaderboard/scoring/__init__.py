"""Scorings: what a benchmark measures, as data, and the rules that compute it.

Each package in this folder with a ``SCORING`` is one, found by its name. To add one, write the package with
its rules, a benchmark's file that names it, and its page in docs/; nothing else has to change.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from leaderboard.scoring.contract import Scoring
from leaderboard.scoring.reported import reported_scoring

__all__ = ["all_scorings", "scoring_of"]


@lru_cache(maxsize=1)
def all_scorings() -> Mapping[str, Scoring]:
    """Every scoring by its name."""
    names = sorted(each.name for each in pkgutil.iter_modules(__path__) if each.ispkg)
    packages = [import_module(f"{__name__}.{name}") for name in names]
    found: list[Scoring] = [package.SCORING for package in packages if hasattr(package, "SCORING")]
    return {scoring.name: scoring for scoring in found}


def scoring_of(name: str, metrics: Sequence[Mapping[str, Any]] = ()) -> Scoring:
    """The scoring called ``name``; without a name, that of a benchmark with these, only reported, metrics.

    Raises:
        KeyError: no package has a scoring of that name.
    """
    return all_scorings()[name] if name else reported_scoring(metrics)
