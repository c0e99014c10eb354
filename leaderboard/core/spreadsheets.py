"""Texts in CSV files, which people open with spreadsheets."""

from __future__ import annotations

FORMULA_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters of formulas in spreadsheets; Japanese ones also use the full-width forms."""


def cell_text(text: str) -> str:
    """Text on one line that a spreadsheet does not treat as a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(FORMULA_SIGNS) else line
