"""`superboard view`: trajectories of any tool, read from files and shown as the site shows them."""
