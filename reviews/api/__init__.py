"""The HTTP API of reviews, questions and tool approvals."""
