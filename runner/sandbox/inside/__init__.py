"""What runs inside a sandbox: copied there, and started by the Python that is there."""
