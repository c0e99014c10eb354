"""Ranked entries, a figure in every column."""
