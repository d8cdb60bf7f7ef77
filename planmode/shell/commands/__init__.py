"""The commands that only read, a file for each family."""
