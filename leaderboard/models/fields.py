"""Columns of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import zstandard
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from leaderboard.domain.texts import NOTHING, Text, from_data

# Django's field takes no type arguments at run time.
if TYPE_CHECKING:
    Column = models.Field[str, str]
else:
    Column = models.Field


class CompressedTextField(Column):
    """A long text that is only ever read whole, kept compressed: terminal output shrinks to a fifth.

    It can't be searched or ordered by in the database.
    """

    description = "Compressed text"

    def get_internal_type(self) -> str:
        return "BinaryField"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> str:
        # None is what an outer join gives where there is no row.
        packed = bytes(value or b"")
        return zstandard.ZstdDecompressor().decompress(packed).decode() if packed else ""

    def get_db_prep_value(self, value: str, connection: Any, prepared: bool = False) -> Any:
        packed = zstandard.ZstdCompressor(level=3).compress(value.encode()) if value else b""
        return connection.Database.Binary(packed)


class SentenceField(models.JSONField):
    """A `Text` with all that it was made from, so that each reader gets it in a language of their own.

    Pages show it through `leaderboard.labels.translated`. Empty is `NOTHING`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"blank": True, "default": Text, **options})

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Text:
        # None is what an outer join gives where there is no row.
        return NOTHING if value is None else from_data(super().from_db_value(value, expression, connection))

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, Text):
            return value.as_data() if value else {}
        return super().get_prep_value(value)
