"""Code that the API's endpoints share: callers, rate limits, paging, entity tags, errors."""
