"""How benchmarks score attempts; a folder for each family of rules. Pure."""
