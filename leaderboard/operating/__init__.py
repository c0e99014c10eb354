"""Operators' work: imports, re-scoring, merges of agents, the queue and the audit."""
