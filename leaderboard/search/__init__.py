"""Text search over the steps of all trajectories that somebody may see."""
