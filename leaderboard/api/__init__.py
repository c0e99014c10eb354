"""The API at /api/v1/: combines the operations that the features define."""
