"""Sandboxes, in which an agent's cells run: an interface and its implementations. No Django here."""
