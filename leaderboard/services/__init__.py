"""Every write: its transaction, and its line in the audit."""
