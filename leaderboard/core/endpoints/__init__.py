"""What the API's endpoints share: callers, limits, pages, entity tags, errors."""
