"""Making tasks: cutting Masked tasks out of solved ones, drafting Auto tasks. Nothing here imports Django."""
