"""What operators do: import, verify, re-score, merge, look at the audit."""
