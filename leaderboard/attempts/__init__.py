"""One try at one task: stored, read, shown as a notebook."""
