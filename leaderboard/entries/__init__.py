"""One agent's results on one task set: drafts, versions, publishing, names."""
