"""What decides on the next action. Nothing here imports Django."""
