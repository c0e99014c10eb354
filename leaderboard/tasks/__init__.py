"""The tasks of a set, with every attempt at each."""
