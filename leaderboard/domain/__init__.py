"""What a benchmark, a trajectory and a score are. Pure Python: nothing here imports Django."""
