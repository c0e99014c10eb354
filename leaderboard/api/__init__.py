"""The API at /api/v1/ as a whole: features add their operations, this puts them together."""
