"""Requests to selectors and services, and their answers to pages."""
