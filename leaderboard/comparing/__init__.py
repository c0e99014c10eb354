"""Entries of one task set against each other: paired differences, and the grid of tasks by entries."""
