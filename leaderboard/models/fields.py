"""Model fields of this project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from backports import zstd
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

_LARGE: Final = 1 << 18

# Django's field takes no type arguments at run time.
if TYPE_CHECKING:
    Column = models.Field[str, str]
else:
    Column = models.Field


class CompressedTextField(Column):
    """A long text, stored compressed by zstd: terminal output shrinks to a fifth.

    The database can't search it or order by it, and it is always read whole.
    """

    description = "Compressed text"

    def get_internal_type(self) -> str:
        return "BinaryField"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> str:
        # An outer join gives None where there is no row.
        packed = bytes(value or b"")
        return _decompress(packed).decode() if packed else ""

    def get_db_prep_value(self, value: str, connection: Any, prepared: bool = False) -> Any:
        packed = zstd.compress(value.encode(), level=3) if value else b""
        return connection.Database.Binary(packed)


def _decompress(packed: bytes) -> bytes:
    """The content of one frame; `ZstdError` where it is damaged or cut off."""
    if len(packed) < _LARGE:
        return zstd.decompress(packed)
    # With the size known in advance one buffer is allocated: twice as fast as joining many.
    decompressor = zstd.ZstdDecompressor()
    content = decompressor.decompress(packed, zstd.get_frame_info(packed).decompressed_size or -1)
    if not decompressor.eof:
        raise zstd.ZstdError("the compressed text was cut off")
    return content
