"""Amounts of money as pages and notebooks show them."""

from __future__ import annotations

LEAST = 0.000001


def dollars(amount: float) -> str:
    """US dollars: two decimals from a cent on, below it the first two figures that are not 0."""
    if amount >= 0.01 or amount == 0:
        return f"${amount:,.2f}"
    if amount < LEAST:
        return f"less than ${LEAST:.6f}"
    return f"${float(f'{amount:.2g}'):.10f}".rstrip("0")
