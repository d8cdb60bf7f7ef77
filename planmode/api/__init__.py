"""The HTTP API of sessions, their logs and revisions."""
