"""The review desk's commands."""
