"""Every read that is more than one row by its key; each says how many queries it runs."""
