"""Agents: they choose the next action. Nothing here imports Django."""
