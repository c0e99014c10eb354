"""Executes one attempt: steps, limits, cancellation, records. Nothing here imports Django."""
