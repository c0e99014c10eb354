"""Benchmarks, their task sets and tasks, as data."""
