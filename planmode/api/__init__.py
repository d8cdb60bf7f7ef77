"""The HTTP API of this floor."""
