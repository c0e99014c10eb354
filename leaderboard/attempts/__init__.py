"""One try at one task: recorded, read, shown as a notebook."""
