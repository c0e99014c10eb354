"""Result files on their way to an entry: received, checked, reported on."""
