"""The `superboard` command: pure, so that it installs without the site. A module a command."""
