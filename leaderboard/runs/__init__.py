"""Runs: operators request attempts, workers execute them as jobs, readers follow them."""
