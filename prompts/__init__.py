"""Every text that a model reads, and what renders it."""
