"""A column of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import zstandard
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

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
