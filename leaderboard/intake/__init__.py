"""Checks results before they are recorded: pure Python, shared by the `superboard` command and the site."""
