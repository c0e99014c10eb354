"""Programs that are copied into a sandbox and run there."""
