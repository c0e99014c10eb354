"""The tasks of a set, and the attempts at each task."""
