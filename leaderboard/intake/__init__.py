"""Checks what somebody wants to submit: pure, the same code in the `superboard` command and on the site."""
