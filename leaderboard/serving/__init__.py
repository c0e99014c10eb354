"""The web server: processes that share a socket, and connections that never make a thread wait."""
