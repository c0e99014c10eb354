"""The `superboard` command, one module per command; it installs without Django."""
