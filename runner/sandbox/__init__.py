"""Where an agent's cells run: a contract and what fulfils it. Nothing here imports Django."""
