"""The API at /api/v1/: it translates between HTTP and the services and selectors that pages use too."""
