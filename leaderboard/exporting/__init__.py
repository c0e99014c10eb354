"""The public site as static files, which open without a server."""
