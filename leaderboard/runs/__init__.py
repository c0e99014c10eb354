"""Attempts that the runner makes: asked for, claimed, followed, published."""
