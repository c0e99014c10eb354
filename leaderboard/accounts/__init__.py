"""People, their teams, invitations and tokens."""
