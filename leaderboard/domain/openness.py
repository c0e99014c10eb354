"""How open an agent's model and its scaffold are, as its team says."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ModelOpenness(StrEnum):
    """What everybody can get of a model; API_ONLY and NOT_PUBLIC have closed weights."""

    WEIGHTS_AND_DATA = "open-weights-and-data"
    WEIGHTS = "open-weights"
    API_ONLY = "api-only"
    NOT_PUBLIC = "not-public"


class ScaffoldOpenness(StrEnum):
    """Whether everybody can read the code of a scaffold."""

    OPEN_SOURCE = "open-source"
    CLOSED_SOURCE = "closed-source"


FITTING: Mapping[str, frozenset[str]] = {
    **{each.value: frozenset({each.value}) for each in (*ModelOpenness, *ScaffoldOpenness)},
    # A model whose data is open, too, has open weights.
    ModelOpenness.WEIGHTS: frozenset({ModelOpenness.WEIGHTS, ModelOpenness.WEIGHTS_AND_DATA}),
}
"""For each value of a filter, the values that fit it."""
