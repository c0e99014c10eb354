"""Boards: ranked entries with their figures."""
