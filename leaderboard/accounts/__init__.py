"""Accounts, teams, invitations and API tokens."""
